"""Which side shows the stronger contract, each against each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from evalnb.view.charts.cells import Cell, Grid, state_matrix
from evalnb.view.charts.chart import WIDTH, EvalChart, Width, nothing_to_show
from evalnb.view.charts.rows import Row, rows_of
from evalnb.view.charts.text import counted, listed, shown
from evalnb.view.theme import Theme

TITLE: Final = "Dominance"


def dominance_matrix(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """Each side by each other, from the frame `dominance`, sides in its order. A row is read towards its columns:
    `stronger` says that the side of the row dominates that of the column.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    sides = dict.fromkeys([*(row.text("a") for row in rows), *(row.text("b") for row in rows)])
    named = {side: side for side in sides}
    grid = Grid(
        title=TITLE,
        sentence=_sentence(rows, len(sides)),
        row_title="this side is",
        column_title="against",
        rows=named,
        columns=named,
        fields={"reason": "why"},
    )
    cells = (
        Cell(row.text("a"), row.text("b"), row.text("relation"), details={"reason": row.text("reason")}) for row in rows
    )
    return state_matrix(cells, grid, theme=theme, width=width)


def _sentence(rows: Sequence[Row], sides: int) -> str:
    pairs: dict[frozenset[str], str] = {}
    won = []
    for row in rows:
        pair = frozenset((row.text("a"), row.text("b")))
        if pair in pairs:
            continue
        pairs[pair] = row.text("relation")
        winner = {"a-dominates-b": ("a", "b"), "b-dominates-a": ("b", "a")}.get(row.text("relation"))
        if winner is not None:
            stronger, weaker = (shown(row.text(side), 40) for side in winner)
            won.append(f"{stronger} dominates {weaker}")
    undecided = [
        f"{count:,} {relation}"
        for relation in ("equivalent", "incomparable")
        if (count := sum(found == relation for found in pairs.values()))
    ]
    told = [listed(won)] if won else ["none dominates another"]
    return f"{counted(len(pairs), 'pair')} of {counted(sides, 'side')}: {'; '.join([*told, *undecided])}."

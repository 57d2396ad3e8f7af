"""What a measurement came to: catch rates in groups, and operator by operation what became of every defect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from evalnb.harness.mutants.spec import USER_OPERATOR
from evalnb.view.charts.cells import Cell, Grid, state_matrix
from evalnb.view.charts.chart import WIDTH, EvalChart, Width, nothing_to_show
from evalnb.view.charts.intervals import Rate, Terms, interval_chart
from evalnb.view.charts.rate_line import BESIDE_SHORT
from evalnb.view.charts.rows import Row, rows_of
from evalnb.view.charts.text import counted, listed, shown
from evalnb.view.theme import STATE_STYLES, Theme, style_of

RATES_TITLE: Final = "Defects caught, by "
MATRIX_TITLE: Final = "Every planted defect"
MOST_GROUPS: Final = 60
"""How many groups are drawn; the sentence counts the others."""
NOWHERE: Final = "nowhere shown"
FIELDS: Final = {
    "mutant": "defect",
    "summary": "what is wrong",
    "severity": "severity",
    "caught_by": "caught by",
    "reasons": "why",
}


def mutant_catch_rates(
    frame: pd.DataFrame, grouping: str = "operator", *, theme: Theme = "light", width: Width = WIDTH
) -> EvalChart:
    """A dot and its interval a group, from the frame `mutant_rates`; two of them where there is a before and an after.

    `grouping` is one of the frame's: total, operator, operation, behavior or severity. Of more than 60 groups the first
    are drawn.
    """
    rows = [row for row in rows_of(frame) if row.text("grouping") == grouping]
    title = RATES_TITLE + ("system" if grouping == "total" else grouping)
    if not rows:
        return nothing_to_show(title=title, theme=theme, width=width)
    several = len({row.text("system") for row in rows}) > 1
    stages = len({row.text("stage") for row in rows}) > 1
    named = [(_group(row, several), row) for row in rows]
    groups = list(dict.fromkeys(name for name, _ in named))
    drawn = set(groups[:MOST_GROUPS])
    rates = [_MutantRate(name, row.text("stage") if stages else "", row) for name, row in named if name in drawn]
    axis, groups_title = "caught of judged defects", "system" if grouping == "total" else grouping
    terms = Terms(axis, groups_title, "contract", BESIDE_SHORT)
    sentence = _rates_sentence(rates, len(groups))
    return interval_chart(rates, title=title, sentence=sentence, theme=theme, width=width, terms=terms)


def mutant_matrix(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """Operator by operation, from the frame `mutants`: what became of the defect; a person's own each have a row.

    An empty cell is an operator that does not apply to the operation.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=MATRIX_TITLE, theme=theme, width=width)
    operations = dict.fromkeys(row.text("operation") or NOWHERE for row in rows)
    grid = Grid(
        title=MATRIX_TITLE,
        sentence=_matrix_sentence(rows),
        row_title="operator",
        column_title="operation",
        rows={_kind(row): _kind(row) for row in rows},
        columns={operation: operation.partition("/")[2] or operation for operation in operations},
        fields=FIELDS,
    )
    cells = (
        Cell(
            _kind(row),
            row.text("operation") or NOWHERE,
            row.text("status"),
            details={
                "mutant": row.text("mutant_id"),
                **{name: row.text(name) for name in FIELDS if name != "mutant"},
            },
        )
        for row in rows
    )
    return state_matrix(cells, grid, theme=theme, width=width)


@dataclass(frozen=True, slots=True)
class _MutantRate(Rate):
    @property
    def counts(self) -> str:
        judged = self.row.count("judged")
        return f"{self.row.count('caught'):,} of {judged:,}" if judged else "none judged"


def _group(row: Row, several: bool) -> str:
    """A group under its system's name where there are several; all of a system under that name alone."""
    if row.text("grouping") == "total":
        return row.text("system")
    return f"{row.text('system')}: {row.text('group')}" if several else row.text("group")


def _kind(row: Row) -> str:
    return (
        f"own: {row.text('mutant_id').removeprefix('user-')}"
        if row.text("operator") == USER_OPERATOR
        else row.text("operator")
    )


def _rates_sentence(rates: Sequence[Rate], groups: int) -> str:
    left_out = f" (the first {MOST_GROUPS} are drawn)" if groups > MOST_GROUPS else ""
    told = []
    for stage in dict.fromkeys(rate.series for rate in rates):
        known = [rate for rate in rates if rate.series == stage and rate.row.number("rate") is not None]
        caught, judged = (sum(rate.row.count(name) for rate in known) for name in ("caught", "judged"))
        blind = [shown(rate.probe_class, 40) for rate in known if not rate.row.number("rate")]
        nothing = f", nothing in {listed(blind)}" if blind else ""
        told.append(f"{stage + ': ' if stage else ''}{caught:,} of {judged:,} caught{nothing}")
    return f"{counted(groups, 'group')}{left_out}; {'; '.join(told)}."


def _matrix_sentence(rows: Sequence[Row]) -> str:
    states = Counter(row.text("status") for row in rows)
    order = [*STATE_STYLES, *states]
    told = ", ".join(f"{states[state]:,} {style_of(state).label}" for state in sorted(states, key=order.index))
    return f"{counted(len(rows), 'planted defect')}: {told}."

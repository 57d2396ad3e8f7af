"""Whether the environment could be measured: every pre-flight check, by what it checks and which operation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pandas as pd

from evalnb.view.charts.cells import Cell, Grid, state_matrix
from evalnb.view.charts.chart import WIDTH, EvalChart, Width, nothing_to_show
from evalnb.view.charts.rows import Row, rows_of
from evalnb.view.charts.text import counted, listed, shown
from evalnb.view.theme import Theme

TITLE: Final = "Pre-flight"
WHOLE: Final = "environment"
BESIDE: Final = 8
"""How many operations stand beside each other; more stand below each other, with the kinds as columns."""
FIELDS: Final = {"checks": "checks", "note": "note"}


def preflight_board(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """Kind of check by operation, from the frame `preflight_checks`: satisfied, failed or exempt.

    Where a kind checks an operation more than once, a failure shows before a success and that before an exemption.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    together: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        together.setdefault((_operation(row), row.text("kind")), []).append(row)
    present = {kind for _, kind in together}
    kinds = {kind: kind.replace("-", " ") for kind in frame["kind"].cat.categories if kind in present}
    operations = _operations(rows)
    beside = len(operations) <= BESIDE
    grid = Grid(
        title=TITLE,
        sentence=_sentence(rows),
        row_title="check" if beside else "operation",
        column_title="operation" if beside else "check",
        rows=kinds if beside else operations,
        columns=operations if beside else kinds,
        fields=FIELDS,
    )
    cells = (
        _cell(kind if beside else operation, operation if beside else kind, checks)
        for (operation, kind), checks in together.items()
    )
    return state_matrix(cells, grid, theme=theme, width=width)


def _cell(row: str, column: str, checks: Sequence[Row]) -> Cell:
    outcomes = Counter(check.text("outcome") for check in checks)
    shows = next(outcome for outcome in ("failed", "satisfied", "exempt") if outcomes[outcome])
    notes = [check.text("note") for check in checks if check.text("outcome") == shows and check.text("note")]
    return Cell(
        row,
        column,
        shows,
        details={
            "checks": ", ".join(f"{number} {outcome}" for outcome, number in outcomes.items()),
            "note": listed(shown(note, 120) for note in notes),
        },
    )


def _operation(row: Row) -> str:
    operation = row.optional("operation_id")
    return "" if operation is None else f"{row.text('interface_id')}/{operation}"


def _operations(rows: Sequence[Row]) -> dict[str, str]:
    """The operations in the order of the verdict; with their interface where there is more than one."""
    interfaces = {row.text("interface_id") for row in rows if row.optional("interface_id") is not None}
    named = {"": WHOLE} if any(not _operation(row) for row in rows) else {}
    for row in rows:
        key = _operation(row)
        if key:
            named[key] = key if len(interfaces) > 1 else row.text("operation_id")
    return named


def _sentence(rows: Sequence[Row]) -> str:
    outcomes = Counter(row.text("outcome") for row in rows)
    told = f"{outcomes['satisfied']:,} of {counted(len(rows), 'check')} satisfied"
    if outcomes["exempt"]:
        told += f", {outcomes['exempt']:,} exempt"
    failed = [
        f"{row.text('kind')} of {shown(row.optional('operation_id') or WHOLE, 40)}"
        for row in rows
        if row.text("outcome") == "failed"
    ]
    return f"{told}; failed: {listed(failed)}." if failed else f"{told}, none failed."

"""Which planted defects were caught, by which oracles, and which oracles let them pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import pandas as pd

from evalnb.view.charts.cells import Cell, Grid, state_matrix
from evalnb.view.charts.chart import WIDTH, EvalChart, Width, nothing_to_show
from evalnb.view.charts.order import by_severity, natural
from evalnb.view.charts.rows import Row, rows_of
from evalnb.view.charts.text import counted, listed, shown
from evalnb.view.theme import Theme

TITLE: Final = "Defects caught"
RESULT: Final = "result"
FIELDS: Final = {
    "probe": "probe",
    "probe_class": "class",
    "severity": "severity",
    "summary": "what was planted",
    "trials": "caught in",
}


def defects_caught(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """Defect by oracle, from the frame `defects`: caught or missed; the first column is what it came to.

    Defects stand by severity, then by number. An oracle that had nothing to say of a defect leaves its cell empty.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    named = _named(rows)
    oracles = sorted({one for row in rows for one in (*_ids(row, "caught_by"), *_ids(row, "missed_by"))}, key=natural)
    grid = Grid(
        title=TITLE,
        sentence=_sentence(rows),
        row_title="defect",
        column_title="result, and by oracle",
        rows={key: named[key] for key in by_severity({_key(row): row.optional("severity") for row in rows})},
        columns={RESULT: RESULT, **{f"oracle {oracle}": oracle for oracle in oracles}},
        fields=FIELDS,
    )
    return state_matrix((cell for row in rows for cell in _cells(row)), grid, theme=theme, width=width)


def _cells(row: Row) -> Iterator[Cell]:
    valid = row.count("valid_count")
    details = {
        "probe": row.text("probe_id"),
        "probe_class": row.text("probe_class"),
        "severity": row.text("severity"),
        "summary": row.text("summary"),
        "trials": f"{row.count('caught_count')} of {counted(valid, 'valid trial')}" if valid else "",
    }
    yield Cell(_key(row), RESULT, row.text("result"), details=details)
    for oracle in _ids(row, "caught_by"):
        yield Cell(_key(row), f"oracle {oracle}", "caught", details=details)
    for oracle in _ids(row, "missed_by"):
        yield Cell(_key(row), f"oracle {oracle}", "missed", details=details)


def _ids(row: Row, column: str) -> list[str]:
    return [part for part in row.text(column).split(", ") if part]


def _key(row: Row) -> str:
    """A defect is one of its probe and run; the key sorts by the defect first."""
    return "\n".join((_name(row), row.text("probe_id"), row.text("run_id")))


def _name(row: Row) -> str:
    """The defect, or the probe where the probe itself is the defect."""
    return row.text("defect_id") or row.text("probe_id")


def _named(rows: Sequence[Row]) -> dict[str, str]:
    """What each defect is called: with its severity, and with its probe where its id alone would name two."""
    keys = {_key(row): row for row in rows}
    uses = Counter(_name(row) for row in keys.values())
    named = {}
    for key, row in keys.items():
        probe = row.text("probe_id") if uses[_name(row)] > 1 and row.text("defect_id") else ""
        named[key] = " ".join(part for part in (_name(row), probe, row.text("severity")) if part)
    return named


def _sentence(rows: Sequence[Row]) -> str:
    results = Counter(row.text("result") for row in rows)
    told = f"{results['caught']:,} of {counted(len(rows), 'planted defect')} caught"
    missed = [
        f"{shown(_name(row), 40)} ({row.text('severity') or 'severity unknown'})"
        for row in rows
        if row.text("result") == "missed"
    ]
    parts = [f"missed {listed(missed)}"] if missed else []
    parts += [f"{results[other]:,} {other}" for other in ("not exercised", "invalid") if results[other]]
    return f"{'; '.join([told, *parts])}."

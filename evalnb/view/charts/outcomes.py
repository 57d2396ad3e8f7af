"""How every oracle came out against every probe, trial by trial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pandas as pd

from evalnb.view.charts.cells import Cell, Grid, state_matrix
from evalnb.view.charts.chart import WIDTH, EvalChart, Width, nothing_to_show
from evalnb.view.charts.order import by_severity, natural, worst
from evalnb.view.charts.rows import Row, rows_of
from evalnb.view.charts.text import counted
from evalnb.view.theme import STATE_STYLES, Theme, style_of

TITLE: Final = "Outcomes"
APART: Final = 40
"""How many trials, over all probes, are still drawn one by one."""
FIELDS: Final = {
    "severity": "severity",
    "probe_class": "class",
    "disposition": "evaluator said",
    "resolution": "check resolved to",
    "corroboration": "check and evaluator",
    "finding_id": "finding",
    "observation_ids": "observations",
}


def outcome_matrix(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """Oracle by probe and trial, from the frame `outcomes`.

    Probes stand by severity, then by number. Beyond 40 trials over all probes, the trials of a probe share a cell,
    which shows their common state or that they differ; its tooltip counts them.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    probes = _probes(rows)
    oracles = sorted({row.text("oracle_id") for row in rows}, key=natural)
    trials = sorted({row.text("trial_index") for row in rows}, key=natural)
    apart = len(trials) > 1 and len(trials) * len(probes) <= APART
    grid = Grid(
        title=TITLE,
        sentence=_sentence(rows, len(oracles), len(probes), len(trials)),
        row_title="oracle",
        column_title="probe",
        rows={oracle: oracle for oracle in oracles},
        columns=probes,
        slots=trials if apart else (),
        slot_title="trial",
        fields=FIELDS,
    )
    cells = (
        Cell(
            row=row.text("oracle_id"),
            column=_probe(row),
            state=row.text("state"),
            slot=row.text("trial_index") if apart else "",
            details={name: row.text(name) for name in FIELDS},
        )
        for row in rows
    )
    return state_matrix(cells, grid, theme=theme, width=width)


def _probe(row: Row) -> str:
    """A probe is one of its run: a corpus may score the same one in several."""
    return f"{row.text('probe_id')}\n{row.text('run_id')}"


def _probes(rows: Sequence[Row]) -> dict[str, str]:
    """The probes in order, named by their id, and by their run where an id alone would name two."""
    severities: dict[str, list[str | None]] = {}
    named = {_probe(row): row for row in rows}
    for row in rows:
        severities.setdefault(_probe(row), []).append(row.optional("severity"))
    uses = Counter(row.text("probe_id") for row in named.values())
    return {
        key: named[key].text("probe_id")
        if uses[named[key].text("probe_id")] == 1
        else f"{named[key].text('probe_id')} {named[key].text('run_id')}"
        for key in by_severity({key: worst(found) for key, found in severities.items()})
    }


def _sentence(rows: Sequence[Row], oracles: int, probes: int, trials: int) -> str:
    states = Counter(row.text("state") for row in rows)
    order = [*STATE_STYLES, *states]
    told = ", ".join(f"{states[state]:,} {style_of(state).label}" for state in sorted(states, key=order.index))
    over = f"{counted(probes, 'probe')} and {counted(trials, 'trial')}"
    return f"{counted(oracles, 'oracle')} over {over}: {told}."

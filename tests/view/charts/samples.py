"""Small frames for charts, made by the columns that frames declare, and ways to read a specification."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd

from evalnb.view import charts, frames
from evalnb.view.charts import EvalChart
from evalnb.view.frames.columns import Columns, Vocabulary, columns_of, frame

assert frames.outcomes, "the columns are known once their frames are"

CHARTS: dict[str, Callable[..., EvalChart]] = {
    "outcomes": charts.outcome_matrix,
    "coverage": charts.coverage_matrix,
    "strength": charts.catch_rates,
    "corpus_strength": charts.strength_comparison,
    "defects": charts.defects_caught,
    "timeline": charts.evidence_timeline,
    "preflight_checks": charts.preflight_board,
    "dominance": charts.dominance_matrix,
    "mutant_rates": charts.mutant_catch_rates,
    "mutants": charts.mutant_matrix,
    "before_after": charts.catch_changes,
}
"""Every chart, by the frame it is drawn from."""


def table(name: str, *rows: dict[str, object]) -> pd.DataFrame:
    """A frame with the columns of the frame `name`; what a row leaves out is missing."""
    columns = columns_of(name)
    names = [column.name for column in columns]
    assert all(set(row) <= set(names) for row in rows), set().union(*rows) - set(names)
    return frame(columns, [{name: row.get(name) for name in names} for row in rows])


def outcome(oracle: str, probe: str, state: str, trial: int = 1, **more: object) -> dict[str, object]:
    return {"run_id": "r", "oracle_id": oracle, "probe_id": probe, "state": state, "trial_index": trial, **more}


def defect(name: str, severity: str, result: str, caught_by: str = "", missed_by: str = "") -> dict[str, object]:
    return {
        "run_id": "r",
        "probe_id": name.replace("D", "P"),
        "defect_id": name,
        "severity": severity,
        "result": result,
        "caught_by": caught_by,
        "missed_by": missed_by,
        "caught_count": 2,
        "valid_count": 3,
    }


def strength(name: str, caught: int, exercised: int, **more: object) -> dict[str, object]:
    rate = caught / exercised if exercised else None
    ends = {} if rate is None else {"low": rate / 2, "high": (1 + rate) / 2}
    return {
        "probe_class": name,
        "eligible": exercised,
        "exercised": exercised,
        "caught": caught,
        "rate": rate,
        "confidence": 0.95,
        "comparable": True,
        **ends,
        **more,
    }


def call(sequence: int, operation: str, finding: str | None = None, **more: object) -> dict[str, object]:
    said = {} if finding is None else {"finding_id": finding, "finding_type": "defect", "severity": "material"}
    return {
        "run_id": "r",
        "probe_id": "P-001",
        "trial_index": 1,
        "sequence": sequence,
        "observation_id": f"obs-{sequence}",
        "interface_id": "desk",
        "operation_id": operation,
        "answer": "200",
        **said,
        **more,
    }


def check(kind: str, operation: str | None, result: str, note: str | None = None) -> dict[str, object]:
    interface = None if operation is None else "desk"
    return {"kind": kind, "interface_id": interface, "operation_id": operation, "outcome": result, "note": note}


def mutant_rate(stage: str, operator: str, caught: int, judged: int) -> dict[str, object]:
    ends = {"low": caught / judged / 2, "high": (1 + caught / judged) / 2, "confidence": 0.95}
    counts = {"caught": caught, "judged": judged, "rate": caught / judged}
    return {"system": "desk", "stage": stage, "grouping": "operator", "group": operator, **counts, **ends}


def mutant(operator: str, operation: str | None, status: str, **more: object) -> dict[str, object]:
    name = f"{operator}-{operation}"
    return {
        "system": "desk",
        "stage": "measured",
        "mutant_id": name,
        "operator": operator,
        "operation": operation,
        "summary": "something is wrong",
        "status": status,
        **more,
    }


def changed(system: str, before: float | None, after: float) -> dict[str, object]:
    known = before is not None
    return {
        "system": system,
        "grouping": "total",
        "group": "all",
        "caught_before": 1 if known else None,
        "judged_before": 4 if known else None,
        "rate_before": before,
        "caught_after": 4,
        "judged_after": 4,
        "rate_after": after,
        "change": after - before if before is not None else None,
    }


SAMPLES: dict[str, pd.DataFrame] = {
    "outcomes": table(
        "outcomes",
        outcome("O-001", "P-001", "caught", severity="material"),
        outcome("O-002", "P-001", "missed", severity="material"),
        outcome("O-001", "P-002", "not-applicable", severity="critical"),
    ),
    "coverage": table(
        "coverage",
        {"contract": "desk", "rule": "whole-body", "status": "gap", "severity": "low", "reason": "nobody looks"},
        {"contract": "desk", "rule": "per-record", "status": "witnessed", "severity": "low", "reason": "all seen"},
    ),
    "strength": table("strength", strength("defect", 3, 4), strength("gameability", 0, 0)),
    "corpus_strength": table(
        "corpus_strength",
        {"corpus": "old", **strength("defect", 1, 4)},
        {"corpus": "new", **strength("defect", 3, 4)},
    ),
    "defects": table(
        "defects",
        defect("D-002", "low", "caught", caught_by="O-001, O-010"),
        defect("D-001", "critical", "missed", missed_by="O-002"),
    ),
    "timeline": table("timeline", call(1, "open"), call(2, "read", "F-001"), call(5, "open", "F-001")),
    "preflight_checks": table(
        "preflight_checks",
        check("interface-present", "open", "satisfied"),
        check("state-reset", None, "failed", "two projections differ"),
    ),
    "dominance": table(
        "dominance",
        {"a": "old", "b": "new", "relation": "b-dominates-a", "reason": "more"},
        {"a": "new", "b": "old", "relation": "a-dominates-b", "reason": "more"},
    ),
    "mutant_rates": table(
        "mutant_rates",
        mutant_rate("before", "dropped-write", 0, 2),
        mutant_rate("before", "wrong-type", 1, 4),
        mutant_rate("after", "dropped-write", 2, 2),
        mutant_rate("after", "wrong-type", 3, 4),
    ),
    "mutants": table(
        "mutants",
        mutant("dropped-write", "desk/open", "caught", severity="critical", caught_by="O-001"),
        mutant("dropped-write", "desk/list", "equivalent", reasons="no answer differed"),
        mutant("wrong-type", "desk/open", "missed", severity="low"),
        mutant("user", None, "equivalent"),
    ),
    "before_after": table("before_after", changed("desk", 0.25, 1.0), changed("memory", None, 0.5)),
}
"""A small frame for every chart."""


def hostile(name: str, payloads: Sequence[str], repeat: int = 3) -> pd.DataFrame:
    """A frame in which every free text is a payload, and every payload occurs in every such column."""
    columns: Columns = columns_of(name)

    def value(place: int, position: int, column: Any) -> object:
        if isinstance(column.dtype, Vocabulary):
            return column.dtype.terms[place % len(column.dtype.terms)]
        if column.dtype == "string":
            return payloads[(place + position) % len(payloads)]
        return {"Int64": place + 1, "Float64": 0.5, "boolean": True}[column.dtype]

    rows = [
        {column.name: value(place, position, column) for position, column in enumerate(columns)}
        for place in range(len(payloads) * repeat)
    ]
    return frame(columns, rows)


def layers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The layers of a chart."""
    return list(spec["layer"])


def mark(layer: dict[str, Any]) -> str:
    """The kind of mark of a layer."""
    return str(layer["mark"]["type"])


def layer_of(spec: dict[str, Any], kind: str) -> dict[str, Any]:
    """The first layer with marks of this kind."""
    return next(layer for layer in layers(spec) if mark(layer) == kind)


def domain(spec: dict[str, Any], channel: str, kind: str = "point") -> list[str]:
    """The domain of a channel's scale."""
    return list(layer_of(spec, kind)["encoding"][channel]["scale"]["domain"])


def data(spec: dict[str, Any], layer: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """The data of a chart, or of one of its layers."""
    return list(spec["datasets"][(layer or spec)["data"]["name"]])


def walk(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every leaf of a specification with its path."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from walk(value, (*path, key))
    elif isinstance(part, list):
        for value in part:
            yield from walk(value, path)
    else:
        yield path, part


def assert_one_sentence(spec: dict[str, Any]) -> None:
    """The description is one sentence with a figure in it, and stands under the title."""
    sentence = spec["description"]
    assert sentence.endswith(".")
    assert re.search(r"\d", sentence)
    assert sentence == " ".join(spec["title"]["subtitle"])
    assert len(sentence) <= 400


def assert_plain_tooltips(spec: dict[str, Any]) -> None:
    """Every mark has a tooltip, of fields and titles alone."""
    for layer in layers(spec):
        lines = layer["encoding"]["tooltip"]
        assert lines
        assert all(set(line) <= {"field", "type", "title", "format"} for line in lines)

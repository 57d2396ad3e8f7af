"""The dominance comparison against the reference table."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from evalnb.engine.artifacts import Strength, Trials
from evalnb.engine.score.dominance import DOMINANCE_RELATIONS, DominanceSide, compare_dominance
from tests.conformance.reference import params, rows

FILE = "dominance.json"
CASES = rows("cases", FILE)


def of_kind(kind: str) -> list[Any]:
    return params([case for case in CASES if case["kind"] == kind], source=f"{FILE} {kind}")


def loosely(written: Any) -> Any:
    """A part with snake_case attributes: the table names probes and severities as no document could."""
    if isinstance(written, list):
        return tuple(loosely(entry) for entry in written)
    if isinstance(written, dict):
        return SimpleNamespace(**{snake(key): loosely(value) for key, value in written.items()})
    return written


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def side(written: dict[str, Any]) -> DominanceSide:
    return DominanceSide(
        scored_probe_id=written["scoredProbeId"],
        reduced_probe_outcomes=loosely(written["reducedProbeOutcomes"]),
        outcomes=loosely(written["outcomes"]),
        trials=Trials.model_validate(written["trials"]),
        strength=Strength.model_validate(written["strength"]),
        comparability_key=written["comparabilityKey"],
    )


@pytest.mark.parametrize("case", of_kind("dominance"))
def test_two_runs_stand_as_the_table_says(case: dict[str, Any]) -> None:
    assert compare_dominance(side(case["a"]), side(case["b"]), case["severityFloor"]) == case["expected"]


@pytest.mark.parametrize("case", of_kind("relations"))
def test_there_are_these_relations_and_no_others(case: dict[str, Any]) -> None:
    assert list(DOMINANCE_RELATIONS) == case["values"]

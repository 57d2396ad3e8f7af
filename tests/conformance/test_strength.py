"""Strength vectors, comparability and the strength block against the reference table."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from evalnb.engine.score.strength import is_comparable, state_strength, strength_vector
from tests.conformance.reference import params, rows

FILE = "strength.json"
CASES = rows("cases", FILE)


def of_kind(kind: str) -> list[Any]:
    return params([case for case in CASES if case["kind"] == kind], source=f"{FILE} {kind}")


@pytest.mark.parametrize("case", of_kind("vector"))
def test_a_vector_counts_each_eligible_probe_once(case: dict[str, Any]) -> None:
    admitted = [
        SimpleNamespace(
            probe_id=probe["probeId"], probe_class=probe["probeClass"], expected_clean=probe["expectedClean"]
        )
        for probe in case["admitted"]
    ]
    results = {
        probe_id: SimpleNamespace(exercised=result["exercised"], caught=result["caught"])
        for probe_id, result in case["trialSetResults"].items()
    }
    vector = strength_vector(admitted, results)
    assert vector.model_dump(mode="json", by_alias=True) == case["expected"]


@pytest.mark.parametrize("case", of_kind("comparable"))
def test_a_run_is_comparable_with_enough_trials_and_nothing_unreached(case: dict[str, Any]) -> None:
    answer = is_comparable(case["completed"], case["declaredMinimum"], case["unreachedOutcomeCount"])
    assert answer is case["expected"]


@pytest.mark.parametrize("case", of_kind("strength-block"))
def test_the_strength_block_says_what_it_counts_and_what_is_short(case: dict[str, Any]) -> None:
    stated = state_strength(
        case["admittedCount"], case["completed"], case["declaredMinimum"], case["unreachedOracleIds"]
    )
    expected = case["expected"]
    assert stated.denominator == expected["denominator"]
    assert stated.comparable is expected["comparable"]
    assert stated.note == expected["note"]

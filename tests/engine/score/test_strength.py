"""Strength counts a probe once, only where it was exercised, and says when it may not be compared."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.score.strength import STRENGTH_CLASSES, class_of, is_comparable, state_strength, strength_vector


@dataclass(frozen=True)
class Admitted:
    probe_id: str
    probe_class: str
    expected_clean: bool = False


@dataclass(frozen=True)
class Reduced:
    exercised: bool
    caught: bool


CAUGHT, MISSED, UNEXERCISED = Reduced(True, True), Reduced(True, False), Reduced(False, False)


def test_the_rate_is_the_quotient_of_caught_and_exercised() -> None:
    admitted = [Admitted(f"P-00{n}", "defect") for n in range(1, 5)]
    results = {"P-001": CAUGHT, "P-002": MISSED, "P-003": MISSED, "P-004": UNEXERCISED}
    defect = strength_vector(admitted, results).defect
    assert defect is not None
    assert (defect.caught, defect.exercised, defect.rate) == (1, 3, 1 / 3)


def test_a_class_without_probes_is_absent_and_one_without_exercise_has_no_rate() -> None:
    vector = strength_vector([Admitted("P-001", "zero-action")], {})
    assert vector.defect is None
    assert vector.zero_action is not None
    assert (vector.zero_action.exercised, vector.zero_action.rate) == (0, None)


@pytest.mark.parametrize(
    "probe", [Admitted("P-001", "canary"), Admitted("P-001", "defect", True), Admitted("P-001", "zero-action", True)]
)
def test_canaries_and_clean_controls_are_not_counted(probe: Admitted) -> None:
    vector = strength_vector([probe], {"P-001": CAUGHT})
    assert [class_of(vector, name) for name in STRENGTH_CLASSES] == [None, None, None]


def test_a_probe_named_twice_counts_once() -> None:
    defect = strength_vector([Admitted("P-001", "defect")] * 2, {"P-001": CAUGHT}).defect
    assert defect is not None
    assert defect.exercised == 1


PROBES = st.builds(
    Admitted,
    st.sampled_from([f"P-00{n}" for n in range(6)]),
    st.sampled_from((*STRENGTH_CLASSES, "canary")),
    st.booleans(),
)
RESULTS = st.dictionaries(
    st.sampled_from([f"P-00{n}" for n in range(6)]), st.builds(Reduced, st.booleans(), st.booleans())
)


@given(st.lists(PROBES), RESULTS)
def test_caught_never_exceeds_exercised_and_order_changes_nothing(
    admitted: list[Admitted], results: dict[str, Reduced]
) -> None:
    vector = strength_vector(admitted, results)
    assert strength_vector(admitted[::-1], results) == vector
    for name in STRENGTH_CLASSES:
        strength = class_of(vector, name)
        if strength is not None:
            assert 0 <= strength.caught <= strength.exercised
            assert (strength.rate is None) == (strength.exercised == 0)


def test_a_run_compares_with_its_minimum_of_trials_and_every_oracle_reached() -> None:
    assert is_comparable(3, 3, 0)
    assert not is_comparable(2, 3, 0)
    assert not is_comparable(3, 3, 1)


def test_the_note_names_what_is_short() -> None:
    assert state_strength(1, 3, 3, []).note == "1 admitted probe over 3 completed trials."
    short = state_strength(1, 1, 2, ["O-001", "O-001"])
    assert short.note == (
        "1 admitted probe over 1 completed trial. Below the declared minimum of 2. O-001, O-001 resolved unreached. "
        "The vector is reported and marked non-comparable."
    )
    assert short.denominator.endswith("across 1 completed trial")

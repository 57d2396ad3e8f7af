"""Dominance is an order where there is one, says so where there is none, and never overrides a missed catch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, Outcome, ReducedProbeOutcome, Strength, Trials, read
from evalnb.engine.artifacts.evidence import ClassStrength, StrengthVector, TrialVote
from evalnb.engine.score.dominance import DominanceSide, compare_dominance
from tests.conformance.evidence_specs import build_evidence

KEY = "sha256:" + "0" * 64
MIRRORED = {"a-dominates-b": "b-dominates-a", "b-dominates-a": "a-dominates-b"}


def rated(caught: int, exercised: int) -> ClassStrength:
    return ClassStrength(caught=caught, exercised=exercised, rate=caught / exercised if exercised else None)


def side(caught: bool | None = None, *, severity: Any = "critical", **classes: ClassStrength) -> DominanceSide:
    """A run over three trials of one probe, caught or missed, or over none."""
    vector = StrengthVector(**{"defect": None, "gameability": None, "zero_action": None, **classes})
    strength = Strength(denominator="probes", basis="measured", vector=vector, comparable=True, note=None)
    if caught is None:
        trials = Trials(declared_minimum=1, completed=0, completed_attempts=(), invalidated_attempts=())
        return DominanceSide(None, (), (), trials, strength, KEY)
    state: Any = "caught" if caught else "missed"
    outcome = Outcome(
        oracle_id="O-001",
        trial_index=1,
        probe_id="P-001",
        state=state,
        severity=severity,
        disposition="held",
        resolved_from=None,
        corroboration="agrees",
        selected_observation_ids=(),
        check_resolution=None,
    )
    reduction = ReducedProbeOutcome(
        probe_id="P-001",
        severity=severity,
        exercised=True,
        caught=caught,
        catch_threshold=0.5,
        trial_votes=(TrialVote(trial_index=1, state=state),),
        valid_count=1,
        caught_count=int(caught),
        invalidated_attempts=(),
    )
    trials = Trials(declared_minimum=1, completed=1, completed_attempts=(1,), invalidated_attempts=())
    return DominanceSide("P-001", (reduction,), (outcome,), trials, strength, KEY)


def test_a_better_rate_in_one_class_and_no_worse_in_the_others_dominates() -> None:
    a = side(defect=rated(3, 4), gameability=rated(1, 2))
    b = side(defect=rated(1, 4), gameability=rated(1, 2))
    assert compare_dominance(a, b, "low") == "a-dominates-b"
    assert compare_dominance(b, a, "low") == "b-dominates-a"


@pytest.mark.parametrize(
    "a, b",
    [
        (side(defect=rated(3, 4), gameability=rated(0, 2)), side(defect=rated(1, 4), gameability=rated(1, 2))),
        (side(defect=rated(1, 2)), side(defect=rated(2, 4))),
        (side(defect=rated(1, 1)), side(gameability=rated(1, 1))),
        (side(defect=rated(0, 0)), side(defect=rated(1, 1))),
        (side(), side()),
    ],
)
def test_each_winning_one_class_equal_rates_and_no_shared_class_do_not_compare(
    a: DominanceSide, b: DominanceSide
) -> None:
    assert compare_dominance(a, b, "low") == "incomparable"


def test_the_same_counts_are_equivalent_whatever_was_caught() -> None:
    a, b = side(True, defect=rated(1, 2)), side(False, defect=rated(1, 2))
    assert compare_dominance(a, b, "low") == "equivalent"


def test_another_key_a_short_run_or_a_bent_reduction_does_not_compare() -> None:
    strong, weak = side(True, defect=rated(3, 4)), side(False, defect=rated(1, 4))
    assert compare_dominance(strong, weak, "low") == "a-dominates-b"
    other_key = replace(weak, comparability_key="sha256:" + "1" * 64)
    short = replace(weak, strength=weak.strength.model_copy(update={"comparable": False}))
    bent = replace(weak, reduced_probe_outcomes=(weak.reduced_probe_outcomes[0].model_copy(update={"caught": True}),))
    for spoilt in (other_key, short, bent):
        assert compare_dominance(strong, spoilt, "low") == "incomparable"
        assert compare_dominance(spoilt, strong, "low") == "incomparable"


@pytest.mark.parametrize(
    "severity, floor, expected",
    [
        ("critical", "material", "incomparable"),
        ("material", "material", "incomparable"),
        ("low", "material", "a-dominates-b"),
        ("critical", "blocker", "a-dominates-b"),
    ],
)
def test_missing_what_the_other_caught_at_the_floor_costs_the_dominance(
    severity: str, floor: str, expected: str
) -> None:
    favoured = side(False, severity=severity, defect=rated(3, 4))
    other = side(True, severity=severity, defect=rated(1, 4))
    assert compare_dominance(favoured, other, floor) == expected
    assert compare_dominance(side(defect=rated(3, 4)), other, floor) == expected


def test_the_slice_of_an_artifact_is_equivalent_to_itself() -> None:
    document = build_evidence({"probeId": "P-001", "kind": "defect", "states": ["caught", "missed", "caught"]})
    cut = DominanceSide.of(read(EVIDENCE_ARTIFACT, document))
    assert compare_dominance(cut, cut, "low") == "equivalent"


RATES = st.integers(0, 3).flatmap(lambda exercised: st.builds(rated, st.integers(0, exercised), st.just(exercised)))
SIDES = st.builds(
    side,
    st.sampled_from((None, True, False)),
    severity=st.sampled_from(("low", "material", "critical")),
    defect=st.none() | RATES,
    gameability=st.none() | RATES,
)


@given(SIDES, SIDES, st.sampled_from(("low", "material", "critical")))
def test_exchanging_the_sides_mirrors_the_answer(a: DominanceSide, b: DominanceSide, floor: str) -> None:
    answer = compare_dominance(a, b, floor)
    assert compare_dominance(b, a, floor) == MIRRORED.get(answer, answer)

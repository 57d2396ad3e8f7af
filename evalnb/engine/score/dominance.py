"""Which of two scored runs shows the stronger contract, or that they cannot be put in an order.

Only runs over one scoring policy and probe set compare, and only while their reductions can be trusted. spec: 09 §9.3
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from evalnb.engine.artifacts.evidence import (
    ClassStrength,
    EvidenceArtifact,
    Outcome,
    ReducedProbeOutcome,
    Strength,
    Trials,
)
from evalnb.engine.score.consistency import reduction_consistency_issues
from evalnb.engine.score.severity import at_or_above
from evalnb.engine.score.strength import STRENGTH_CLASSES, class_of

Dominance = Literal["a-dominates-b", "b-dominates-a", "equivalent", "incomparable"]
DOMINANCE_RELATIONS: Final[tuple[Dominance, ...]] = get_args(Dominance)


@dataclass(frozen=True, slots=True)
class DominanceSide:
    """The slice of an evidence artifact that the comparison reads."""

    scored_probe_id: str | None
    reduced_probe_outcomes: tuple[ReducedProbeOutcome, ...]
    outcomes: tuple[Outcome, ...]
    trials: Trials
    strength: Strength
    comparability_key: str

    @classmethod
    def of(cls, artifact: EvidenceArtifact) -> DominanceSide:
        """The slice of `artifact`."""
        return cls(
            scored_probe_id=artifact.scored_probe_id,
            reduced_probe_outcomes=tuple(artifact.reduced_probe_outcomes),
            outcomes=tuple(artifact.outcomes),
            trials=artifact.trials,
            strength=artifact.strength,
            comparability_key=artifact.comparability_key,
        )


@dataclass(frozen=True, slots=True)
class SharedClass:
    """One class that both sides rate, the rates in 0..1."""

    a: ClassStrength
    b: ClassStrength
    a_rate: float
    b_rate: float

    @property
    def same_counts(self) -> bool:
        return self.a.caught == self.b.caught and self.a.exercised == self.b.exercised


def compare_dominance(a: DominanceSide, b: DominanceSide, severity_floor: str) -> Dominance:
    """How `a` stands to `b`.

    A side that misses what the other caught at or above `severity_floor` never dominates it; a floor or severity
    outside the three known ones overrides nothing. spec: 09 §9.3
    """
    if a.comparability_key != b.comparability_key:
        return "incomparable"
    if not (a.strength.comparable and b.strength.comparable and _trusted(a) and _trusted(b)):
        return "incomparable"
    relation = _compare_classes(a, b)
    if relation == "a-dominates-b" and _misses_what_other_caught(a, b, severity_floor):
        return "incomparable"
    if relation == "b-dominates-a" and _misses_what_other_caught(b, a, severity_floor):
        return "incomparable"
    return relation


def _trusted(side: DominanceSide) -> bool:
    if reduction_consistency_issues(side.scored_probe_id, side.outcomes, side.reduced_probe_outcomes, side.trials):
        return False
    probes = [reduction.probe_id for reduction in side.reduced_probe_outcomes]
    return len(set(probes)) == len(probes)


def _compare_classes(a: DominanceSide, b: DominanceSide) -> Dominance:
    shared = list(_shared_classes(a, b))
    if not shared:
        return "incomparable"
    if all(pair.same_counts for pair in shared):
        return "equivalent"
    a_wins = any(pair.a_rate > pair.b_rate for pair in shared)
    b_wins = any(pair.b_rate > pair.a_rate for pair in shared)
    if a_wins == b_wins:
        return "incomparable"
    return "a-dominates-b" if a_wins else "b-dominates-a"


def _shared_classes(a: DominanceSide, b: DominanceSide) -> Iterator[SharedClass]:
    for name in STRENGTH_CLASSES:
        left, right = class_of(a.strength.vector, name), class_of(b.strength.vector, name)
        if left is None or right is None or left.rate is None or right.rate is None:
            continue
        yield SharedClass(left, right, left.rate, right.rate)


def _misses_what_other_caught(favoured: DominanceSide, other: DominanceSide, floor: str) -> bool:
    caught = {reduction.probe_id for reduction in favoured.reduced_probe_outcomes if reduction.caught}
    return any(
        reduction.caught and at_or_above(reduction.severity, floor) and reduction.probe_id not in caught
        for reduction in other.reduced_probe_outcomes
    )

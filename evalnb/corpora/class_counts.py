"""The sums behind a catch rate: how many probes of a class there are, were exercised and were caught."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evalnb.engine.aggregate.self_check import class_named
from evalnb.engine.artifacts.aggregate import StrengthClass
from evalnb.engine.artifacts.evidence import EvidenceArtifact
from evalnb.engine.score.strength import STRENGTH_CLASSES, class_of


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """One class. `comparable` is None where it has no probe."""

    probe_class: StrengthClass
    eligible: int = 0
    exercised: int = 0
    caught: int = 0
    comparable: bool | None = None

    @property
    def rate(self) -> float | None:
        """Caught over exercised, 0 to 1; None where nothing was exercised."""
        return self.caught / self.exercised if self.exercised else None


def count_classes(evidence: Iterable[EvidenceArtifact]) -> tuple[ClassCounts, ...]:
    """The three classes over evidence artifacts, each of which fills one class or none."""
    members: dict[StrengthClass, list[EvidenceArtifact]] = {name: [] for name in STRENGTH_CLASSES}
    for artifact in evidence:
        name = class_named(artifact)
        if name is not None:
            members[name].append(artifact)
    return tuple(_count(name, found) for name, found in members.items())


def _count(name: StrengthClass, members: list[EvidenceArtifact]) -> ClassCounts:
    strengths = [class_of(artifact.strength.vector, name) for artifact in members]
    return ClassCounts(
        probe_class=name,
        eligible=len(members),
        exercised=sum(strength.exercised for strength in strengths if strength is not None),
        caught=sum(strength.caught for strength in strengths if strength is not None),
        comparable=all(artifact.strength.comparable for artifact in members) if members else None,
    )

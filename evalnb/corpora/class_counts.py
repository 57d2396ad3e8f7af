"""The sums behind a catch rate: how many probes of a class there are, were exercised and were caught."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from evalnb.engine.aggregate.self_check import class_named
from evalnb.engine.artifacts import EvidenceArtifact
from evalnb.engine.artifacts.aggregate import StrengthClass
from evalnb.engine.score.strength import STRENGTH_CLASSES, class_of


class ClassifiedProbe(Protocol):
    """A probe, as far as counting reads it; without a class it is not counted."""

    @property
    def probe_class(self) -> StrengthClass | None: ...
    @property
    def exercised(self) -> bool: ...
    @property
    def caught(self) -> bool: ...
    @property
    def comparable(self) -> bool: ...


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

    def plus(self, exercised: int, caught: int, comparable: bool) -> ClassCounts:
        """These counts and those of one more eligible probe."""
        return ClassCounts(
            self.probe_class,
            self.eligible + 1,
            self.exercised + exercised,
            self.caught + caught,
            comparable if self.comparable is None else self.comparable and comparable,
        )


def count_probes(probes: Iterable[ClassifiedProbe]) -> tuple[ClassCounts, ...]:
    """The three classes over probes, each counted once."""
    counts = {name: ClassCounts(name) for name in STRENGTH_CLASSES}
    for probe in probes:
        name = probe.probe_class
        if name is not None:
            counts[name] = counts[name].plus(probe.exercised, probe.caught, probe.comparable)
    return tuple(counts.values())


def count_evidence(evidence: Iterable[EvidenceArtifact]) -> tuple[ClassCounts, ...]:
    """The three classes over evidence artifacts, by what each says of the one class it fills."""
    counts = {name: ClassCounts(name) for name in STRENGTH_CLASSES}
    for artifact in evidence:
        name = class_named(artifact)
        stated = None if name is None else class_of(artifact.strength.vector, name)
        if name is not None and stated is not None:
            counts[name] = counts[name].plus(stated.exercised, stated.caught, artifact.strength.comparable)
    return tuple(counts.values())

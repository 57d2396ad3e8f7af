"""What a corpus says of each probe, so that corpora can be laid side by side probe by probe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evalnb.corpora.class_counts import ClassCounts
from evalnb.engine.aggregate.self_check import class_named
from evalnb.engine.artifacts import EvidenceArtifact, ReducedProbeOutcome
from evalnb.engine.artifacts.aggregate import StrengthClass
from evalnb.engine.score.strength import STRENGTH_CLASSES


class ProbeKey(NamedTuple):
    """A probe as it was scored: an identifier means the same probe only under one scoring version."""

    scoring_version: str
    probe_id: str


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One probe in one corpus.

    A probe that a corpus scored more than once counts as caught only where every scoring that exercised it caught it,
    and as comparable only where every scoring is; `evidence` is then the scoring that decides, an uncaught one first.
    `probe_class` is None for clean controls and canaries.
    """

    key: ProbeKey
    probe_class: StrengthClass | None
    severity: str
    exercised: bool
    caught: bool
    comparable: bool
    caught_by: tuple[str, ...]
    scorings: int
    evidence: EvidenceArtifact


def probe_results(evidence: Iterable[EvidenceArtifact]) -> dict[ProbeKey, ProbeResult]:
    """The result of every probe, in the order the probes first occur."""
    scorings: dict[ProbeKey, list[EvidenceArtifact]] = {}
    for artifact in evidence:
        if artifact.scored_probe_id is not None:
            scorings.setdefault(ProbeKey(artifact.scoring_version, artifact.scored_probe_id), []).append(artifact)
    return {key: _result(key, members) for key, members in scorings.items()}


def count_results(results: Iterable[ProbeResult]) -> tuple[ClassCounts, ...]:
    """The three classes over probes, each counted once."""
    by_class: dict[StrengthClass, list[ProbeResult]] = {name: [] for name in STRENGTH_CLASSES}
    for result in results:
        if result.probe_class is not None:
            by_class[result.probe_class].append(result)
    return tuple(
        ClassCounts(
            probe_class=name,
            eligible=len(members),
            exercised=sum(result.exercised for result in members),
            caught=sum(result.caught for result in members),
            comparable=all(result.comparable for result in members) if members else None,
        )
        for name, members in by_class.items()
    )


def _result(key: ProbeKey, members: Sequence[EvidenceArtifact]) -> ProbeResult:
    exercised = [artifact for artifact in members if _reduction(artifact).exercised]
    deciding = min(exercised, key=lambda artifact: _reduction(artifact).caught, default=members[0])
    reduction = _reduction(deciding)
    return ProbeResult(
        key=key,
        probe_class=class_named(deciding),
        severity=reduction.severity,
        exercised=reduction.exercised,
        caught=reduction.exercised and reduction.caught,
        comparable=all(artifact.strength.comparable for artifact in members),
        caught_by=_catchers(deciding) if reduction.caught else (),
        scorings=len(members),
        evidence=deciding,
    )


def _reduction(artifact: EvidenceArtifact) -> ReducedProbeOutcome:
    """The one reduction that consistent evidence about a probe has."""
    return artifact.reduced_probe_outcomes[0]


def _catchers(artifact: EvidenceArtifact) -> tuple[str, ...]:
    return tuple(dict.fromkeys(outcome.oracle_id for outcome in artifact.outcomes if outcome.state == "caught"))

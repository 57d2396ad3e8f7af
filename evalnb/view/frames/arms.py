"""What frames are made of: the arms of a run, or evidence artifacts read on their own, seen alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from evalnb.corpora.scored import verdict_of
from evalnb.engine.aggregate.self_check import CONTROL_STATES, class_named
from evalnb.engine.artifacts.evidence import ContractScoringEvidence, EvidenceArtifact, ProductionEvidence
from evalnb.engine.artifacts.probe import Probe
from evalnb.evaluation import EvaluationRun
from evalnb.evaluation.run import ArmResult
from evalnb.view.frames.vocabularies import CLEAN_CONTROL, INVALID

RunSource: TypeAlias = EvaluationRun | EvidenceArtifact | Iterable[EvidenceArtifact | EvaluationRun]
"""A run, an evidence artifact, or any number of either."""


@dataclass(frozen=True, slots=True)
class SeenArm:
    """One arm. A run knows its probe and contract and keeps invalid arms; evidence alone has neither."""

    evidence: ProductionEvidence | ContractScoringEvidence | None
    run: EvaluationRun | None = None
    result: ArmResult | None = None

    @property
    def run_id(self) -> str:
        if self.evidence is not None:
            return self.evidence.run_id
        assert self.run is not None
        return self.run.evaluation.run_id

    @property
    def probe(self) -> Probe | None:
        return None if self.result is None else self.result.arm.probe

    @property
    def probe_id(self) -> str | None:
        if self.result is not None:
            return self.result.arm.probe.probe_id
        return None if self.evidence is None else self.evidence.scored_probe_id

    @property
    def probe_class(self) -> str | None:
        """The probe's class; evidence alone does not name a canary, nor a control that left no control's state."""
        probe = self.probe
        if probe is not None:
            return CLEAN_CONTROL if probe.expected_clean else probe.probe_class
        return None if self.evidence is None else class_of_evidence(self.evidence)

    @property
    def verdict(self) -> str:
        return INVALID if self.evidence is None else verdict_of(self.evidence)

    @property
    def exit_code(self) -> int:
        if self.evidence is not None:
            return self.evidence.exit_code
        assert self.result is not None
        return self.result.score.ladder.exit_code

    @property
    def basis(self) -> tuple[str, ...]:
        if self.evidence is not None:
            return self.evidence.verdict_basis
        assert self.result is not None
        return self.result.score.ladder.basis


def arms_of(source: RunSource) -> Iterator[SeenArm]:
    """The arms of `source` in its order."""
    if isinstance(source, EvaluationRun):
        for result in source.arms:
            yield SeenArm(result.evidence, source, result)
    elif isinstance(source, ProductionEvidence | ContractScoringEvidence):
        yield SeenArm(source)
    else:
        for member in source:
            yield from arms_of(member)


def class_of_evidence(evidence: ProductionEvidence | ContractScoringEvidence) -> str | None:
    """The class of the scored probe as far as the artifact tells it."""
    named = class_named(evidence)
    if named is not None:
        return named
    controlled = any(outcome.state in CONTROL_STATES for outcome in evidence.outcomes)
    return CLEAN_CONTROL if controlled else None

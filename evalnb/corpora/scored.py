"""One evidence artifact, boiled down to what a summary and a comparison read of it.

Thousands of whole artifacts kept alive cost more in memory and cycle collection than reading them, so that a corpus
keeps the bytes and reads an artifact again when somebody wants all of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from evalnb.corpora.quick_evidence import read_quickly
from evalnb.engine.aggregate.self_check import CONTROL_STATES, class_named
from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, EvidenceArtifact, read
from evalnb.engine.artifacts.aggregate import StrengthClass
from evalnb.engine.artifacts.evidence import (
    ContractScoringEvidence,
    ScoringVersionInputs,
    StrengthBasis,
    Verdict,
)
from evalnb.engine.artifacts.primitives import Severity
from evalnb.engine.canonical import scan_json


@dataclass(frozen=True, slots=True)
class ScoredProbe:
    """One probe as one artifact scored it.

    `probe_class` is None for clean controls and canaries; `is_control` tells a control that left a control's state.
    `caught_by` names the oracles with a catching outcome in some trial. `source` is the artifact, or its bytes.
    """

    probe_id: str
    probe_class: StrengthClass | None
    is_control: bool
    false_positive: bool
    severity: Severity
    exercised: bool
    caught: bool
    caught_by: tuple[str, ...]
    comparable: bool
    verdict: Verdict
    run_id: str
    scoring_version: str
    version_inputs: ScoringVersionInputs
    basis: StrengthBasis
    attested_inputs: tuple[str, ...]
    source: bytes | EvidenceArtifact

    @property
    def artifact(self) -> EvidenceArtifact:
        """The whole artifact; read again on every call where only its bytes are kept."""
        if not isinstance(self.source, bytes):
            return self.source
        quick = read_quickly(self.source)
        if quick is not None:
            return quick
        found: EvidenceArtifact = read(EVIDENCE_ARTIFACT, scan_json(self.source, EVIDENCE_ARTIFACT.name))
        return found


def scored_probe(artifact: EvidenceArtifact, data: bytes | None = None) -> ScoredProbe:
    """The facts of `artifact`, which agrees with itself and so has one reduction; `data` is what it was read from."""
    states = {outcome.state for outcome in artifact.outcomes}
    (reduction,) = artifact.reduced_probe_outcomes
    caught_by = {outcome.oracle_id: None for outcome in artifact.outcomes if outcome.state == "caught"}
    return ScoredProbe(
        probe_id=reduction.probe_id,
        probe_class=class_named(artifact),
        is_control=not states.isdisjoint(CONTROL_STATES),
        false_positive="false-positive" in states,
        severity=reduction.severity,
        exercised=reduction.exercised,
        caught=reduction.exercised and reduction.caught,
        caught_by=tuple(caught_by),
        comparable=artifact.strength.comparable,
        verdict=verdict_of(artifact),
        run_id=artifact.run_id,
        scoring_version=artifact.scoring_version,
        version_inputs=artifact.scoring_version_inputs,
        basis=artifact.strength.basis,
        attested_inputs=tuple(sorted(artifact.caller_attested_inputs)),
        source=artifact if data is None else data,
    )


def verdict_of(artifact: EvidenceArtifact) -> Verdict:
    """The verdict that the artifact carries, about the contract or about the system."""
    if isinstance(artifact, ContractScoringEvidence):
        return artifact.contract_verdict
    return artifact.production_verdict

"""What scoring a run proved: an outcome an oracle and trial, the verdict, and how strong the contract showed itself.

Written by emit, read back by the thousand by aggregation and the frames. spec: 02b §9
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from evalnb.engine.artifacts.lineage import Lineage
from evalnb.engine.artifacts.model import Items, StrictObject, Tagged
from evalnb.engine.artifacts.policy import UnitInterval
from evalnb.engine.artifacts.primitives import (
    Digest,
    FindingId,
    Identifier,
    NonNegativeInt,
    OracleId,
    PositiveInt,
    ProbeId,
    SafeInt,
    Severity,
    Text,
)
from evalnb.engine.artifacts.record import Disposition, EvaluatorRecommendation, QuotedEvidence, RunMode
from evalnb.engine.artifacts.text import Enumerated

Verdict: TypeAlias = Literal["PASS", "WAIVED", "CONCERNS", "FAIL"]
OutcomeState: TypeAlias = Literal[
    "caught",
    "confirmed",
    "missed",
    "passed-clean-control",
    "false-positive",
    "abstained",
    "bypassed",
    "unreached",
    "oracle-error",
    "judge-error",
    "infrastructure-error",
    "not-applicable",
]
Corroboration: TypeAlias = Literal["agrees", "disagrees", "not-evaluable"]
Resolution: TypeAlias = Literal["true", "false", "insufficient-evidence"]
ScoringVersionInputName: TypeAlias = Literal[
    "contractSchemaVersion",
    "corpusDigest",
    "fixtureDigest",
    "evaluatorConfigurationDigest",
    "scoringPolicyDigest",
    "mode",
]
StrengthBasis: TypeAlias = Literal["measured", "reconstructed"]


class ScoringVersionInputs(StrictObject):
    """What two scorings must share to be comparable; their digest is the scoring version."""

    contract_schema_version: PositiveInt
    corpus_digest: Digest
    fixture_digest: Digest
    evaluator_configuration_digest: Digest
    scoring_policy_digest: Digest
    mode: RunMode


class ProductionVersionInputs(ScoringVersionInputs):
    """The inputs inside production evidence."""

    mode: Literal["production"]


class ContractScoringVersionInputs(ScoringVersionInputs):
    """The inputs inside contract-scoring evidence."""

    mode: Literal["contract-scoring"]


class InvalidatedAttempt(StrictObject):
    """An attempt that does not count, and why."""

    attempt: PositiveInt
    reason: Text


class Trials(StrictObject):
    """How many trials were wanted, which completed, and which attempts were thrown away."""

    declared_minimum: PositiveInt
    completed: NonNegativeInt
    completed_attempts: Items[PositiveInt]
    invalidated_attempts: Items[InvalidatedAttempt]


class CheckResolution(StrictObject):
    """How a check came out, node by node; a leaf has no children."""

    resolution: Resolution
    introduction_condition: Annotated[Literal["empty-collection"], Enumerated()] | None
    children: Items["CheckResolution"]


class Outcome(StrictObject):
    """One oracle in one trial; `check_resolution` is None where the check never ran."""

    oracle_id: OracleId
    trial_index: PositiveInt
    probe_id: ProbeId | None
    state: OutcomeState
    severity: Severity
    disposition: Disposition
    resolved_from: FindingId | None
    corroboration: Corroboration
    selected_observation_ids: Items[Identifier]
    check_resolution: CheckResolution | None


class TrialVote(StrictObject):
    """The state that a trial contributes to its probe's reduction."""

    trial_index: PositiveInt
    state: OutcomeState


class ReducedProbeOutcome(StrictObject):
    """The scored probe over all trials. Its own arithmetic is checked by those who use it."""

    probe_id: ProbeId
    severity: Severity
    exercised: bool
    caught: bool
    catch_threshold: UnitInterval
    trial_votes: Items[TrialVote]
    valid_count: NonNegativeInt
    caught_count: NonNegativeInt
    invalidated_attempts: Items[InvalidatedAttempt]


class CoverageGap(StrictObject):
    """A discipline rule that applies to the contract, and whether it is satisfied."""

    rule: Text
    relevance_predicate: Text
    satisfaction_predicate: Text
    satisfied: bool
    severity: Severity


class UncitedFindingGap(StrictObject):
    """A defect that the evaluator found where no oracle looked."""

    finding_id: FindingId
    observation_ids: Annotated[Items[Identifier], Field(min_length=1)]
    quoted_evidence: Annotated[Items[QuotedEvidence], Field(min_length=1)]
    severity: Severity


class ClassStrength(StrictObject):
    """How many exercised probes of a class were caught; the rate is None where none was exercised."""

    caught: NonNegativeInt
    exercised: NonNegativeInt
    rate: UnitInterval | None


class StrengthVector(StrictObject):
    """The three classes, None where there is nothing to say of one."""

    defect: ClassStrength | None
    gameability: ClassStrength | None
    zero_action: Annotated[ClassStrength | None, Field(alias="zero-action")]


class Strength(StrictObject):
    """The strength vector, what it counts, and whether it may be compared with another."""

    denominator: Text
    basis: StrengthBasis
    vector: StrengthVector
    comparable: bool
    note: str | None


class LineageChain(StrictObject):
    """What a presented chain of revisions showed."""

    length_consistent: bool
    no_repeated_digest: bool
    no_gap: bool


class Remediation(StrictObject):
    """How often the contract was remedied, against the cap; only the caller can attest it."""

    revision_count: NonNegativeInt
    cap: NonNegativeInt
    cap_source: Literal["caller-attested"]
    lineage_chain: LineageChain


class AnyEvidence(Lineage):
    """What both kinds of evidence hold."""

    run_id: Text
    scored_probe_id: ProbeId | None
    scoring_version: Digest
    scoring_version_inputs: ScoringVersionInputs
    comparability_key: Digest
    excluded_probe_ids: Items[ProbeId]
    exit_code: SafeInt
    verdict_basis: Items[Text]
    caller_attested_inputs: Items[ScoringVersionInputName]
    trials: Trials
    outcomes: Items[Outcome]
    reduced_probe_outcomes: Items[ReducedProbeOutcome]
    uncited_findings: Items[FindingId]
    coverage_gaps: Items[CoverageGap]
    strength: Strength
    remediation: Remediation


class ProductionEvidence(AnyEvidence):
    """Evidence about a system in production."""

    scoring_version_inputs: ProductionVersionInputs
    mode: Literal["production"]
    production_verdict: Verdict


class ContractScoringEvidence(AnyEvidence):
    """Evidence about the contract itself, scored on a planted defect or a control."""

    scoring_version_inputs: ContractScoringVersionInputs
    mode: Literal["contract-scoring"]
    contract_verdict: Verdict
    uncited_finding_gaps: Items[UncitedFindingGap]
    system_recommendation_recorded: EvaluatorRecommendation
    system_recommendation_note: str | None


EvidenceArtifact: TypeAlias = Annotated[ProductionEvidence | ContractScoringEvidence, Tagged("mode")]

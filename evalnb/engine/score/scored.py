"""What scoring a trial set leaves behind: the ladder's input and everything an evidence artifact is made of.

spec: 09 §7.6, §12
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evalnb.engine.artifacts import (
    CoverageGap,
    EvalContract,
    Outcome,
    Probe,
    ReducedProbeOutcome,
    ScoringPolicy,
    Trials,
    UncitedFindingGap,
)
from evalnb.engine.score.conditions import (
    CrossArtifactDisagreement,
    DanglingCitation,
    DanglingDispositionCitation,
    DuplicateRecordIdentifier,
    EvaluatorConfigurationAbsent,
    EvaluatorConfigurationDigestMismatch,
    ForbiddenInputNotWithheld,
    JudgeResultUnscored,
    UnwitnessedQuotation,
)
from evalnb.engine.score.outcome import OutcomeResolution
from evalnb.engine.score.qualify.result import Qualification

RunMode = Literal["production", "contract-scoring"]
Severity = Literal["low", "material", "critical"]
EvaluatorRecommendation = Literal["PASS", "CONCERNS", "FAIL"]


@dataclass(frozen=True, slots=True)
class LadderOutcome:
    """One oracle in one trial, as the ladder reads it; `severity` is the ladder's, not the artifact's."""

    oracle_id: str
    required: bool
    severity: Severity
    check_resolved: bool
    resolution: OutcomeResolution


@dataclass(frozen=True, slots=True)
class ScoredFinding:
    """A finding of some trial and how sure the evaluator was of it, 0 to 1."""

    finding_id: str
    confidence: float


@dataclass(frozen=True, slots=True)
class LineageChainState:
    """Whether the presented lineage chain hangs together."""

    length_consistent: bool = True
    no_repeated_digest: bool = True
    no_gap: bool = True


@dataclass(frozen=True, slots=True)
class Assessment:
    """All the verdict ladder reads, trial by trial in each list. spec: 09 §7.6, §10.1

    The defaults are the constants that scoring passes; only a caller of the ladder itself can change them.
    """

    mode: RunMode
    outcomes: tuple[LadderOutcome, ...]
    trials: Trials
    re_execution_cap: int
    confidence_threshold: float
    severity_floor: Severity
    preflight_passed: bool
    evaluator_recommendation: EvaluatorRecommendation
    findings: tuple[ScoredFinding, ...] = ()
    coverage_gaps: tuple[CoverageGap, ...] = ()
    uncited_defect_findings: tuple[UncitedFindingGap, ...] = ()
    unwitnessed_quotations: tuple[UnwitnessedQuotation, ...] = ()
    isolation_violation: tuple[str, ...] = ()
    duplicate_record_identifiers: tuple[DuplicateRecordIdentifier, ...] = ()
    dangling_citations: tuple[DanglingCitation, ...] = ()
    dangling_disposition_citations: tuple[DanglingDispositionCitation, ...] = ()
    forbidden_inputs_not_withheld: tuple[ForbiddenInputNotWithheld, ...] = ()
    cross_artifact_disagreements: tuple[CrossArtifactDisagreement, ...] = ()
    evaluator_configuration_absent: tuple[EvaluatorConfigurationAbsent, ...] = ()
    evaluator_configuration_digest_mismatches: tuple[EvaluatorConfigurationDigestMismatch, ...] = ()
    judge_results_unscored: tuple[JudgeResultUnscored, ...] = ()
    trial_set_disagreements: tuple[str, ...] = ()
    truncation_bound: int | None = None
    reported_incomplete: bool = False
    over_truncated: bool = False
    unavailable: bool = False
    internally_inconsistent: bool = False
    lineage_chain: LineageChainState = LineageChainState()


@dataclass(frozen=True, slots=True)
class ScoredTrialSet:
    """One probe's trial set, scored. spec: 09 §7, §12

    `assessment` feeds the ladder; the other fields are what `emit` copies. `run_id` is empty and the mode
    `production` for a set without trials. `admitted_probe_ids` and `excluded_probe_ids` keep the order in
    which the probes were presented.
    """

    run_id: str
    contract: EvalContract
    probe: Probe
    policy: ScoringPolicy
    qualification: Qualification
    admitted_probe_ids: tuple[str, ...]
    excluded_probe_ids: tuple[str, ...]
    assessment: Assessment
    outcomes: tuple[Outcome, ...]
    reduced_probe_outcomes: tuple[ReducedProbeOutcome, ...]
    uncited_findings: tuple[str, ...]

    @property
    def mode(self) -> RunMode:
        return self.assessment.mode

    @property
    def trials(self) -> Trials:
        return self.assessment.trials

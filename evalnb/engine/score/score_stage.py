"""The score stage: one probe's trials against one contract, up to everything the ladder and emit need.

Pure; it rejects nothing that parsed. spec: 09 §7, §8
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from evalnb.engine.artifacts import (
    EvalContract,
    InvalidatedAttempt,
    PreflightVerdict,
    Probe,
    ReducedProbeOutcome,
    ScoringPolicy,
    Trials,
    TrialVote as StatedVote,
)
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.coverage import coverage_gaps
from evalnb.engine.score.conditions import (
    Condition,
    CrossArtifactDisagreement,
    DanglingCitation,
    DanglingDispositionCitation,
    DuplicateRecordIdentifier,
    EvaluatorConfigurationAbsent,
    EvaluatorConfigurationDigestMismatch,
    ForbiddenInputNotWithheld,
    JudgeResultUnscored,
)
from evalnb.engine.score.designation import DesignatedOracleRefusal, check_designation
from evalnb.engine.score.findings import uncited_defect_gaps, uncited_finding_ids
from evalnb.engine.score.ingest import ValidatedObservations
from evalnb.engine.score.outcome import Waiver
from evalnb.engine.score.reduce import Reduction, TrialVote, reduce_trials
from evalnb.engine.score.scored import Assessment, ScoredFinding, ScoredTrialSet
from evalnb.engine.score.subject import ScoringSubject, scoring_subject
from evalnb.engine.score.trial import ScoredTrial, score_trial
from evalnb.engine.score.trial_set import trial_set_disagreements

C = TypeVar("C", bound=Condition)


def score_trial_set(
    contract: EvalContract,
    trials: Sequence[ValidatedObservations],
    probe: Probe,
    preflight_verdict: PreflightVerdict,
    policy: ScoringPolicy,
    *,
    waiver: Waiver = "none",
    evaluation_fault: bool = False,
    designated_oracle_id: str | None = None,
) -> ScoredTrialSet:
    """Score `trials` (in trial order, possibly none) of one probe.

    Raises RuntimeFault where a check or a digest faults, and TypeError for a `designated_oracle_id` that the
    probe's behavior does not list.
    """
    if designated_oracle_id is not None:
        _assert_designation(contract, probe, designated_oracle_id)
    subject = scoring_subject(
        contract,
        probe,
        policy,
        trials,
        named_oracle=designated_oracle_id,
        waiver=waiver,
        evaluation_fault=evaluation_fault,
    )
    scored = [score_trial(subject, trial) for trial in trials]
    votes = [one.vote for one in scored if one.vote is not None]
    reduction = reduce_trials(votes, policy.catch_threshold)
    judged = (*subject.sealed.admitted, *subject.sealed.rejected)
    return ScoredTrialSet(
        run_id=trials[0].run_id if trials else "",
        contract=contract,
        probe=probe,
        policy=policy,
        qualification=judged[0].qualification,
        admitted_probe_ids=tuple(one.probe.probe_id for one in subject.sealed.admitted),
        excluded_probe_ids=tuple(one.probe.probe_id for one in subject.sealed.rejected),
        assessment=_assess(subject, trials, scored, reduction, preflight_verdict),
        outcomes=tuple(outcome for one in scored for outcome in one.outcomes),
        reduced_probe_outcomes=(_reduced(subject, votes, reduction),),
        uncited_findings=tuple(one for trial in trials for one in uncited_finding_ids(trial.findings)),
    )


def _assert_designation(contract: EvalContract, probe: Probe, named: str) -> None:
    try:
        check_designation(contract, probe, named)
    except DesignatedOracleRefusal as refusal:
        raise TypeError(str(refusal)) from refusal


def _reduced(subject: ScoringSubject, votes: Sequence[TrialVote], reduction: Reduction) -> ReducedProbeOutcome:
    return ReducedProbeOutcome(
        probe_id=subject.probe.probe_id,
        severity=subject.probe_severity,
        exercised=reduction.exercised,
        caught=reduction.caught,
        catch_threshold=subject.policy.catch_threshold,
        trial_votes=tuple(StatedVote(trial_index=vote.trial_index, state=vote.state) for vote in votes),
        valid_count=reduction.valid_count,
        caught_count=reduction.caught_count,
        invalidated_attempts=_invalidated(reduction),
    )


def _invalidated(reduction: Reduction) -> tuple[InvalidatedAttempt, ...]:
    return tuple(InvalidatedAttempt(attempt=one.attempt, reason=one.reason) for one in reduction.invalidated_attempts)


def _assess(
    subject: ScoringSubject,
    trials: Sequence[ValidatedObservations],
    scored: Sequence[ScoredTrial],
    reduction: Reduction,
    preflight_verdict: PreflightVerdict,
) -> Assessment:
    policy = subject.policy
    return Assessment(
        mode=trials[0].mode if trials else "production",
        outcomes=tuple(outcome for one in scored for outcome in one.ladder_outcomes),
        trials=Trials(
            declared_minimum=policy.minimum_trial_count,
            completed=len(trials),
            completed_attempts=tuple(trial.trial_index for trial in trials),
            invalidated_attempts=_invalidated(reduction),
        ),
        re_execution_cap=policy.re_execution_cap,
        confidence_threshold=policy.confidence_threshold,
        severity_floor=policy.severity_floor,
        preflight_passed=preflight_verdict.passed,
        evaluator_recommendation=trials[0].evaluator_recommendation if trials else "PASS",
        findings=tuple(ScoredFinding(f.finding_id, f.confidence) for t in trials for f in t.findings),
        coverage_gaps=coverage_gaps(subject.contract),
        uncited_defect_findings=tuple(gap for t in trials for gap in uncited_defect_gaps(t.findings)),
        unwitnessed_quotations=tuple(one for t in trials for one in t.unwitnessed_quotations),
        isolation_violation=tuple(text for t in trials for text in t.isolation_violation),
        duplicate_record_identifiers=_of_kind(trials, DuplicateRecordIdentifier),
        dangling_citations=_of_kind(trials, DanglingCitation),
        dangling_disposition_citations=_of_kind(trials, DanglingDispositionCitation),
        forbidden_inputs_not_withheld=_of_kind(trials, ForbiddenInputNotWithheld),
        cross_artifact_disagreements=_of_kind(trials, CrossArtifactDisagreement),
        evaluator_configuration_absent=_of_kind(trials, EvaluatorConfigurationAbsent),
        evaluator_configuration_digest_mismatches=_of_kind(trials, EvaluatorConfigurationDigestMismatch),
        judge_results_unscored=_of_kind(trials, JudgeResultUnscored),
        trial_set_disagreements=trial_set_disagreements(
            trials, digest_artifact(subject.contract.document, "EvalContract")
        ),
    )


def _of_kind(trials: Sequence[ValidatedObservations], kind: type[C]) -> tuple[C, ...]:
    """The conditions of one kind, trial by trial."""
    return tuple(_conditions(trials, kind))


def _conditions(trials: Sequence[ValidatedObservations], kind: type[C]) -> Iterator[C]:
    for trial in trials:
        for condition in trial.conditions:
            if isinstance(condition, kind):
                yield condition

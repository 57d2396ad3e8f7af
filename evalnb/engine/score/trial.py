"""One trial scored: its evidence selected, every oracle decided, and the trial's vote on the probe.

spec: 09 §7.3 to §7.5
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evalnb.engine.artifacts import (
    CheckResolution,
    DefectFinding,
    Observation,
    OracleDisposition,
    Outcome,
)
from evalnb.engine.evaluate import make_resolve_operand, resolve_check, select_trial
from evalnb.engine.evaluate.observations import Selection
from evalnb.engine.evaluate.values import ResolveOperand
from evalnb.engine.score.findings import finding_bucket
from evalnb.engine.score.ingest import ValidatedObservations
from evalnb.engine.score.outcome import (
    CitedFinding,
    DispositionGiven,
    OutcomeInputs,
    OutcomeResolution,
    WitnessSeen,
    resolve_outcome,
)
from evalnb.engine.score.reduce import INVALIDATING_STATES, TrialVote
from evalnb.engine.score.scored import LadderOutcome, Severity
from evalnb.engine.score.subject import ScoredOracle, ScoringSubject
from evalnb.engine.score.witness import WitnessMatch, match_witness

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ScoredTrial:
    """One trial's outcomes for ladder and artifact, in oracle order, and its vote; None without any oracle."""

    ladder_outcomes: tuple[LadderOutcome, ...]
    outcomes: tuple[Outcome, ...]
    vote: TrialVote | None


@dataclass(frozen=True, slots=True)
class _Evidence:
    """A trial as its oracles see it; `observations` means the last one where an identifier is repeated."""

    trial: ValidatedObservations
    observations: Mapping[str, Observation]
    selections: Mapping[str, Selection]
    resolve_operand: ResolveOperand
    witness: WitnessMatch | None


@dataclass(frozen=True, slots=True)
class _Decision:
    """One oracle decided on one trial, with the evaluated check; None where the oracle has none."""

    scored: ScoredOracle
    disposition: OracleDisposition | None
    check: CheckResolution | None
    resolution: OutcomeResolution


def score_trial(subject: ScoringSubject, trial: ValidatedObservations) -> ScoredTrial:
    """Decide every oracle of the contract on one trial. Raises what evaluating a check raises."""
    evidence = _gather(subject, trial)
    decisions = [_decide(subject, evidence, scored) for scored in subject.oracles]
    return ScoredTrial(
        ladder_outcomes=tuple(_ladder_outcome(trial, decision) for decision in decisions),
        outcomes=tuple(_outcome(subject, trial, decision) for decision in decisions),
        vote=_vote(subject, trial, decisions),
    )


def _gather(subject: ScoringSubject, trial: ValidatedObservations) -> _Evidence:
    selected = select_trial(subject.contract, trial.observations, subject.index)
    return _Evidence(
        trial=trial,
        observations={observation.observation_id: observation for observation in trial.observations},
        selections=selected.selections,
        resolve_operand=make_resolve_operand(selected.step_observations, subject.contract.reference_sets),
        witness=_witness(subject, trial),
    )


def _witness(subject: ScoringSubject, trial: ValidatedObservations) -> WitnessMatch | None:
    if subject.signed_probe is None:
        return None
    try:
        return match_witness(subject.signed_probe, subject.home, trial)
    except TypeError:
        # The gate has refused this condition already, and evaluating it shows why: it proves nothing.
        if subject.qualified:
            raise
        return None


def _decide(subject: ScoringSubject, evidence: _Evidence, scored: ScoredOracle) -> _Decision:
    oracle, trial = scored.oracle, evidence.trial
    addressed = [step for step in evidence.selections if step in scored.addressed_steps]
    check = None
    if oracle.check is not None:
        check = resolve_check(
            oracle.check,
            evidence.resolve_operand,
            subject.denotes_collection,
            subject.reference_set_keys,
            subject.policy.regex_match_step_budget,
            f"EvalContract.oracles[id={oracle.id}].check",
        )
    disposition = _only([given for given in trial.dispositions if given.oracle_id == oracle.id])
    designated = oracle.id == subject.designated_oracle_id
    resolution = resolve_outcome(
        OutcomeInputs(
            required=True,
            disposition=_given(disposition),
            cited_finding=_cited(subject, evidence, oracle.id),
            witness=_seen(evidence.witness) if designated else None,
            selections=tuple(evidence.selections[step] for step in addressed),
            selector_ambiguity=any(
                evidence.selections[step].is_ambiguous(subject.cardinalities[step]) for step in addressed
            ),
            check_resolution=None if check is None else check.resolution,
            polarity=oracle.polarity,
            probe_class=subject.probe.probe_class,
            expected_clean=subject.probe.expected_clean,
            probe_signed=subject.signed_probe is not None,
            probe_qualified=subject.qualified,
            waiver=subject.waiver,
            judge_conduct=subject.judge_conduct,
            evaluation_fault=subject.evaluation_fault,
        )
    )
    return _Decision(scored, disposition, check, resolution)


def _only(candidates: Sequence[T]) -> T | None:
    """The one candidate; none and several are both no answer."""
    return candidates[0] if len(candidates) == 1 else None


def _cited(subject: ScoringSubject, evidence: _Evidence, oracle_id: str) -> CitedFinding | None:
    finding = _only([f for f in evidence.trial.findings if isinstance(f, DefectFinding) and f.oracle_id == oracle_id])
    if finding is None:
        return None
    bucket = finding_bucket(finding, subject.probe, subject.home, evidence.observations)
    return CitedFinding(finding.finding_id, bucket)


def _given(disposition: OracleDisposition | None) -> DispositionGiven | None:
    if disposition is None:
        return None
    return DispositionGiven(disposition.disposition, disposition.observation_ids)


def _seen(witness: WitnessMatch | None) -> WitnessSeen | None:
    return None if witness is None else WitnessSeen(witness.result, witness.observation_ids)


def _ladder_outcome(trial: ValidatedObservations, decision: _Decision) -> LadderOutcome:
    return LadderOutcome(
        oracle_id=decision.scored.oracle.id,
        required=True,
        severity=_ladder_severity(trial, decision),
        check_resolved=decision.check is not None,
        resolution=decision.resolution,
    )


def _ladder_severity(trial: ValidatedObservations, decision: _Decision) -> Severity:
    resolved_from = decision.resolution.resolved_from
    if resolved_from is not None:
        finding = _only([f for f in trial.findings if f.finding_id == resolved_from])
        if finding is not None:
            return finding.severity
    return decision.scored.severity


def _outcome(subject: ScoringSubject, trial: ValidatedObservations, decision: _Decision) -> Outcome:
    """The artifact's entry; its severity is the probe's, not the ladder's."""
    resolution = decision.resolution
    return Outcome(
        oracle_id=decision.scored.oracle.id,
        trial_index=trial.trial_index,
        probe_id=subject.probe.probe_id,
        state=resolution.state,
        severity=subject.probe_severity,
        disposition="not-attempted" if decision.disposition is None else decision.disposition.disposition,
        resolved_from=resolution.resolved_from,
        corroboration=resolution.corroboration,
        selected_observation_ids=resolution.selected_observation_ids,
        check_resolution=decision.check,
    )


def _vote(subject: ScoringSubject, trial: ValidatedObservations, decisions: Sequence[_Decision]) -> TrialVote | None:
    """The designated oracle's state; without one, the first invalidating state, else the first oracle's."""
    states = [decision.resolution.state for decision in decisions]
    designated = [
        decision.resolution.state for decision in decisions if decision.scored.oracle.id == subject.designated_oracle_id
    ]
    invalidating = [state for state in states if state in INVALIDATING_STATES]
    choice = next(iter([*designated[:1], *invalidating, *states]), None)
    return None if choice is None else TrialVote(trial.trial_index, choice)

"""How every oracle came out in every trial, what the trials reduce to, and why the verdict is what it is."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from evalnb.engine.artifacts import EvalContract
from evalnb.view.frames.arms import RunSource, SeenArm, arms_of
from evalnb.view.frames.columns import COUNT, FLAG, NUMBER, TEXT, Column, Row, frame, joined, tabulated
from evalnb.view.frames.vocabularies import (
    CORROBORATIONS,
    DISPOSITIONS,
    PROBE_CLASSES,
    RESOLUTIONS,
    SEVERITIES,
    STATES,
    VERDICTS,
)

ARM = (
    Column("run_id", TEXT, "the run"),
    Column("probe_id", TEXT, "the scored probe"),
    Column("probe_class", PROBE_CLASSES, "its class, missing where the evidence does not tell"),
)
OUTCOMES = (
    *ARM,
    Column("trial_index", COUNT, "the trial, from 1"),
    Column("oracle_id", TEXT, "the oracle"),
    Column("behavior_ids", TEXT, "the behaviors the oracle belongs to; known from a run only"),
    Column("state", STATES, "how the oracle came out"),
    Column("severity", SEVERITIES, "how much it matters"),
    Column("disposition", DISPOSITIONS, "what the evaluator said of the oracle"),
    Column("resolution", RESOLUTIONS, "how the check came out, missing where it never ran"),
    Column("introduced_by", TEXT, "what introduced insufficient evidence at the root of the check"),
    Column("corroboration", CORROBORATIONS, "whether the check agrees with the evaluator"),
    Column("finding_id", TEXT, "the finding the outcome was resolved from"),
    Column("observation_ids", TEXT, "the observations the check selected"),
)
REDUCED_OUTCOMES = (
    *ARM,
    Column("severity", SEVERITIES, "how much the probe matters"),
    Column("exercised", FLAG, "whether any valid trial reached it"),
    Column("caught", FLAG, "whether enough valid trials caught it"),
    Column("catch_threshold", NUMBER, "the share of valid trials that must catch it, 0 to 1"),
    Column("valid_count", COUNT, "valid trials"),
    Column("caught_count", COUNT, "valid trials that caught it"),
    Column("completed_trials", COUNT, "completed trials"),
    Column("minimum_trials", COUNT, "trials the policy asks for"),
    Column("invalidated_attempts", COUNT, "attempts that do not count"),
    Column("votes", TEXT, "the state each trial contributed, in trial order"),
    Column("comparable", FLAG, "whether the strength of the arm may be compared"),
)
VERDICT_BASIS = (
    *ARM,
    Column("verdict", VERDICTS, "the verdict, INVALID where the run got none"),
    Column("exit_code", COUNT, "the exit code that goes with it"),
    Column("position", COUNT, "the reason's place, from 1; missing for an arm that passed"),
    Column("reason", TEXT, "the reason in the words of the verdict ladder"),
)


@tabulated(OUTCOMES)
def outcomes(source: RunSource) -> pd.DataFrame:
    """One row an oracle, probe and trial. Invalid arms left no outcome."""
    return frame(OUTCOMES, (row for arm in arms_of(source) for row in _outcomes(arm)))


@tabulated(REDUCED_OUTCOMES)
def reduced_outcomes(source: RunSource) -> pd.DataFrame:
    """One row a probe, over all its trials. Invalid arms are not reduced."""
    return frame(REDUCED_OUTCOMES, (row for arm in arms_of(source) for row in _reductions(arm)))


@tabulated(VERDICT_BASIS)
def verdict_basis(source: RunSource) -> pd.DataFrame:
    """One row a reason, and one without a reason for an arm that passed: every arm occurs."""
    return frame(VERDICT_BASIS, (row for arm in arms_of(source) for row in _reasons(arm)))


def behaviors_of(contract: EvalContract, oracle_id: str) -> str:
    """The behaviors that list an oracle."""
    return joined(behavior.id for behavior in contract.behaviors if oracle_id in behavior.oracles)


def arm_cells(arm: SeenArm) -> dict[str, object]:
    """The cells that every frame of arms begins with."""
    return {"run_id": arm.run_id, "probe_id": arm.probe_id, "probe_class": arm.probe_class}


def _outcomes(arm: SeenArm) -> Iterator[Row]:
    if arm.evidence is None:
        return
    cells = arm_cells(arm)
    contract = None if arm.run is None else arm.run.contract
    behaviors = {} if contract is None else {one.id: behaviors_of(contract, one.id) for one in contract.oracles}
    for outcome in arm.evidence.outcomes:
        check = outcome.check_resolution
        yield {
            **cells,
            "trial_index": outcome.trial_index,
            "oracle_id": outcome.oracle_id,
            "behavior_ids": behaviors.get(outcome.oracle_id),
            "state": outcome.state,
            "severity": outcome.severity,
            "disposition": outcome.disposition,
            "resolution": None if check is None else check.resolution,
            "introduced_by": None if check is None else check.introduction_condition,
            "corroboration": outcome.corroboration,
            "finding_id": outcome.resolved_from,
            "observation_ids": joined(outcome.selected_observation_ids),
        }


def _reductions(arm: SeenArm) -> Iterator[Row]:
    if arm.evidence is None:
        return
    for reduction in arm.evidence.reduced_probe_outcomes:
        votes = sorted(reduction.trial_votes, key=lambda vote: vote.trial_index)
        yield {
            **arm_cells(arm),
            "probe_id": reduction.probe_id,
            "severity": reduction.severity,
            "exercised": reduction.exercised,
            "caught": reduction.caught,
            "catch_threshold": reduction.catch_threshold,
            "valid_count": reduction.valid_count,
            "caught_count": reduction.caught_count,
            "completed_trials": arm.evidence.trials.completed,
            "minimum_trials": arm.evidence.trials.declared_minimum,
            "invalidated_attempts": len(reduction.invalidated_attempts),
            "votes": joined(vote.state for vote in votes),
            "comparable": arm.evidence.strength.comparable,
        }


def _reasons(arm: SeenArm) -> Iterator[Row]:
    cells = {**arm_cells(arm), "verdict": arm.verdict, "exit_code": arm.exit_code}
    if not arm.basis:
        yield {**cells, "position": None, "reason": None}
    for position, reason in enumerate(arm.basis, start=1):
        yield {**cells, "position": position, "reason": reason}

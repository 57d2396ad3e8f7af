"""Reducing a trial set: a catch needs strictly more than the threshold's share of the counted votes."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.artifacts import InvalidatedAttempt, Outcome, ReducedProbeOutcome, Trials, TrialVote as StatedVote
from evalnb.engine.score.consistency import reduction_consistency_issues
from evalnb.engine.score.reduce import (
    INVALIDATING_STATES,
    UNVOTED_STATES,
    VOTED_STATES,
    TrialVote,
    reduce_trials,
)

states = st.lists(st.sampled_from([*INVALIDATING_STATES, *UNVOTED_STATES, *VOTED_STATES]), max_size=12)


def cast(listed: list[Any]) -> list[TrialVote]:
    return [TrialVote(index, state) for index, state in enumerate(listed, start=1)]


@given(states, st.floats(0, 1))
def test_counts_and_catch_follow_from_the_votes(listed: list[Any], threshold: float) -> None:
    reduction = reduce_trials(cast(listed), threshold)
    counted = [state for state in listed if state in VOTED_STATES]
    assert reduction.valid_count == len(counted)
    assert reduction.caught_count == counted.count("caught")
    assert reduction.exercised is bool(counted)
    assert reduction.caught is (bool(counted) and counted.count("caught") / len(counted) > threshold)
    assert [one.reason for one in reduction.invalidated_attempts] == [
        state for state in listed if state in INVALIDATING_STATES
    ]


@pytest.mark.parametrize("threshold", [None, "0.5", True, math.nan, math.inf, -0.1, 1.5])
def test_a_threshold_that_no_policy_holds_is_refused_before_any_vote(threshold: Any) -> None:
    def votes() -> Any:
        raise AssertionError("a vote was read")
        yield

    with pytest.raises(TypeError, match="catchThreshold"):
        reduce_trials(votes(), threshold)


def written(votes: list[TrialVote], threshold: float) -> dict[str, Any]:
    """The parts of an evidence artifact that state the reduction of `votes`."""
    reduction = reduce_trials(votes, threshold)
    invalidated = tuple(
        InvalidatedAttempt(attempt=one.attempt, reason=one.reason) for one in reduction.invalidated_attempts
    )
    reduced = ReducedProbeOutcome(
        probe_id="P-101",
        severity="low",
        exercised=reduction.exercised,
        caught=reduction.caught,
        catch_threshold=threshold,
        trial_votes=tuple(StatedVote(trial_index=vote.trial_index, state=vote.state) for vote in votes),
        valid_count=reduction.valid_count,
        caught_count=reduction.caught_count,
        invalidated_attempts=invalidated,
    )
    return {
        "scored_probe_id": "P-101",
        "outcomes": [outcome(vote) for vote in votes],
        "reduced_probe_outcomes": [reduced],
        "trials": Trials(
            declared_minimum=1,
            completed=len(votes),
            completed_attempts=tuple(vote.trial_index for vote in votes),
            invalidated_attempts=invalidated,
        ),
    }


def outcome(vote: TrialVote) -> Outcome:
    return Outcome(
        oracle_id="O-101",
        trial_index=vote.trial_index,
        probe_id="P-101",
        state=vote.state,
        severity="low",
        disposition="held",
        resolved_from=None,
        corroboration="agrees",
        selected_observation_ids=(),
        check_resolution=None,
    )


@given(states, st.floats(0, 1))
def test_what_was_reduced_here_is_always_consistent(listed: list[Any], threshold: float) -> None:
    assert reduction_consistency_issues(**written(cast(listed), threshold)) == ()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"caught": False}, "caught"),
        ({"exercised": False}, "exercised"),
        ({"valid_count": 7}, "validCount"),
        ({"caught_count": 7}, "caughtCount"),
        ({"invalidated_attempts": ()}, "invalidatedAttempts"),
    ],
)
def test_a_touched_reduction_is_found(changes: dict[str, Any], field: str) -> None:
    parts = written(cast(["caught", "caught", "oracle-error"]), 0.5)
    parts["reduced_probe_outcomes"] = [parts["reduced_probe_outcomes"][0].model_copy(update=changes)]
    issues = reduction_consistency_issues(**parts)
    assert [(issue.rule, issue.path) for issue in issues] == [("recomputes", ("reducedProbeOutcomes", 0, field))]

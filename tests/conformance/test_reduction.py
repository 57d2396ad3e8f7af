"""Trial reduction and its consistency rules against the published cases. spec: 09 §8"""

from __future__ import annotations

import math
from typing import Any

import pytest

from evalnb.engine.artifacts import Outcome, ReducedProbeOutcome, Trials
from evalnb.engine.score.consistency import reduction_consistency_issues
from evalnb.engine.score.reduce import (
    INVALIDATING_STATES,
    UNVOTED_STATES,
    VOTED_STATES,
    TrialVote,
    reduce_trials,
)
from tests.conformance.reference import params, rows

FILE = "trial-reduction.json"


def of_kind(kind: str) -> list[Any]:
    return params([row for row in rows("cases", FILE) if row["kind"] == kind], source=f"{FILE} ({kind})")


def votes(case: dict[str, Any]) -> list[TrialVote]:
    return [TrialVote(vote["trialIndex"], vote["state"]) for vote in case["votes"]]


@pytest.mark.parametrize("case", of_kind("reduce"))
def test_votes_reduce_as_published(case: dict[str, Any]) -> None:
    reduction = reduce_trials(votes(case), case["catchThreshold"])
    assert {
        "exercised": reduction.exercised,
        "caught": reduction.caught,
        "validCount": reduction.valid_count,
        "caughtCount": reduction.caught_count,
        "invalidatedAttempts": [
            {"attempt": one.attempt, "reason": one.reason} for one in reduction.invalidated_attempts
        ],
    } == case["expected"]


@pytest.mark.parametrize("case", of_kind("reduce-error"))
def test_refuses_what_no_policy_or_trial_can_hold(case: dict[str, Any]) -> None:
    assert case["expectedError"]["type"] == "TypeError"
    threshold = case["catchThreshold"]
    if isinstance(threshold, dict) and threshold.get("$special") == "NaN":
        threshold = math.nan
    with pytest.raises(TypeError) as raised:
        reduce_trials(votes(case), threshold)
    assert case["expectedError"]["messageContains"] in str(raised.value)


@pytest.mark.parametrize("case", of_kind("state-groups"))
def test_states_are_grouped_as_published(case: dict[str, Any]) -> None:
    assert case["groups"] == {
        "invalidating": list(INVALIDATING_STATES),
        "unvoted": list(UNVOTED_STATES),
        "voted": list(VOTED_STATES),
    }


@pytest.mark.parametrize("case", of_kind("consistency"))
def test_finds_exactly_the_published_issues(case: dict[str, Any]) -> None:
    artifact = case["artifact"]
    issues = reduction_consistency_issues(
        artifact["scoredProbeId"],
        [Outcome.model_validate(one) for one in artifact["outcomes"]],
        [ReducedProbeOutcome.model_validate(one) for one in artifact["reducedProbeOutcomes"]],
        Trials.model_validate(artifact["trials"]),
    )
    found = [{"path": list(issue.path), "rule": issue.rule} for issue in issues]
    assert found == case["expectedIssues"]
    assert all(issue.message for issue in issues)

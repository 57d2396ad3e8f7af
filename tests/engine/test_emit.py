"""What emit writes reads back to itself, and nothing inconsistent is handed out."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.aggregate import aggregate_strength
from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, SCORING_POLICY, Outcome, ReducedProbeOutcome, Trials, read
from evalnb.engine.artifacts.evidence import CheckResolution, InvalidatedAttempt, TrialVote, UncitedFindingGap
from evalnb.engine.canonical import digest_artifact, scan_json, serialize_artifact
from evalnb.engine.emit import check_mode_agreement, emit
from evalnb.engine.score.outcome import OutcomeResolution
from evalnb.engine.score.qualify.result import Qualification
from evalnb.engine.score.reduce import TrialVote as Vote, reduce_trials
from evalnb.engine.score.scored import Assessment, LadderOutcome, ScoredTrialSet
from tests.conformance.evidence_specs import STANDARD_POLICY

CORPUS, FIXTURE, CONFIGURATION = (f"sha256:{digit * 64}" for digit in "123")
POLICY = read(SCORING_POLICY, STANDARD_POLICY)
LEAF = CheckResolution(resolution="true", introduction_condition=None, children=())
VALID_STATES = ("caught", "confirmed", "missed", "abstained", "passed-clean-control", "not-applicable", "unreached")


def scored(*states: Any, mode: Any = "contract-scoring", probe_class: str = "defect", **changed: Any) -> ScoredTrialSet:
    """A trial set of one oracle, one trial a state, as the score stage would leave it."""
    votes = [Vote(index, state) for index, state in enumerate(states, 1)]
    reduction = reduce_trials(votes, POLICY.catch_threshold)
    invalidated = tuple(InvalidatedAttempt(attempt=a.attempt, reason=a.reason) for a in reduction.invalidated_attempts)
    trials = Trials(
        declared_minimum=3,
        completed=len(states),
        completed_attempts=tuple(range(1, len(states) + 1)),
        invalidated_attempts=invalidated,
    )
    assessment = Assessment(
        mode=mode,
        outcomes=tuple(ladder_outcome(state) for state in states),
        trials=trials,
        re_execution_cap=2,
        confidence_threshold=0.5,
        severity_floor="material",
        preflight_passed=True,
        evaluator_recommendation="PASS",
    )
    values: dict[str, Any] = {
        "run_id": "run-1",
        "contract": SimpleNamespace(document={"schemaVersion": 5}, revision_count=2),
        "probe": SimpleNamespace(probe_id="P-001", probe_class=probe_class, expected_clean=False),
        "policy": POLICY,
        "qualification": Qualification(failures=(), declaration_checks_ran=True),
        "admitted_probe_ids": ("P-001",),
        "excluded_probe_ids": (),
        "assessment": assessment,
        "outcomes": tuple(outcome(index, state) for index, state in enumerate(states, 1)),
        "reduced_probe_outcomes": (
            ReducedProbeOutcome(
                probe_id="P-001",
                severity="critical",
                exercised=reduction.exercised,
                caught=reduction.caught,
                catch_threshold=POLICY.catch_threshold,
                trial_votes=tuple(TrialVote(trial_index=vote.trial_index, state=vote.state) for vote in votes),
                valid_count=reduction.valid_count,
                caught_count=reduction.caught_count,
                invalidated_attempts=invalidated,
            ),
        ),
        "uncited_findings": ("F-002",),
        **changed,
    }
    return ScoredTrialSet(**values)


def outcome(index: int, state: Any, resolution: CheckResolution | None = LEAF) -> Outcome:
    return Outcome(
        oracle_id="O-001",
        trial_index=index,
        probe_id="P-001",
        state=state,
        severity="critical",
        disposition="held",
        resolved_from=None,
        corroboration="agrees",
        selected_observation_ids=("obs-1",),
        check_resolution=resolution,
    )


def ladder_outcome(state: Any) -> LadderOutcome:
    resolution = OutcomeResolution(
        rule="outcome-clear",
        waiver_rule=None,
        corroboration_rule="check-confirms-silence",
        state=state,
        corroboration="agrees",
        resolved_from=None,
        selected_observation_ids=(),
        declined_finding_ids=(),
        invalidating_conditions=(),
    )
    return LadderOutcome("O-001", True, "critical", True, resolution)


def document_of(given: ScoredTrialSet) -> dict[str, Any]:
    return emit(given, CORPUS, FIXTURE, CONFIGURATION).document


def test_the_digests_name_policy_probe_and_inputs() -> None:
    document = document_of(scored("caught", "caught", "missed"))
    policy_digest = digest_artifact(STANDARD_POLICY, "ScoringPolicy")
    assert document["scoringVersionInputs"] == {
        "contractSchemaVersion": 5,
        "corpusDigest": CORPUS,
        "fixtureDigest": FIXTURE,
        "evaluatorConfigurationDigest": CONFIGURATION,
        "scoringPolicyDigest": policy_digest,
        "mode": "contract-scoring",
    }
    assert document["scoringVersion"] == digest_artifact(document["scoringVersionInputs"], "it")
    key = {"scoringPolicyDigest": policy_digest, "probeIds": ["P-001"]}
    assert document["comparabilityKey"] == digest_artifact(key, "it")


def test_every_part_of_the_scored_set_is_carried_over() -> None:
    document = document_of(scored("caught", "missed", "caught"))
    assert (document["schemaVersion"], document["parentDigest"], document["revisionCount"]) == (4, None, 0)
    assert (document["runId"], document["scoredProbeId"], document["uncitedFindings"]) == ("run-1", "P-001", ["F-002"])
    assert document["callerAttestedInputs"] == ["corpusDigest", "fixtureDigest", "evaluatorConfigurationDigest", "mode"]
    assert [entry["state"] for entry in document["outcomes"]] == ["caught", "missed", "caught"]
    assert document["outcomes"][0]["checkResolution"] == {
        "resolution": "true",
        "introductionCondition": None,
        "children": [],
    }
    assert document["remediation"]["revisionCount"] == 2
    assert document["remediation"]["cap"] == STANDARD_POLICY["remediationCap"]
    assert document["strength"]["vector"] == {
        "defect": {"caught": 1, "exercised": 1, "rate": 1},
        "gameability": None,
        "zero-action": None,
    }
    assert (document["exitCode"], document["contractVerdict"]) == (2, "FAIL")
    assert document["verdictBasis"] == ["oracle O-001 resolved missed at or above the severity floor"]


def test_each_mode_carries_its_own_fields_only() -> None:
    only_scoring = {
        "contractVerdict",
        "uncitedFindingGaps",
        "systemRecommendationRecorded",
        "systemRecommendationNote",
    }
    production = document_of(scored("caught", "caught", "caught", mode="production"))
    assert production["productionVerdict"] == "PASS"
    assert only_scoring.isdisjoint(production)
    scoring = document_of(scored("caught", "caught", "caught"))
    assert only_scoring <= scoring.keys()
    assert "productionVerdict" not in scoring


def test_uncited_defects_are_gaps_in_contract_scoring() -> None:
    gap = UncitedFindingGap.model_validate(
        {
            "findingId": "F-002",
            "observationIds": ["obs-1"],
            "quotedEvidence": [{"channel": "stdout", "artifactId": None, "quote": "boom"}],
            "severity": "low",
        }
    )
    given = scored("caught", "caught", "caught")
    document = document_of(replace(given, assessment=replace(given.assessment, uncited_defect_findings=(gap,))))
    assert document["contractVerdict"] == "CONCERNS"
    assert document["uncitedFindingGaps"][0]["quotedEvidence"][0]["quote"] == "boom"


def test_a_short_run_with_an_unreached_oracle_says_so() -> None:
    strength = document_of(scored("unreached"))["strength"]
    assert strength["comparable"] is False
    assert strength["vector"]["defect"] == {"caught": 0, "exercised": 0, "rate": None}
    assert "O-001 resolved unreached." in strength["note"]


def test_a_rejected_probe_is_listed_and_counts_for_nothing() -> None:
    given = replace(scored(), admitted_probe_ids=(), excluded_probe_ids=("P-001",))
    document = document_of(given)
    assert document["excludedProbeIds"] == ["P-001"]
    assert document["strength"]["vector"]["defect"] is None
    assert document["strength"]["note"].startswith("0 admitted probe over 0 completed trials.")


def test_a_check_deeper_than_any_stack_is_written() -> None:
    tree = LEAF
    for _ in range(3000):
        tree = CheckResolution.model_construct(resolution="true", introduction_condition=None, children=(tree,))
    given = replace(
        scored("caught"), outcomes=(outcome(1, "caught", None).model_copy(update={"check_resolution": tree}),)
    )
    node, depth = document_of(given)["outcomes"][0]["checkResolution"], 0
    while node["children"]:
        node, depth = node["children"][0], depth + 1
    assert depth == 3000


@pytest.mark.parametrize("states", [("oracle-error",), ("caught", "judge-error")])
def test_an_invalid_run_has_no_artifact(states: tuple[str, ...]) -> None:
    with pytest.raises(TypeError, match="contractVerdict"):
        emit(scored(*states), CORPUS, FIXTURE, CONFIGURATION)


def test_what_would_not_read_back_is_refused_by_its_first_path() -> None:
    with pytest.raises(TypeError, match=r"scoringVersionInputs\.corpusDigest"):
        emit(scored("caught"), "no digest", FIXTURE, CONFIGURATION)


def test_a_reduction_that_does_not_follow_is_refused() -> None:
    given = scored("caught", "caught")
    reduction = given.reduced_probe_outcomes[0]
    bent = replace(given, reduced_probe_outcomes=(reduction.model_copy(update={"caught_count": 1}),))
    with pytest.raises(TypeError, match=r"reducedProbeOutcomes\[0\]\.caughtCount"):
        emit(bent, CORPUS, FIXTURE, CONFIGURATION)
    other_threshold = replace(given, reduced_probe_outcomes=(reduction.model_copy(update={"catch_threshold": 0.4}),))
    with pytest.raises(TypeError, match="reducedProbeOutcomes is not"):
        emit(other_threshold, CORPUS, FIXTURE, CONFIGURATION)


def test_modes_agree_only_when_equal() -> None:
    record, artifact = SimpleNamespace(mode="production"), SimpleNamespace(mode="contract-scoring")
    assert check_mode_agreement(record, record).agrees
    assert not check_mode_agreement(record, artifact).agrees
    assert not check_mode_agreement(artifact, record).agrees


@given(
    st.lists(st.sampled_from(VALID_STATES), min_size=1, max_size=5),
    st.sampled_from(("production", "contract-scoring")),
    st.sampled_from(("defect", "gameability", "zero-action", "canary")),
)
def test_an_emitted_artifact_reads_back_and_is_counted(states: list[str], mode: str, probe_class: str) -> None:
    control = {"passed-clean-control"} & set(states)
    document = document_of(scored(*states, mode=mode, probe_class="canary" if control else probe_class))
    text = serialize_artifact(document, "EvidenceArtifact")
    again = read(EVIDENCE_ARTIFACT, scan_json(text, "EvidenceArtifact"))
    assert again.document == document
    assert serialize_artifact(again.document, "EvidenceArtifact") == text
    aggregate = aggregate_strength([document], {}, STANDARD_POLICY)
    assert aggregate.inputs[0].artifact_digest == digest_artifact(document, "EvidenceArtifact")

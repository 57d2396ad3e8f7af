"""The aggregate counts only what follows from its own details, and never depends on the order it is given."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.aggregate import aggregate_artifacts, aggregate_strength
from evalnb.engine.aggregate.floors import decide_floor
from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, SCORING_POLICY, STRENGTH_AGGREGATE, read
from evalnb.engine.artifacts.aggregate import AggregatedClass, StrengthFloors
from evalnb.engine.canonical import canonical_text, digest_artifact
from evalnb.engine.faults import AggregationRefusal, RuntimeFault
from evalnb.engine.version import ENGINE_VERSION
from tests.conformance.evidence_specs import STANDARD_POLICY, build_evidence, numbered_digest

CAUGHT, MISSED, NEVER = ["caught"] * 3, ["missed"] * 3, ["not-applicable"] * 3


def evidence(number: int, kind: str = "defect", states: list[str] = CAUGHT, **changed: Any) -> dict[str, Any]:
    return build_evidence({"probeId": f"P-{number:03}", "kind": kind, "states": states, **changed})


def tampered(*path: str | int, value: Any, kind: str = "defect", states: list[str] = CAUGHT) -> dict[str, Any]:
    return evidence(1, kind, states, tamper=[{"path": list(path), "value": value}])


def refusal_of(documents: list[dict[str, Any]], policy: Any = STANDARD_POLICY) -> AggregationRefusal:
    with pytest.raises(AggregationRefusal) as refused:
        aggregate_strength(documents, {}, policy)
    return refused.value


def test_classes_are_summed_and_controls_stand_outside() -> None:
    documents = [
        evidence(3, "control", ["passed-clean-control"] * 3),
        evidence(2, states=MISSED),
        evidence(1),
        evidence(4, "zero-action", NEVER),
    ]
    aggregate = aggregate_strength(documents, {"defect": 0.5, "zero-action": 0}, STANDARD_POLICY)
    assert aggregate.document["classes"] == {
        "defect": {"caught": 1, "exercised": 2, "rate": 0.5, "eligible": 2, "comparable": True},
        "gameability": None,
        "zero-action": {"caught": 0, "exercised": 0, "rate": None, "eligible": 1, "comparable": True},
    }
    assert aggregate.document["floorDecisions"] == {
        "defect": {"floor": 0.5, "decision": "meets", "basis": "rate-meets-floor"},
        "gameability": {"floor": None, "decision": "undeclared", "basis": "no-floor-declared"},
        "zero-action": {"floor": 0, "decision": "does-not-meet", "basis": "no-exercised-probe"},
    }
    assert [(entry.probe_id, entry.probe_class) for entry in aggregate.inputs] == [
        ("P-001", "defect"),
        ("P-002", "defect"),
        ("P-003", None),
        ("P-004", "zero-action"),
    ]
    assert aggregate.inputs[0].artifact_digest == digest_artifact(documents[2], "it")
    assert aggregate.engine_version == ENGINE_VERSION
    assert aggregate.caller_attested_inputs == tuple(sorted(documents[0]["callerAttestedInputs"]))


def test_the_aggregate_reads_back_to_itself() -> None:
    document = aggregate_strength([evidence(1)], {"defect": 1}, STANDARD_POLICY).document
    assert read(STRENGTH_AGGREGATE, document).document == document


@pytest.mark.parametrize(
    "path, value, named",
    [
        (("reducedProbeOutcomes", 0, "caught"), False, "reducedProbeOutcomes.0.caught"),
        (("scoringVersion",), numbered_digest(7), "scoringVersion"),
        (("excludedProbeIds",), ["P-099"], "P-099"),
        (("comparabilityKey",), numbered_digest(7), "comparabilityKey"),
        (("strength", "comparable"), False, "strength.comparable"),
        (("strength", "vector", "gameability"), {"caught": 1, "exercised": 1, "rate": 1}, "one probe"),
        (("strength", "vector", "defect", "rate"), 0.5, "strength.vector.defect"),
        (("strength", "vector", "defect"), {"caught": 2, "exercised": 2, "rate": 1}, "strength.vector.defect"),
    ],
)
def test_an_artifact_that_contradicts_itself_is_refused(path: tuple[str | int, ...], value: Any, named: str) -> None:
    refusal = refusal_of([evidence(2), tampered(*path, value=value)])
    assert (refusal.code, refusal.artifact_path) == ("strength-input-inconsistent", "EvidenceArtifact[1]")
    assert named in refusal.detail


@pytest.mark.parametrize("state", ["passed-clean-control", "false-positive"])
def test_a_control_that_claims_a_class_is_refused(state: str) -> None:
    claimed = {"caught": 0, "exercised": 1, "rate": 0}
    refusal = refusal_of([tampered("strength", "vector", "defect", value=claimed, kind="control", states=[state] * 3)])
    assert refusal.code == "strength-input-inconsistent"
    assert "clean control" in refusal.detail


def test_an_artifact_without_a_probe_is_refused() -> None:
    document = evidence(1, "control", [])
    document |= {"scoredProbeId": None, "reducedProbeOutcomes": []}
    for probe_ids in ([], [None]):
        key = {"scoringPolicyDigest": document["scoringVersionInputs"]["scoringPolicyDigest"], "probeIds": probe_ids}
        refusal = refusal_of([{**document, "comparabilityKey": digest_artifact(key, "it")}])
        assert refusal.code == "strength-input-inconsistent"
        assert "comparabilityKey" in refusal.detail


@pytest.mark.parametrize(
    "changed, named",
    [
        ({"scoringPolicyDigest": numbered_digest(7)}, "scoringPolicyDigest"),
        ({"declaredMinimum": 2}, "minimumTrialCount"),
        ({"catchThreshold": 0.6}, "catchThreshold"),
        ({"corpusDigest": numbered_digest(7)}, "scoringVersion"),
        ({"mode": "production"}, "scoringVersion"),
        ({"basis": "reconstructed"}, "strength.basis"),
        ({"callerAttestedInputs": ["mode"]}, "callerAttestedInputs"),
        ({"probeId": "P-001"}, "EvidenceArtifact[0]"),
    ],
)
def test_a_set_that_is_not_one_scoring_is_refused(changed: dict[str, Any], named: str) -> None:
    refusal = refusal_of([evidence(1), evidence(2, **changed)])
    assert (refusal.code, refusal.artifact_path) == ("strength-inputs-disagree", "EvidenceArtifact[1]")
    assert named in refusal.detail


def test_every_artifact_is_checked_for_itself_before_the_set_is() -> None:
    refusal = refusal_of(
        [evidence(1, scoringPolicyDigest=numbered_digest(7)), tampered("excludedProbeIds", value=["P-009"])]
    )
    assert (refusal.code, refusal.artifact_path) == ("strength-input-inconsistent", "EvidenceArtifact[1]")


def test_a_repeated_probe_is_found_before_another_scoring_version() -> None:
    refusal = refusal_of([evidence(1), evidence(2, corpusDigest=numbered_digest(7)), evidence(1)])
    assert (refusal.artifact_path, "P-001" in refusal.detail) == ("EvidenceArtifact[2]", True)


def test_a_moved_vector_cannot_be_told_from_an_honest_one() -> None:
    moved = evidence(1, "gameability")
    assert aggregate_strength([moved], {}, STANDARD_POLICY).inputs[0].probe_class == "gameability"


@pytest.mark.parametrize(
    "presented, floors, policy, code, path",
    [
        ([], {}, STANDARD_POLICY, "schema-parse-failure", "EvidenceArtifact[]"),
        ({}, {}, STANDARD_POLICY, "schema-parse-failure", "EvidenceArtifact[]"),
        ([{}], {"x": 1}, {}, "schema-parse-failure", "EvidenceArtifact[]"),
        (
            [{}, {"schemaVersion": 3}],
            {},
            STANDARD_POLICY,
            "schema-version-mismatch",
            "EvidenceArtifact[1].schemaVersion",
        ),
        ([evidence(1)], {"zero_action": 1}, {}, "schema-parse-failure", "StrengthFloors"),
        ([evidence(1)], {"__proto__": 1}, {}, "schema-parse-failure", "StrengthFloors"),
        ([evidence(1)], {"defect": True}, {}, "schema-parse-failure", "StrengthFloors"),
        ([evidence(1)], {}, {"schemaVersion": 1}, "schema-version-mismatch", "ScoringPolicy.schemaVersion"),
        ([evidence(1)], {}, None, "schema-parse-failure", "ScoringPolicy"),
    ],
)
def test_inputs_are_read_in_order(presented: Any, floors: Any, policy: Any, code: str, path: str) -> None:
    with pytest.raises(RuntimeFault) as fault:
        aggregate_strength(presented, floors, policy)
    assert (fault.value.code, fault.value.artifact_path) == (code, path)


def test_the_stage_itself_takes_no_empty_set() -> None:
    with pytest.raises(TypeError):
        aggregate_artifacts((), StrengthFloors(), read(SCORING_POLICY, STANDARD_POLICY))


@pytest.mark.parametrize(
    "measured, floor, basis",
    [
        (None, None, "no-floor-declared"),
        (None, 0.0, "no-eligible-probe"),
        ((0, 0, None, 1, False), 0.0, "not-comparable"),
        ((0, 0, None, 1, True), 0.0, "no-exercised-probe"),
        ((1, 1, 1.0, 2, True), 0.5, "unexercised-probe"),
        ((1, 2, 0.5, 2, True), 0.5, "rate-meets-floor"),
        ((1, 2, 0.5, 2, True), 0.51, "rate-below-floor"),
    ],
)
def test_the_first_reason_not_to_meet_a_floor_is_given(measured: Any, floor: float | None, basis: str) -> None:
    names = ("caught", "exercised", "rate", "eligible", "comparable")
    summed = None if measured is None else AggregatedClass(**dict(zip(names, measured, strict=True)))
    assert decide_floor(summed, floor).basis == basis


KINDS = {"defect": (CAUGHT, MISSED, NEVER), "gameability": (CAUGHT, MISSED), "canary": (CAUGHT,)}
SETS = st.lists(
    st.sampled_from([(kind, states) for kind, known in KINDS.items() for states in known]), min_size=1, max_size=6
)


@given(SETS, st.randoms(use_true_random=False))
def test_the_order_of_the_artifacts_never_reaches_the_bytes(members: list[Any], random: Any) -> None:
    documents = [evidence(number, kind, states) for number, (kind, states) in enumerate(members, 1)]
    shuffled = random.sample(documents, len(documents))
    aggregates = [aggregate_strength(order, {"defect": 0.5}, STANDARD_POLICY) for order in (documents, shuffled)]
    assert len({canonical_text(aggregate.document, "it") for aggregate in aggregates}) == 1
    models = [read(EVIDENCE_ARTIFACT, document) for document in documents]
    assert aggregate_strength(models, {"defect": 0.5}, STANDARD_POLICY) == aggregates[0]

"""Ingest: what becomes a condition, in which order, and what the trial looks like afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.faults import RuntimeFault
from evalnb.engine.score.conditions import (
    CrossArtifactDisagreement,
    DanglingCitation,
    DanglingDispositionCitation,
    DuplicateRecordIdentifier,
    EvaluatorConfigurationAbsent,
    EvaluatorConfigurationDigestMismatch,
    ForbiddenInputNotWithheld,
    IsolationManifestAbsent,
    IsolationManifestViolation,
    JudgeResultUnscored,
)
from evalnb.engine.score.ingest import ingest
from tests.engine.score import thermostat


def test_a_sound_record_has_no_condition() -> None:
    trial = thermostat.trial()
    assert trial.conditions == ()
    assert trial.isolation_violation == ()


def test_parts_are_put_in_order_whatever_the_record_says() -> None:
    trial = thermostat.trial(
        observations=[
            thermostat.observation("obs-9", 40, "read-room", 18),
            thermostat.observation("obs-2", 5, "set-target", 21),
        ],
        findings=[thermostat.finding("F-102", "obs-9"), thermostat.finding("F-101", "obs-9")],
        oracleDispositions=[
            thermostat.disposition("O-102", "held"),
            thermostat.disposition("O-101", "violated"),
        ],
    )
    assert [one.observation_id for one in trial.observations] == ["obs-2", "obs-9"]
    assert [one.finding_id for one in trial.findings] == ["F-101", "F-102"]
    assert [one.oracle_id for one in trial.dispositions] == ["O-101", "O-102"]


def test_repeated_identifiers_are_counted_by_subject() -> None:
    judged = {"rubricId": "R-101", "criterionId": "RC-101", "score": 1, "note": None}
    trial = thermostat.trial(
        observations=[
            thermostat.observation("obs-2", 1, "set-target", 21),
            thermostat.observation("obs-2", 2, "read-room", 18),
        ],
        findings=[thermostat.finding("F-101", "obs-2")] * 3,
        judgeResults=[judged, judged],
        oracleDispositions=[thermostat.disposition("O-101", "violated", "obs-2")] * 2,
    )
    assert trial.conditions == (
        DuplicateRecordIdentifier("observation", "obs-2", 2),
        DuplicateRecordIdentifier("finding", "F-101", 3),
        DuplicateRecordIdentifier("oracle-disposition", "O-101", 2),
        DuplicateRecordIdentifier("judge-result", "R-101/RC-101", 2),
    )


def test_dangling_citations_keep_their_own_order_inside_and_are_sorted_outside() -> None:
    trial = thermostat.trial(
        findings=[
            thermostat.finding("F-102", "obs-2", "gone-b", "gone-a", "gone-b"),
            thermostat.finding("F-101", "gone-c", "obs-2"),
        ],
        oracleDispositions=[
            thermostat.disposition("O-102", "held", "gone-d"),
            thermostat.disposition("O-101", "violated", "obs-2"),
        ],
    )
    assert trial.conditions == (
        DanglingCitation("F-101", ("gone-c",)),
        DanglingCitation("F-102", ("gone-b", "gone-a")),
        DanglingDispositionCitation("O-102", ("gone-d",)),
    )


def test_an_absent_manifest_and_configuration_are_conditions_of_their_own() -> None:
    trial = ingest(thermostat.record(), None, None)
    assert trial.conditions == (IsolationManifestAbsent(), EvaluatorConfigurationAbsent())
    assert trial.isolation_violation == ("isolation manifest absent",)


def test_what_lies_outside_the_allowlists_is_named_once_and_in_observed_order() -> None:
    manifest = thermostat.manifest(
        observedMounts=["/src", "/brief", "/src"],
        observedNetworkTargets=["evil:80"],
        observedToolCalls=["shell", "http"],
        violation="the sandbox was left",
    )
    trial = ingest(thermostat.record(), manifest, thermostat.configuration())
    assert trial.conditions == (
        IsolationManifestViolation("the sandbox was left", ("/src",), ("evil:80",), ("shell",)),
    )
    assert trial.isolation_violation == (
        "manifest violation: the sandbox was left",
        "mount outside allowlist: /src",
        "network target outside allowlist: evil:80",
        "tool call outside allowlist: shell",
    )


def test_forbidden_inputs_are_listed_in_the_order_of_the_floor() -> None:
    accounting = {name: {"withheld": True, "note": None} for name in reversed(thermostat.FORBIDDEN)}
    accounting["human-labels"] = accounting["source-code"] = {"withheld": False, "note": None}
    manifest = thermostat.manifest(forbiddenInputAccounting=accounting)
    trial = ingest(thermostat.record(), manifest, thermostat.configuration())
    assert trial.conditions == (ForbiddenInputNotWithheld(("source-code", "human-labels")),)


@pytest.mark.parametrize("field", ["runId", "contractDigest", "evaluatorConfigurationDigest"])
def test_record_and_manifest_must_name_the_same_run(field: str) -> None:
    value = "run-2" if field == "runId" else thermostat.OTHER_DIGEST
    record = thermostat.record()
    trial = ingest(record, thermostat.manifest(**{field: value}), thermostat.configuration())
    assert trial.conditions == (CrossArtifactDisagreement(field, record.document[field], value),)


def test_the_condition_arm_is_not_compared() -> None:
    trial = ingest(thermostat.record(), thermostat.manifest(conditionArm="other"), thermostat.configuration())
    assert trial.conditions == ()


def test_a_foreign_configuration_is_told_by_its_digest() -> None:
    trial = thermostat.trial(evaluatorConfigurationDigest=thermostat.OTHER_DIGEST)
    computed = thermostat.record().evaluator_configuration_digest
    assert trial.conditions == (
        CrossArtifactDisagreement("evaluatorConfigurationDigest", thermostat.OTHER_DIGEST, computed),
        EvaluatorConfigurationDigestMismatch(thermostat.OTHER_DIGEST, computed),
    )


def test_unscored_criteria_are_reported_once_each() -> None:
    def judged(criterion: str, score: int | None) -> dict[str, Any]:
        return {"rubricId": "R-101", "criterionId": criterion, "score": score, "note": None}

    trial = thermostat.trial(judgeResults=[judged("RC-102", None), judged("RC-101", None), judged("RC-103", 0)])
    assert trial.conditions == (
        JudgeResultUnscored("R-101", "RC-101"),
        JudgeResultUnscored("R-101", "RC-102"),
    )


def test_a_configuration_outside_the_hashed_domain_is_a_fault_and_no_condition() -> None:
    document = thermostat.configuration_document() | {"decodingParameters": {"temperature": float("inf")}}
    configuration = thermostat.configuration().model_copy().written_as(document)
    with pytest.raises(RuntimeFault) as raised:
        ingest(thermostat.record(), thermostat.manifest(), configuration)
    assert (raised.value.code, raised.value.artifact_path) == (
        "non-canonicalizable-value",
        "EvaluatorConfiguration",
    )

"""A small evaluation to score: a thermostat that is set and read back, and a probe whose writes are lost.

Every function returns fresh documents or models, so that a test may change what it got.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalnb.engine.artifacts import (
    EVAL_CONTRACT,
    EVALUATOR_CONFIGURATION,
    ISOLATION_MANIFEST,
    PREFLIGHT_VERDICT,
    PROBE,
    SCORING_POLICY,
    SEALED_RUN_RECORD,
    read,
)
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.score.ingest import ValidatedObservations, ingest

LINEAGE = {"parentDigest": None, "revisionCount": 0}
CORPUS_DIGEST = "sha256:" + "c" * 64
OTHER_DIGEST = "sha256:" + "d" * 64
REFERENCE = {"storage": "public", "path": "evidence.jsonl", "privateRef": None, "digest": "sha256:" + "e" * 64}
EMPTY_KEYS: dict[str, Any] = {"requiredKeys": [], "permittedKeys": [], "types": {}}
FORBIDDEN = (
    "original-spec",
    "source-code",
    "repository",
    "builder-transcript",
    "implementation-logs",
    "comparator-results",
    "human-labels",
)


def keys(required: Mapping[str, str | None], permitted: Mapping[str, str | None] | None = None) -> dict[str, Any]:
    permitted = permitted or {}
    return {"requiredKeys": [*required], "permittedKeys": [*permitted], "types": {**required, **permitted}}


def operation(name: str, method: str, template: str, body: dict[str, Any], answer: dict[str, str]) -> dict[str, Any]:
    return {
        "operationId": name,
        "method": method,
        "pathTemplate": template,
        "stateChangeMarker": method != "GET",
        "requestShape": {
            "path": keys({"room": "string"}),
            "query": EMPTY_KEYS,
            "header": EMPTY_KEYS,
            "body": body,
        },
        "responseDescriptor": {
            **keys(answer),
            "successIndicator": None,
            "channelRoles": None,
            "collectionLocations": None,
        },
        "volatilePointers": [],
        "sensitivityWitness": None,
    }


def step(name: str, operation_id: str, *, after: str | None = None, **bound: Any) -> dict[str, Any]:
    return {
        "stepId": name,
        "interfaceId": "home",
        "operationId": operation_id,
        "inputBinding": {"path": None, "query": None, "header": None, "body": None, **bound},
        "after": after,
        "cardinality": "exactly-one",
    }


def oracle(name: str, check: dict[str, Any] | None) -> dict[str, Any]:
    return {"id": name, "polarity": "expects-hold", "check": check, "direction": None, "commentary": None}


def behavior(name: str, severity: str, *oracles: str) -> dict[str, Any]:
    return {
        "id": name,
        "description": "The room follows its thermostat.",
        "severity": severity,
        "observableSuccessCriterion": "A read answers what was written.",
        "requirementLinks": [{"scheme": "local", "id": "REQ-1"}],
        "riskLinks": [],
        "oracles": [*oracles],
    }


STORED = {
    "op": "equality",
    "operands": [
        {"pointer": "/interactions/write/call-inputs/body/celsius"},
        {"pointer": "/interactions/read/response-body/celsius"},
    ],
}
ANSWERED = {
    "op": "equality",
    "operands": [{"pointer": "/interactions/write/response-status"}, {"literal": 200}],
}


def contract_document() -> dict[str, Any]:
    return {
        "schemaVersion": 7,
        **LINEAGE,
        "contractId": "thermostat",
        "sourceSpecDigest": None,
        "behaviors": [behavior("B-101", "critical", "O-101"), behavior("B-102", "low", "O-102")],
        "oracles": [oracle("O-101", STORED), oracle("O-102", ANSWERED)],
        "rubrics": [],
        "waivers": [],
        "referenceSets": None,
        "siblingGroups": None,
        "interactionPlan": [
            step("write", "set-target", path={"room": {"literal": "attic"}}),
            step("read", "read-room", after="write", path={"room": {"literal": "attic"}}),
        ],
        "scopedResources": None,
        "forbiddenInputs": [*FORBIDDEN],
        "testData": {"setup": None, "cleanup": None, "principals": None, "resources": None},
        "budgets": {"maxToolCalls": 10, "maxWallClockMinutes": 5, "maxCostUsd": "0.25"},
        "safetyLimits": [],
        "requiredEvidence": [],
        "probeStepBound": None,
        "fixtureReset": None,
        "permittedInterfaces": [
            {
                "logicalId": "home",
                "kind": "api",
                "operations": [
                    operation(
                        "set-target",
                        "PUT",
                        "/rooms/{room}",
                        keys({"celsius": "number"}, {"note": None}),
                        {"celsius": "number"},
                    ),
                    operation("read-room", "GET", "/rooms/{room}", EMPTY_KEYS, {"celsius": "number"}),
                ],
            }
        ],
    }


def signature_document() -> dict[str, Any]:
    binding: dict[str, Any] = dict.fromkeys(
        ("path", "query", "header", "body", "argument", "option", "environment", "stdin", "arguments")
    )
    return {
        "interfaceKind": "api",
        "method": "GET",
        "pathTemplate": "/rooms/{id}",
        "observableChannel": "response-body",
        "condition": {
            "selector": {"inputBinding": {**binding, "path": {"room": {"literal": "attic"}}}},
            "predicate": {
                "op": "equality",
                "operands": [{"pointer": "/interactions/observed/response-body/celsius"}, {"literal": 18}],
            },
        },
    }


def probe_document() -> dict[str, Any]:
    return {
        "schemaVersion": 6,
        **LINEAGE,
        "probeId": "P-101",
        "probeClass": "defect",
        "behaviorId": "B-101",
        "systemId": "thermostat",
        "implementationDigest": OTHER_DIGEST,
        "artifactDigest": OTHER_DIGEST,
        "commitDigest": OTHER_DIGEST,
        "rationale": "The write is acknowledged and lost.",
        "qualification": {
            "route": "controlled-mutation",
            "mutationSource": "by hand",
            "mutationOperator": "statement-deletion",
            "targetArtifact": REFERENCE,
            "expectedObservableFailure": "the old temperature is read back",
            "baselinePassEvidence": REFERENCE,
            "mutatedFailEvidence": REFERENCE,
            "rollbackVerified": True,
        },
        "expectedClean": False,
        "defects": [
            {
                "defectId": "D-101",
                "behaviorId": "B-101",
                "summary": "The write is lost.",
                "severity": "critical",
                "oracleEvidence": [],
                "source": "controlled-mutation",
                "manifestationWitness": None,
            }
        ],
        "defectSignature": signature_document(),
    }


def clean_probe_document() -> dict[str, Any]:
    document = probe_document()
    del document["defectSignature"]
    return document | {
        "probeId": "P-102",
        "probeClass": "zero-action",
        "expectedClean": True,
        "defects": [],
        "qualification": {
            "route": "clean-control",
            "baselinePassEvidence": REFERENCE,
            "revisionCommitDigest": OTHER_DIGEST,
            "noKnownDefectStatement": "Nothing is known to be wrong.",
        },
    }


def observation(name: str, sequence: int, operation_id: str, celsius: object, **changes: Any) -> dict[str, Any]:
    inputs: dict[str, Any] = dict.fromkeys(
        ("path", "query", "header", "body", "argument", "option", "environment", "stdin", "arguments")
    )
    inputs |= {"path": {"room": "attic"}, "bodyEncoding": None}
    if operation_id == "set-target":
        inputs["body"] = {"celsius": celsius}
    return {
        "observationId": name,
        "sequence": sequence,
        "interfaceId": "home",
        "operationId": operation_id,
        "provenance": "evaluator-chosen",
        "principal": None,
        "callInputs": inputs,
        "responseBody": {"celsius": celsius},
        "responseHeaders": None,
        "responseStatus": 200,
        "stdout": {"kind": "absent"},
        "stderr": {"kind": "absent"},
        "exitCode": None,
        "artifacts": {},
        **changes,
    }


def finding(name: str, *observations: str, **changes: Any) -> dict[str, Any]:
    return {
        "findingType": "defect",
        "findingId": name,
        "oracleId": "O-101",
        "probeId": "P-101",
        "behaviorId": "B-101",
        "severity": "critical",
        "summary": "The old temperature is read back.",
        "confidence": 0.9,
        "observationIds": [*observations],
        "evidenceArtifacts": [],
        "quotedEvidence": [{"quote": '"celsius":18', "channel": "response-body", "artifactId": None}],
        **changes,
    }


def disposition(oracle_id: str, given: str, *observations: str) -> dict[str, Any]:
    return {"oracleId": oracle_id, "disposition": given, "observationIds": [*observations], "note": None}


def configuration_document() -> dict[str, Any]:
    return {
        "schemaVersion": 1,
        **LINEAGE,
        "sealedBriefDigest": OTHER_DIGEST,
        "evaluatorIdentity": "evaluator",
        "modelSnapshot": "model-1",
        "systemPromptDigest": OTHER_DIGEST,
        "decodingParameters": {},
        "toolInventory": [],
        "permissionInventory": [],
        "budgets": {"maxToolCalls": 10, "maxWallClockMinutes": 5, "maxCostUsd": "0.25"},
        "seed": None,
        "judgeConfiguration": None,
    }


def record_document(trial_index: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "schemaVersion": 8,
        **LINEAGE,
        "runId": "run-1",
        "conditionArm": "mutated",
        "mode": "contract-scoring",
        "trialIndex": trial_index,
        "contractDigest": digest_artifact(contract_document(), "EvalContract"),
        "sealedBriefDigest": OTHER_DIGEST,
        "evaluatorConfigurationDigest": digest_artifact(configuration_document(), "EvaluatorConfiguration"),
        "evaluatorRecommendation": "FAIL",
        "oracleDispositions": [
            disposition("O-101", "violated", "obs-2"),
            disposition("O-102", "held", "obs-1"),
        ],
        "findings": [finding("F-101", "obs-2")],
        "observations": [
            observation("obs-1", 1, "set-target", 21),
            observation("obs-2", 2, "read-room", 18),
        ],
        "judgeResults": [],
        "actionsArtifact": REFERENCE,
        "isolationManifestArtifact": REFERENCE,
        "resourceUse": resource_use(),
        "evidenceDisclosure": {"truncationBound": None, "reportedIncomplete": False},
        **changes,
    }


def resource_use() -> dict[str, Any]:
    return {"toolCalls": 2, "inputTokens": 1, "outputTokens": 1, "wallClockSeconds": 1, "costUsd": "0.01"}


def manifest_document(**changes: Any) -> dict[str, Any]:
    record = record_document()
    shared = ("runId", "conditionArm", "contractDigest", "evaluatorConfigurationDigest")
    return {
        "schemaVersion": 1,
        **LINEAGE,
        **{key: record[key] for key in shared},
        "contractId": "thermostat",
        "modelSnapshot": "model-1",
        "systemPromptDigest": OTHER_DIGEST,
        "workspaceIdentity": "workspace",
        "allowedMounts": ["/brief"],
        "observedMounts": ["/brief"],
        "networkAllowlist": ["home:443"],
        "observedNetworkTargets": [],
        "toolAllowlist": ["http"],
        "observedToolCalls": ["http", "http"],
        "resourceCeilings": {
            "maxToolCalls": 10,
            "maxInputTokens": 10,
            "maxOutputTokens": 10,
            "maxWallClockMinutes": 5,
            "maxCostUsd": "0.25",
        },
        "actualResourceUse": resource_use(),
        "forbiddenInputAccounting": {name: {"withheld": True, "note": None} for name in FORBIDDEN},
        "violation": None,
        **changes,
    }


def verdict_document(**changes: Any) -> dict[str, Any]:
    return {
        "schemaVersion": 2,
        **LINEAGE,
        "runId": "run-1",
        "fixtureDigest": "sha256:" + "f" * 64,
        "passed": True,
        "checks": [],
        **changes,
    }


def policy_document(**changes: Any) -> dict[str, Any]:
    return {
        "schemaVersion": 2,
        **LINEAGE,
        "policyId": "policy",
        "severityFloor": "material",
        "confidenceThreshold": 0.7,
        "catchThreshold": 0.5,
        "minimumTrialCount": 1,
        "reExecutionCap": 2,
        "remediationCap": 3,
        "regexMatchStepBudget": 1000000,
        **changes,
    }


def contract(document: dict[str, Any] | None = None) -> Any:
    return read(EVAL_CONTRACT, document or contract_document())


def probe(document: dict[str, Any] | None = None) -> Any:
    return read(PROBE, document or probe_document())


def record(trial_index: int = 1, **changes: Any) -> Any:
    return read(SEALED_RUN_RECORD, record_document(trial_index, **changes))


def manifest(**changes: Any) -> Any:
    return read(ISOLATION_MANIFEST, manifest_document(**changes))


def configuration() -> Any:
    return read(EVALUATOR_CONFIGURATION, configuration_document())


def verdict(**changes: Any) -> Any:
    return read(PREFLIGHT_VERDICT, verdict_document(**changes))


def policy(**changes: Any) -> Any:
    return read(SCORING_POLICY, policy_document(**changes))


def trial(trial_index: int = 1, **changes: Any) -> ValidatedObservations:
    return ingest(record(trial_index, **changes), manifest(), configuration())

"""Small run-side documents, each of the newest stamp, for tests to read or to spoil."""

from __future__ import annotations

import copy
from typing import Any

DIGEST = "sha256:" + "a" * 64
REFERENCE = {"storage": "public", "path": "actions.jsonl", "privateRef": None, "digest": DIGEST}
ABSENT = {"kind": "absent"}
CHANNELS = ("path", "query", "header", "body", "argument", "option", "environment", "stdin", "arguments")


def lineage(stamp: int) -> dict[str, Any]:
    return {"schemaVersion": stamp, "parentDigest": None, "revisionCount": 0}


def observation(number: int = 1) -> dict[str, Any]:
    return {
        "observationId": f"seen-{number}",
        "sequence": number,
        "interfaceId": "notes",
        "operationId": "list-notes",
        "provenance": "baseline",
        "principal": None,
        "callInputs": {**dict.fromkeys(CHANNELS), "bodyEncoding": None},
        "responseBody": {"notes": [1, None, "two"]},
        "responseHeaders": None,
        "responseStatus": 200,
        "stdout": dict(ABSENT),
        "stderr": dict(ABSENT),
        "exitCode": None,
        "artifacts": {},
    }


def record(stamp: int = 8, observations: int = 2) -> dict[str, Any]:
    """A record; a lower stamp leaves out what its version does not know."""
    document = {
        **lineage(stamp),
        "runId": "run",
        "conditionArm": "arm:a",
        "mode": "contract-scoring",
        "trialIndex": 1,
        "contractDigest": DIGEST,
        "sealedBriefDigest": DIGEST,
        "evaluatorConfigurationDigest": DIGEST,
        "evaluatorRecommendation": "FAIL",
        "oracleDispositions": [
            {"oracleId": "O-001", "disposition": "violated", "observationIds": ["seen-1"], "note": None}
        ],
        "findings": [
            {
                "findingType": "defect",
                "findingId": "F-001",
                "oracleId": "O-001",
                "probeId": "P-001",
                "behaviorId": None,
                "severity": "material",
                "summary": "a note is missing",
                "confidence": 1,
                "observationIds": ["seen-1"],
                "evidenceArtifacts": [dict(REFERENCE)],
                "quotedEvidence": [{"quote": "two", "channel": "response-body", "artifactId": None}],
            }
        ],
        "observations": [observation(number + 1) for number in range(observations)],
        "judgeResults": [],
        "actionsArtifact": dict(REFERENCE),
        "isolationManifestArtifact": dict(REFERENCE),
        "resourceUse": {
            "toolCalls": 1,
            "inputTokens": 0,
            "outputTokens": 0,
            "wallClockSeconds": 0.5,
            "costUsd": "0.04",
        },
        "evidenceDisclosure": {"truncationBound": None, "reportedIncomplete": False},
    }
    for item in document["observations"]:
        if stamp < 8:
            del item["callInputs"]["bodyEncoding"]
        if stamp < 7:
            del item["interfaceId"]
    return document


def binding(**channels: Any) -> dict[str, Any]:
    return {**dict.fromkeys(CHANNELS), **channels}


def probe(stamp: int = 6) -> dict[str, Any]:
    """A seeded probe with an HTTP witness and signature."""
    return {
        **lineage(stamp),
        "probeId": "P-001",
        "probeClass": "defect",
        "behaviorId": "B-001",
        "systemId": "notes",
        "implementationDigest": DIGEST,
        "artifactDigest": DIGEST,
        "commitDigest": DIGEST,
        "rationale": "loses notes",
        "qualification": {"route": "canary", "indicts": "corpus", "nonDetectionEvidence": dict(REFERENCE)},
        "expectedClean": False,
        "defects": [
            {
                "defectId": "D-001",
                "behaviorId": "B-001",
                "summary": "the last note is dropped",
                "severity": "critical",
                "oracleEvidence": [],
                "source": "natural",
                "manifestationWitness": {
                    "legId": "fired",
                    "interfaceId": "notes",
                    "operationId": "add-note",
                    "inputs": {"path": {}, "query": {}, "header": {}, "body": {"kind": "json", "value": {}}},
                    "relation": {
                        "op": "existence",
                        "operands": [{"pointer": "/interactions/fired/response-body"}],
                    },
                },
            }
        ],
        "defectSignature": {
            "interfaceKind": "api",
            "method": "POST",
            "pathTemplate": "/notes",
            "observableChannel": "response-status",
            "condition": {
                "selector": {"inputBinding": binding(body={"title": {"matcher": "any"}})},
                "predicate": {
                    "op": "equality",
                    "operands": [{"pointer": "/interactions/observed/response-status"}, {"literal": 201}],
                },
            },
        },
    }


def clean_probe(stamp: int = 6) -> dict[str, Any]:
    document = probe(stamp)
    del document["defectSignature"]
    return {**document, "expectedClean": True, "defects": []}


def verdict(stamp: int = 2) -> dict[str, Any]:
    check = {
        "kind": "interface-present",
        "interfaceId": "notes",
        "operationId": "list-notes",
        "outcome": "satisfied",
        "note": None,
    }
    if stamp < 2:
        del check["interfaceId"]
    return {**lineage(stamp), "runId": "run", "fixtureDigest": DIGEST, "passed": True, "checks": [check]}


def evidence(mode: str = "production") -> dict[str, Any]:
    branch: dict[str, Any] = {"productionVerdict": "PASS"}
    if mode == "contract-scoring":
        branch = {
            "contractVerdict": "PASS",
            "uncitedFindingGaps": [],
            "systemRecommendationRecorded": "PASS",
            "systemRecommendationNote": None,
        }
    leaf = {"resolution": "true", "introductionCondition": None, "children": []}
    return {
        **lineage(4),
        "runId": "run",
        "scoredProbeId": "P-001",
        "scoringVersion": DIGEST,
        "scoringVersionInputs": {
            "contractSchemaVersion": 5,
            "corpusDigest": DIGEST,
            "fixtureDigest": DIGEST,
            "evaluatorConfigurationDigest": DIGEST,
            "scoringPolicyDigest": DIGEST,
            "mode": mode,
        },
        "comparabilityKey": DIGEST,
        "excludedProbeIds": [],
        "exitCode": 0,
        "verdictBasis": [],
        "callerAttestedInputs": ["mode"],
        "trials": {"declaredMinimum": 3, "completed": 1, "completedAttempts": [1], "invalidatedAttempts": []},
        "outcomes": [
            {
                "oracleId": "O-001",
                "trialIndex": 1,
                "probeId": None,
                "state": "confirmed",
                "severity": "low",
                "disposition": "held",
                "resolvedFrom": None,
                "corroboration": "agrees",
                "selectedObservationIds": ["seen-1"],
                "checkResolution": {**copy.deepcopy(leaf), "children": [leaf]},
            }
        ],
        "reducedProbeOutcomes": [],
        "uncitedFindings": [],
        "coverageGaps": [],
        "strength": {
            "denominator": "probes",
            "basis": "measured",
            "vector": {"defect": None, "gameability": None, "zero-action": None},
            "comparable": False,
            "note": None,
        },
        "remediation": {
            "revisionCount": 0,
            "cap": 3,
            "capSource": "caller-attested",
            "lineageChain": {"lengthConsistent": True, "noRepeatedDigest": True, "noGap": True},
        },
        "mode": mode,
        **branch,
    }


def contract(*interfaces: tuple[str, str]) -> dict[str, Any]:
    """A contract of stamp 7 whose interfaces each declare one operation, given as (interface, operation) pairs."""
    keys: dict[str, Any] = {"requiredKeys": [], "permittedKeys": [], "types": {}}
    declared = [
        {
            "logicalId": interface,
            "kind": "mcp",
            "operations": [
                {
                    "operationId": operation,
                    "toolName": operation,
                    "stateChangeMarker": False,
                    "requestShape": {"arguments": keys},
                    "descriptorChannel": {"kind": "structured-result"},
                    "responseDescriptor": {
                        **keys,
                        "successIndicator": None,
                        "channelRoles": None,
                        "collectionLocations": None,
                    },
                    "volatilePointers": [],
                    "sensitivityWitness": None,
                }
            ],
        }
        for interface, operation in interfaces
    ]
    empty: dict[str, list[Any]] = {
        name: [] for name in ("oracles", "rubrics", "waivers", "interactionPlan", "forbiddenInputs", "safetyLimits")
    }
    return {
        **lineage(7),
        **copy.deepcopy(empty),
        "contractId": "notes",
        "sourceSpecDigest": None,
        "behaviors": [
            {
                "id": "B-001",
                "description": "lists notes",
                "severity": "material",
                "observableSuccessCriterion": None,
                "requirementLinks": [],
                "riskLinks": [],
                "oracles": [],
            }
        ],
        "permittedInterfaces": declared,
        "referenceSets": None,
        "siblingGroups": None,
        "scopedResources": None,
        "testData": {"setup": None, "cleanup": None, "principals": None, "resources": None},
        "budgets": {"maxToolCalls": 0, "maxWallClockMinutes": 0, "maxCostUsd": "0"},
        "requiredEvidence": [],
        "probeStepBound": None,
        "fixtureReset": None,
    }

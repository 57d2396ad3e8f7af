"""A small contract around any check, and observations for its two steps."""

from __future__ import annotations

from typing import Any

from evalnb.engine.artifacts import EVAL_CONTRACT, EvalContract, Observation, read
from evalnb.engine.artifacts.issues import issues_of

_EMPTY = {"requiredKeys": [], "permittedKeys": [], "types": {}}


def pointer(text: str) -> dict[str, Any]:
    return {"pointer": text}


def literal(value: Any) -> dict[str, Any]:
    return {"literal": value}


NOTES = pointer("/interactions/list/response-body/notes")
TITLE = pointer("/interactions/list/response-body/title")
ID = pointer("@/id")


def contract_with(*checks: Any, polarity: str = "expects-hold") -> EvalContract:
    """A contract whose oracles O-001, O-002 ... carry these checks."""
    oracles = [
        {"id": f"O-{i:03}", "direction": None, "check": check, "polarity": polarity, "commentary": None}
        for i, check in enumerate(checks, start=1)
    ]
    document = {
        "schemaVersion": 7,
        "parentDigest": None,
        "revisionCount": 0,
        "contractId": "notebook",
        "sourceSpecDigest": None,
        "behaviors": [
            {
                "id": "B-001",
                "description": "lists notes",
                "severity": "material",
                "observableSuccessCriterion": "notes are listed",
                "requirementLinks": [],
                "riskLinks": [],
                "oracles": [oracle["id"] for oracle in oracles],
            }
        ],
        "oracles": oracles,
        "rubrics": [],
        "waivers": [],
        "permittedInterfaces": [
            {"logicalId": "api", "kind": "api", "operations": [_operation("list"), _operation("read")]}
        ],
        "referenceSets": {
            "labels": {"keys": ["name"], "members": [{"name": "red"}, {"name": "blue"}], "commentary": None},
            "pairs": {"keys": ["a", "b"], "members": [{"a": 1, "b": 2}], "commentary": None},
        },
        "siblingGroups": None,
        "interactionPlan": [_step("list"), _step("read")],
        "scopedResources": None,
        "forbiddenInputs": [],
        "testData": {"setup": None, "cleanup": None, "principals": None, "resources": None},
        "budgets": {"maxToolCalls": 1, "maxWallClockMinutes": 1, "maxCostUsd": "0"},
        "safetyLimits": [],
        "requiredEvidence": [],
        "probeStepBound": None,
        "fixtureReset": None,
    }
    contract: EvalContract = read(EVAL_CONTRACT, document)
    return contract


def observation(number: int, operation: str, body: Any) -> Observation:
    """One answer of an operation."""
    empty = {"kind": "absent"}
    document = {
        "observationId": f"obs-{number:03}",
        "sequence": number,
        "interfaceId": "api",
        "operationId": operation,
        "provenance": "baseline",
        "principal": None,
        "callInputs": {
            **dict.fromkeys(("path", "query", "header", "body", "argument", "option", "environment", "stdin")),
            "arguments": None,
            "bodyEncoding": None,
        },
        "responseBody": body,
        "responseHeaders": None,
        "responseStatus": 200,
        "stdout": empty,
        "stderr": empty,
        "exitCode": None,
        "artifacts": {},
    }
    assert not issues_of(Observation, document)
    return Observation.model_validate(document)


def _operation(name: str) -> dict[str, Any]:
    return {
        "operationId": name,
        "method": "GET",
        "pathTemplate": f"/{name}",
        "stateChangeMarker": False,
        "requestShape": {"path": _EMPTY, "query": _EMPTY, "header": _EMPTY, "body": _EMPTY},
        "responseDescriptor": {
            **_EMPTY,
            "successIndicator": None,
            "channelRoles": None,
            "collectionLocations": [
                {"pointer": "/notes", "expectedCardinality": {"mode": "at-most", "max": 99}, "referenceSet": None}
            ],
        },
        "volatilePointers": [],
        "sensitivityWitness": None,
    }


def _step(name: str) -> dict[str, Any]:
    return {
        "stepId": name,
        "interfaceId": "api",
        "operationId": name,
        "inputBinding": {"path": None, "query": None, "header": None, "body": None},
        "after": None,
        "cardinality": "exactly-one",
    }

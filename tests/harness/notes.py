"""The contract and the targets of the notes server."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

SERVER = Path(__file__).with_name("notes_server.py")
FLOOR = [
    "original-spec",
    "source-code",
    "repository",
    "builder-transcript",
    "implementation-logs",
    "comparator-results",
    "human-labels",
]


def at(pointer: str) -> dict[str, Any]:
    return {"pointer": f"/interactions/{pointer}"}


def equal(pointer: str, value: Any) -> dict[str, Any]:
    return {"op": "equality", "operands": [at(pointer), {"literal": value}]}


def same(one: str, other: str) -> dict[str, Any]:
    return {"op": "equality", "operands": [at(one), at(other)]}


def exists(pointer: str) -> dict[str, Any]:
    return {"op": "existence", "operands": [at(pointer)]}


def every(*operands: dict[str, Any]) -> dict[str, Any]:
    return {"op": "all", "operands": list(operands)}


def oracle(number: int, check: dict[str, Any]) -> dict[str, Any]:
    first = check
    while "op" in first["operands"][0]:
        first = first["operands"][0]
    return {
        "id": f"O-{number:03d}",
        "direction": {
            "evidenceTargets": [first["operands"][0]["pointer"]],
            "relation": check["op"],
            "polarity": "expects-hold",
            "scope": None,
            "negativeDomain": None,
        },
        "check": check,
        "polarity": "expects-hold",
        "commentary": None,
    }


def behavior(number: int, severity: str, *oracles: str) -> dict[str, Any]:
    return {
        "id": f"B-{number:03d}",
        "description": f"Behavior {number}.",
        "severity": severity,
        "observableSuccessCriterion": "The answer says so.",
        "requirementLinks": [{"scheme": "note", "id": f"N-{number}"}],
        "riskLinks": [{"scheme": "note", "id": f"K-{number}"}],
        "oracles": list(oracles),
    }


def operation(name: str, tool: str, writes: bool, key: str, legs: tuple[Any, Any], keys: dict[str, str]) -> Any:
    shown = f"response-body/{next(k for k in keys if k not in ('ok',))}"
    return {
        "operationId": name,
        "toolName": tool,
        "stateChangeMarker": writes,
        "requestShape": {"arguments": {"requiredKeys": [key], "permittedKeys": [key], "types": {key: "string"}}},
        "descriptorChannel": {"kind": "structured-result"},
        "responseDescriptor": {
            "requiredKeys": list(keys),
            "permittedKeys": [*keys, "error"],
            "types": {**keys, "error": None},
            "successIndicator": "/ok",
            "channelRoles": {"/ok": "success-indicator"},
            "collectionLocations": [],
        },
        "volatilePointers": [],
        "sensitivityWitness": {
            "witnessId": f"{name}-input-matters",
            "channel": "arguments",
            "legs": [
                {"legId": f"{name}-leg-{n}", "inputs": {"arguments": {key: value}}} for n, value in enumerate(legs, 1)
            ],
            "relation": {"op": "not", "operands": [same(f"{name}-leg-1/{shown}", f"{name}-leg-2/{shown}")]},
        },
    }


def step(step_id: str, operation_id: str, key: str, value: Any, after: str | None = None) -> dict[str, Any]:
    return {
        "stepId": step_id,
        "interfaceId": "notes",
        "operationId": operation_id,
        "inputBinding": {"arguments": {key: value}},
        "after": after,
        "cardinality": "exactly-one",
    }


READ_BACK = every(
    equal("list-after/response-body/total", 1),
    same("list-after/response-body/notes/0/text", "add-first/call-inputs/arguments/text"),
    same("list-after/response-body/notes/0/id", "add-first/response-body/id"),
)
REFUSED = every(
    equal("add-malformed/response-status", 1),
    equal("add-malformed/response-body/ok", False),
    equal("list-malformed/response-status", 1),
)
ACKNOWLEDGED = every(equal("add-first/response-body/ok", True), equal("add-first/response-body/length", 9))
VACUOUS = exists("list-after/response-body/ok")
NEVER_FAILS = {
    "op": "any",
    "operands": [exists("list-after/response-body"), equal("list-after/response-body/total", 1)],
}


def contract(*checks: dict[str, Any]) -> dict[str, Any]:
    """A contract whose oracles have these checks, each in a behavior of its own."""
    severities = ("critical", "material", "low")
    return {
        "schemaVersion": 7,
        "parentDigest": None,
        "revisionCount": 0,
        "contractId": "notes",
        "sourceSpecDigest": None,
        "behaviors": [behavior(n, severities[(n - 1) % 3], f"O-{n:03d}") for n, _ in enumerate(checks, 1)],
        "oracles": [oracle(n, check) for n, check in enumerate(copy.deepcopy(checks), 1)],
        "rubrics": [],
        "waivers": [],
        "permittedInterfaces": [
            {
                "logicalId": "notes",
                "kind": "mcp",
                "operations": [
                    operation(
                        "list-notes",
                        "list_notes",
                        False,
                        "prefix",
                        ("", 7),
                        {"ok": "boolean", "total": "number", "notes": "array"},
                    ),
                    operation(
                        "add-note",
                        "add_note",
                        True,
                        "text",
                        ("Milk", "Two loaves"),
                        {"ok": "boolean", "length": "number", "id": "string"},
                    ),
                    operation(
                        "reset",
                        "reset",
                        True,
                        "confirm",
                        ("yes", "please"),
                        {"ok": "boolean", "said": "string", "count": "number"},
                    ),
                ],
            }
        ],
        "referenceSets": None,
        "siblingGroups": None,
        "interactionPlan": [
            step("add-first", "add-note", "text", {"literal": "Buy bread"}),
            step("list-after", "list-notes", "prefix", {"literal": "Buy"}, "add-first"),
            step("add-malformed", "add-note", "text", {"matcher": "type-violating"}),
            step("list-malformed", "list-notes", "prefix", {"matcher": "type-violating"}),
        ],
        "scopedResources": None,
        "forbiddenInputs": FLOOR,
        "testData": {"setup": None, "cleanup": None, "principals": None, "resources": None},
        "budgets": {"maxToolCalls": 20, "maxWallClockMinutes": 5, "maxCostUsd": "0"},
        "safetyLimits": [],
        "requiredEvidence": [],
        "probeStepBound": None,
        "fixtureReset": {
            "legId": "forget-all",
            "interfaceId": "notes",
            "operationId": "reset",
            "inputs": {"arguments": {"confirm": "yes"}},
        },
    }


def strong() -> dict[str, Any]:
    return contract(READ_BACK, REFUSED, ACKNOWLEDGED)


def targets(instances: str = "per-arm", elapsed_ms: int = 20_000) -> dict[str, Any]:
    return {
        "instances": instances,
        "mcp": {
            "authorizations": [
                {
                    "interfaceId": "notes",
                    "target": "{python}",
                    "targetArgs": ["-I", "-S", str(SERVER)],
                    "tools": ["list_notes", "add_note", "reset"],
                    "cwd": "{scratch}",
                    "serverEnvironment": {},
                    "maxElapsedMs": elapsed_ms,
                    "maxOutputBytes": 200_000,
                }
            ],
            "connections": {"notes": {"session": "per-run"}},
        },
    }

"""Small documents of our own that the tests of the artifact shapes start from, each built anew."""

from __future__ import annotations

from typing import Any

LIST_BODY = "/interactions/list-notes/response-body"


def contract(stamp: int = 7) -> dict[str, Any]:
    """A contract over one HTTP interface and one command, in the shape of its stamp."""
    document: dict[str, Any] = {
        "schemaVersion": stamp,
        "parentDigest": None,
        "revisionCount": 0,
        "contractId": "notes",
        "sourceSpecDigest": None,
        "behaviors": [behavior()],
        "oracles": [oracle()],
        "rubrics": [],
        "waivers": [],
        "permittedInterfaces": [api_interface(), cli_interface()],
        "referenceSets": {"known": {"keys": ["id"], "members": [{"id": 1}], "commentary": None}},
        "siblingGroups": {"operations": [[member("api", "list"), member("tool", "export")]], "parameters": []},
        "interactionPlan": [step()],
        "scopedResources": None,
        "forbiddenInputs": ["source-code"],
        "testData": {"setup": None, "cleanup": None, "principals": {"owner": {"kind": "user"}}, "resources": None},
        "budgets": {"maxToolCalls": 5, "maxWallClockMinutes": 1, "maxCostUsd": "0.50"},
        "safetyLimits": [],
        "requiredEvidence": [],
        "probeStepBound": None,
        "fixtureReset": None,
    }
    if stamp < 6:
        for item in document["interactionPlan"]:
            del item["interfaceId"]
        document["siblingGroups"]["operations"] = [["list", "export"]]
    return document


def behavior() -> dict[str, Any]:
    """A behavior with one oracle."""
    return {
        "id": "B-001",
        "description": "The list shows every note.",
        "severity": "material",
        "observableSuccessCriterion": "every known note is in the answer",
        "requirementLinks": [{"scheme": "req", "id": "1"}],
        "riskLinks": [],
        "oracles": ["O-001"],
    }


def oracle() -> dict[str, Any]:
    """An oracle whose check looks at the list step."""
    return {
        "id": "O-001",
        "direction": {
            "evidenceTargets": [LIST_BODY],
            "relation": "all",
            "polarity": "expects-hold",
            "scope": None,
            "negativeDomain": None,
        },
        "check": {"op": "all", "operands": [existence(), equality("/total", 2)]},
        "polarity": "expects-hold",
        "commentary": None,
    }


def existence() -> dict[str, Any]:
    """There is a list body."""
    return {"op": "existence", "operands": [{"pointer": LIST_BODY}]}


def equality(tail: str, value: Any) -> dict[str, Any]:
    """The list body holds `value` at `tail`."""
    return {"op": "equality", "operands": [{"pointer": LIST_BODY + tail}, {"literal": value}]}


def descriptor() -> dict[str, Any]:
    """An answer with a total and a collection."""
    return {
        "requiredKeys": ["total"],
        "permittedKeys": ["total", "items"],
        "types": {"total": "number", "items": None},
        "successIndicator": "/total",
        "channelRoles": {"/items": "collection", "": "payload"},
        "collectionLocations": [
            {"pointer": "/items", "expectedCardinality": {"mode": "at-most", "max": 3}, "referenceSet": "known"}
        ],
    }


def api_interface() -> dict[str, Any]:
    """An HTTP interface with one operation."""
    operation = {
        "operationId": "list",
        "method": "GET",
        "pathTemplate": "/notes/{owner}",
        "stateChangeMarker": False,
        "requestShape": no_keys("path", "query", "header", "body"),
        "responseDescriptor": descriptor(),
        "volatilePointers": ["/items/0/readAt"],
        "sensitivityWitness": {
            "witnessId": "by-owner",
            "channel": "path",
            "legs": [leg("mine", "a"), leg("theirs", "b")],
            "relation": {"op": "not", "operands": [existence()]},
        },
    }
    return {"logicalId": "api", "kind": "api", "operations": [operation]}


def no_keys(*channels: str) -> dict[str, Any]:
    """A request that takes no keys on any channel."""
    return {channel: {"requiredKeys": [], "permittedKeys": [], "types": {}} for channel in channels}


def leg(leg_id: str, owner: str) -> dict[str, Any]:
    """A witness leg over HTTP."""
    inputs = {"path": {"owner": owner}, "query": {}, "header": {"Accept": "*/*"}, "body": {"kind": "absent"}}
    return {"legId": leg_id, "inputs": inputs}


def cli_interface() -> dict[str, Any]:
    """A command that writes a file."""
    operation = {
        "operationId": "export",
        "invocation": {"executable": "notes", "subcommandPath": ["export"]},
        "stateChangeMarker": False,
        "requestShape": no_keys("argument", "option", "environment", "stdin"),
        "artifacts": ["report"],
        "descriptorChannel": {"kind": "artifact", "artifactId": "report"},
        "responseDescriptor": descriptor(),
        "volatilePointers": [],
        "sensitivityWitness": None,
    }
    return {"logicalId": "tool", "kind": "cli", "operations": [operation]}


def member(interface_id: str, operation_id: str) -> dict[str, Any]:
    """A sibling operation."""
    return {"interfaceId": interface_id, "operationId": operation_id}


def step() -> dict[str, Any]:
    """A plan step over HTTP."""
    return {
        "stepId": "list-notes",
        "interfaceId": "api",
        "operationId": "list",
        "inputBinding": {"path": {"owner": {"principal": "owner"}}, "query": None, "header": None, "body": None},
        "after": None,
        "cardinality": "exactly-one",
    }


def raw_body() -> dict[str, Any]:
    """A request body of three bytes."""
    return {"kind": "raw", "base64": "AAEC", "contentType": "application/octet-stream"}

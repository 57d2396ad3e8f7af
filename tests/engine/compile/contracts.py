"""Small contracts to break: one API with a plan, an oracle, a rubric and witnesses, and a command or a tool beside it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

Document = dict[str, Any]


def keys(*required: str, types: str = "string", permitted: Sequence[str] = ()) -> Document:
    """A keyed shape whose keys all have one type."""
    named = [*required, *permitted]
    return {"requiredKeys": list(required), "permittedKeys": list(permitted), "types": dict.fromkeys(named, types)}


def described(shape: Document, **more: Any) -> Document:
    """A response descriptor of that shape."""
    return {**shape, "successIndicator": None, "channelRoles": None, "collectionLocations": None, **more}


def pointer(text: str) -> Document:
    return {"pointer": text}


def existence(text: str) -> Document:
    return {"op": "existence", "operands": [pointer(text)]}


def differ(first: str, second: str) -> Document:
    """The relation of a witness: what the two pointers address is not one value."""
    compared = {"op": "deep-equality", "operands": [pointer(first), pointer(second)]}
    return {"op": "not", "operands": [compared]}


def http_inputs(**channels: Any) -> Document:
    return {"path": {}, "query": {}, "header": {}, "body": {"kind": "absent"}, **channels}


def http_operation(operation_id: str, method: str, path: str, **changes: Any) -> Document:
    """An operation that takes nothing and answers `{id}`."""
    return {
        "operationId": operation_id,
        "method": method,
        "pathTemplate": path,
        "stateChangeMarker": False,
        "requestShape": {"path": keys(), "query": keys(), "header": keys(), "body": keys()},
        "responseDescriptor": described(keys("id")),
        "volatilePointers": [],
        "sensitivityWitness": None,
        **changes,
    }


def step(step_id: str, operation_id: str, *, interface_id: str = "notes", **changes: Any) -> Document:
    """A step that binds nothing."""
    binding = {"path": None, "query": None, "header": None, "body": None}
    return {
        "stepId": step_id,
        "interfaceId": interface_id,
        "operationId": operation_id,
        "inputBinding": binding,
        "after": None,
        "cardinality": "exactly-one",
        **changes,
    }


def bind(channel: str, **values: Any) -> Document:
    """An API input binding of one channel."""
    return {"path": None, "query": None, "header": None, "body": None, channel: values}


def oracle(check: Document, targets: Sequence[str], relation: str, oracle_id: str = "O-001") -> Document:
    return {
        "id": oracle_id,
        "direction": {
            "evidenceTargets": list(targets),
            "relation": relation,
            "polarity": "expects-hold",
            "scope": None,
            "negativeDomain": None,
        },
        "check": check,
        "polarity": "expects-hold",
        "commentary": None,
    }


def _create() -> Document:
    legs = ("create-a", "create-b")
    return http_operation(
        "create-note",
        "POST",
        "/notes",
        stateChangeMarker=True,
        requestShape={"path": keys(), "query": keys(), "header": keys(), "body": keys("title")},
        responseDescriptor=described(
            {"requiredKeys": ["id", "count", "tags"], "permittedKeys": [], "types": {"id": "string", "count": "number"}}
        ),
        sensitivityWitness={
            "witnessId": "create-varies",
            "channel": "body",
            "legs": [
                {"legId": leg, "inputs": http_inputs(body={"kind": "json", "value": {"title": leg}})} for leg in legs
            ],
            "relation": differ(*(f"/interactions/{leg}/response-body/id" for leg in legs)),
        },
    )


def _list() -> Document:
    legs = ("list-a", "list-b")
    return http_operation(
        "list-notes",
        "GET",
        "/notes",
        requestShape={"path": keys(), "query": keys("owner"), "header": keys(), "body": keys()},
        responseDescriptor=described(keys("items", types="array")),
        sensitivityWitness={
            "witnessId": "list-varies",
            "channel": "query",
            "legs": [{"legId": leg, "inputs": http_inputs(query={"owner": leg})} for leg in legs],
            "relation": differ(*(f"/interactions/{leg}/response-body/items" for leg in legs)),
        },
    )


def rubric(rubric_id: str = "R-001") -> Document:
    criterion = {
        "id": "RC-001",
        "text": "Every note is listed once.",
        "evidence": "/interactions/list/response-body/items",
    }
    return {
        "id": rubric_id,
        "scaleLevels": [{"level": 0, "anchor": "No note is listed."}, {"level": 1, "anchor": "Every note is listed."}],
        "failureModePenalties": [{"name": "omission", "description": "A note is left out."}],
        "maxLength": 400,
        "criteria": [criterion],
    }


def api_contract() -> Document:
    """A contract over one HTTP interface that compiles."""
    return {
        "schemaVersion": 7,
        "parentDigest": None,
        "revisionCount": 0,
        "contractId": "notes-contract",
        "sourceSpecDigest": None,
        "behaviors": [
            {
                "id": "B-001",
                "description": "What was written can be read back.",
                "severity": "material",
                "observableSuccessCriterion": "The list holds the note that was created.",
                "requirementLinks": [{"scheme": "tracker", "id": "NOTE-1"}],
                "riskLinks": [],
                "oracles": ["O-001"],
            }
        ],
        "oracles": [
            oracle(
                {
                    "op": "covers-by-key",
                    "operands": [{"referenceSet": "notes"}, pointer("/interactions/list/response-body/items")],
                    "expectedKey": "id",
                    "actualKey": "id",
                },
                ["/interactions/list/response-body/items"],
                "covers-by-key",
            )
        ],
        "rubrics": [rubric()],
        "waivers": [
            {
                "id": "W-001",
                "rule": "rule-1",
                "rationale": "Not applicable to a single list.",
                "condition": None,
                "approval": "the owner of the notes service",
                "expiresAt": "2030-01-01T00:00:00Z",
            }
        ],
        "permittedInterfaces": [{"logicalId": "notes", "kind": "api", "operations": [_create(), _list()]}],
        "referenceSets": {"notes": {"keys": ["id"], "members": [{"id": "n-1"}, {"id": "n-2"}], "commentary": None}},
        "siblingGroups": None,
        "interactionPlan": [
            step("create", "create-note", inputBinding=bind("body", title={"literal": "a"})),
            step("list", "list-notes", inputBinding=bind("query", owner={"literal": "me"}), after="create"),
        ],
        "scopedResources": None,
        "forbiddenInputs": [
            "original-spec",
            "source-code",
            "repository",
            "builder-transcript",
            "implementation-logs",
            "comparator-results",
            "human-labels",
        ],
        "testData": {
            "setup": None,
            "cleanup": None,
            "principals": {"owner": {"kind": "account"}},
            "resources": None,
        },
        "budgets": {"maxToolCalls": 20, "maxWallClockMinutes": 5, "maxCostUsd": "1.00"},
        "safetyLimits": [],
        "requiredEvidence": [],
        "probeStepBound": None,
        "fixtureReset": None,
    }


def command_interface() -> Document:
    """A command that writes a report, describes it, and also writes a log."""
    legs = ("count-a", "count-b")

    def inputs(word: str) -> Document:
        return {"argument": {}, "option": {}, "environment": {}, "stdin": {"kind": "json", "value": {"word": word}}}

    return {
        "logicalId": "counter",
        "kind": "cli",
        "operations": [
            {
                "operationId": "count-words",
                "invocation": {"executable": "counter", "subcommandPath": ["words"]},
                "stateChangeMarker": False,
                "requestShape": {"argument": keys(), "option": keys(), "environment": keys(), "stdin": keys("word")},
                "artifacts": ["report", "log"],
                "descriptorChannel": {"kind": "artifact", "artifactId": "report"},
                "responseDescriptor": described(keys("total", types="number")),
                "volatilePointers": [],
                "sensitivityWitness": {
                    "witnessId": "count-varies",
                    "channel": "stdin",
                    "legs": [{"legId": leg, "inputs": inputs(leg)} for leg in legs],
                    "relation": differ(*(f"/interactions/{leg}/artifact/report/total" for leg in legs)),
                },
            }
        ],
    }


def tool_interface() -> Document:
    """A tool server with one tool that takes nothing."""
    return {
        "logicalId": "tools",
        "kind": "mcp",
        "operations": [
            {
                "operationId": "ping",
                "toolName": "ping",
                "stateChangeMarker": False,
                "requestShape": {"arguments": keys()},
                "descriptorChannel": {"kind": "structured-result"},
                "responseDescriptor": described(keys("pong", types="boolean")),
                "volatilePointers": [],
                "sensitivityWitness": None,
            }
        ],
    }


def mixed_contract() -> Document:
    """The API contract with the command and the tool beside it, and a step for each."""
    document = api_contract()
    document["permittedInterfaces"] += [command_interface(), tool_interface()]
    command_binding = {"argument": None, "option": None, "environment": None, "stdin": {"word": {"literal": "a"}}}
    document["interactionPlan"] += [
        step("count", "count-words", interface_id="counter", inputBinding=command_binding),
        step("ping", "ping", interface_id="tools", inputBinding={"arguments": None}),
    ]
    return document


def at(document: Any, *path: str | int) -> Any:
    """The value at a path of keys and positions."""
    for part in path:
        document = document[part]
    return document


def changed(document: Document, *path: str | int, to: Any) -> Document:
    """A copy with one value replaced, or added at a new key."""
    copied = copy.deepcopy(document)
    at(copied, *path[:-1])[path[-1]] = to
    return copied

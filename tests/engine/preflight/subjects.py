"""Small contracts, probes and answers that the pre-flight tests are stated over, as JSON documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Document = dict[str, Any]

DIGEST = "sha256:" + "0" * 64
ABSENT: Document = {"kind": "absent"}
NO_KEYS: Document = {"requiredKeys": [], "permittedKeys": [], "types": {}}


def keys(*required: str, permitted: Sequence[str] = ()) -> Document:
    return {"requiredKeys": list(required), "permittedKeys": [*required, *permitted], "types": {}}


def json_body(value: Any) -> Document:
    return {"kind": "json", "value": value}


def api_inputs(body: Document = ABSENT, **channels: Document) -> Document:
    return {"path": {}, "query": {}, "header": {}, **channels, "body": body}


def cli_inputs(stdin: Document = ABSENT, **channels: Document) -> Document:
    return {"argument": {}, "option": {}, "environment": {}, **channels, "stdin": stdin}


def mcp_inputs(**arguments: Any) -> Document:
    return {"arguments": arguments}


def differs(first: str, second: str, tail: str) -> Document:
    pointers = [{"pointer": f"/interactions/{leg}/{tail}"} for leg in (first, second)]
    return {"op": "not", "operands": [{"op": "deep-equality", "operands": pointers}]}


def witness(channel: str, first: Document, second: Document, name: str, tail: str = "response-body") -> Document:
    """A sensitivity witness with the legs `<name>-a` and `<name>-b`."""
    legs = [{"legId": f"{name}-a", "inputs": first}, {"legId": f"{name}-b", "inputs": second}]
    return {
        "witnessId": f"{name}-sensitivity",
        "channel": channel,
        "legs": legs,
        "relation": differs(f"{name}-a", f"{name}-b", tail),
    }


def _operation(operation_id: str, address: Document, shape: Document, options: Document) -> Document:
    operation = {
        "operationId": operation_id,
        **address,
        "stateChangeMarker": options.pop("writes", False),
        "requestShape": shape,
        "responseDescriptor": {
            **NO_KEYS,
            "successIndicator": None,
            "channelRoles": None,
            "collectionLocations": options.pop("collections", None),
        },
        "volatilePointers": options.pop("volatile", []),
        "sensitivityWitness": options.pop("sensitivity", None),
    }
    if "reset_pointers" in options:
        operation["stateResetPointers"] = options.pop("reset_pointers")
    assert not options, options
    return operation


def api_operation(operation_id: str, *, method: str = "GET", shape: Document | None = None, **options: Any) -> Document:
    address = {"method": method, "pathTemplate": f"/{operation_id}"}
    channels = {"path": NO_KEYS, "query": NO_KEYS, "header": NO_KEYS, "body": NO_KEYS, **(shape or {})}
    return _operation(operation_id, address, channels, options)


def cli_operation(
    operation_id: str,
    *,
    describes: Document | None = None,
    artifacts: Sequence[str] = (),
    shape: Document | None = None,
    **options: Any,
) -> Document:
    address = {
        "invocation": {"executable": "tool", "subcommandPath": [operation_id]},
        "artifacts": list(artifacts),
        "descriptorChannel": describes or {"kind": "stream", "channel": "stdout"},
    }
    channels = {"argument": NO_KEYS, "option": NO_KEYS, "environment": NO_KEYS, "stdin": NO_KEYS, **(shape or {})}
    return _operation(operation_id, address, channels, options)


def mcp_operation(operation_id: str, *, arguments: Document | None = None, **options: Any) -> Document:
    address = {"toolName": operation_id, "descriptorChannel": {"kind": "structured-result"}}
    return _operation(operation_id, address, {"arguments": arguments or NO_KEYS}, options)


def interface(logical_id: str, kind: str, *operations: Document) -> Document:
    return {"logicalId": logical_id, "kind": kind, "operations": list(operations)}


BEHAVIOR: Document = {
    "id": "B-001",
    "description": "lists what is there",
    "severity": "low",
    "observableSuccessCriterion": None,
    "requirementLinks": [],
    "riskLinks": [],
    "oracles": [],
}


def contract(*interfaces: Document, **fields: Any) -> Document:
    return {
        "schemaVersion": 7,
        "parentDigest": None,
        "revisionCount": 0,
        "contractId": "preflight-subject",
        "sourceSpecDigest": None,
        "behaviors": [BEHAVIOR],
        "oracles": [],
        "rubrics": [],
        "waivers": [],
        "permittedInterfaces": list(interfaces),
        "referenceSets": None,
        "siblingGroups": None,
        "interactionPlan": [],
        "scopedResources": None,
        "forbiddenInputs": [],
        "testData": {"setup": None, "cleanup": None, "principals": None, "resources": None},
        "budgets": {"maxToolCalls": 0, "maxWallClockMinutes": 0, "maxCostUsd": "0"},
        "safetyLimits": [],
        "requiredEvidence": [],
        "probeStepBound": None,
        "fixtureReset": None,
        **fields,
    }


def manifestation(leg_id: str, interface_id: str, operation_id: str, inputs: Document, relation: Document) -> Document:
    return {
        "legId": leg_id,
        "interfaceId": interface_id,
        "operationId": operation_id,
        "inputs": inputs,
        "relation": relation,
    }


def defect(defect_id: str, shown_by: Document | None) -> Document:
    return {
        "defectId": defect_id,
        "behaviorId": "B-001",
        "summary": "rows are broken",
        "severity": "critical",
        "oracleEvidence": [],
        "source": "controlled-mutation",
        "manifestationWitness": shown_by,
    }


REFERENCE: Document = {"storage": "public", "path": "evidence.jsonl", "privateRef": None, "digest": DIGEST}
_PROBE: Document = {
    "schemaVersion": 6,
    "parentDigest": None,
    "revisionCount": 0,
    "behaviorId": "B-001",
    "systemId": "things",
    "implementationDigest": DIGEST,
    "artifactDigest": DIGEST,
    "commitDigest": DIGEST,
    "rationale": "a subject of the pre-flight tests",
}
_NOTHING_BOUND: Document = dict.fromkeys(
    ("path", "query", "header", "body", "argument", "option", "environment", "stdin", "arguments")
)


def seeded_probe(*defects: Document, probe_id: str = "P-001") -> Document:
    return {
        **_PROBE,
        "probeId": probe_id,
        "probeClass": "defect",
        "expectedClean": False,
        "qualification": {
            "route": "controlled-mutation",
            "mutationSource": "by hand",
            "mutationOperator": "constant-substitution",
            "targetArtifact": REFERENCE,
            "expectedObservableFailure": "rows are broken",
            "baselinePassEvidence": REFERENCE,
            "mutatedFailEvidence": REFERENCE,
            "rollbackVerified": True,
        },
        "defectSignature": {
            "interfaceKind": "api",
            "method": "GET",
            "pathTemplate": "/list",
            "observableChannel": "response-status",
            "condition": {
                "selector": {"inputBinding": _NOTHING_BOUND},
                "predicate": equals("observed/response-status", 200),
            },
        },
        "defects": list(defects),
    }


def clean_probe() -> Document:
    return {
        **_PROBE,
        "probeId": "P-900",
        "probeClass": "zero-action",
        "expectedClean": True,
        "qualification": {
            "route": "clean-control",
            "baselinePassEvidence": REFERENCE,
            "revisionCommitDigest": DIGEST,
            "noKnownDefectStatement": "none known",
        },
        "defects": [],
    }


def equals(place: str, literal: Any) -> Document:
    return {"op": "equality", "operands": [{"pointer": f"/interactions/{place}"}, {"literal": literal}]}


def api_answer(leg: str, operation: str, value: Any, *, status: int = 200, **fields: Any) -> Document:
    return {
        "probeId": leg,
        "interfaceId": "things",
        "operationId": operation,
        "kind": "api",
        "status": status,
        "headers": {},
        "body": json_body(value),
        **fields,
    }


def cli_answer(leg: str, operation: str, **fields: Any) -> Document:
    return {
        "probeId": leg,
        "interfaceId": "tool",
        "operationId": operation,
        "kind": "cli",
        "exitCode": 0,
        "stdout": ABSENT,
        "stderr": ABSENT,
        "artifacts": {},
        **fields,
    }


def mcp_answer(leg: str, operation: str, value: Any = None, **fields: Any) -> Document:
    return {
        "probeId": leg,
        "interfaceId": "server",
        "operationId": operation,
        "kind": "mcp",
        "isError": False,
        "result": json_body(value),
        **fields,
    }


LIST_OPERATION = api_operation(
    "list",
    shape={"query": keys(permitted=["limit"])},
    sensitivity=witness("query", api_inputs(query={"limit": 1}), api_inputs(query={"limit": 2}), "list"),
)
BROKEN_ROW = equals("fault/response-body/0/broken", True)
LIST_FAULT = manifestation("fault", "things", "list", api_inputs(query={"limit": 1}), BROKEN_ROW)


def things(*operations: Document, **fields: Any) -> Document:
    """A contract over one HTTP interface; without operations given, over the `list` operation alone."""
    return contract(interface("things", "api", *(operations or (LIST_OPERATION,))), **fields)


def list_answers(fault: Any = ({"broken": True},), **replaced: Document) -> list[Document]:
    """Good answers to every leg of the `list` operation and to its fault leg."""
    answers = {
        "list-a": api_answer("list-a", "list", [{"id": 1}]),
        "list-b": api_answer("list-b", "list", [{"id": 1}, {"id": 2}]),
        "preflight-control-observe": api_answer("preflight-control-observe", "list", [{"id": 1}]),
        "preflight-control-observe-2": api_answer("preflight-control-observe-2", "list", [{"id": 1}]),
        "fault": api_answer("fault", "list", list(fault)),
    }
    return list({**answers, **replaced}.values())

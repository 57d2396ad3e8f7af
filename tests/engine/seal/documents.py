"""Small contract documents to seal and to cover: an HTTP interface of two operations, a plan, and oracles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalnb.engine.artifacts import EVAL_CONTRACT, EvalContract, read

EMPTY_SHAPE: dict[str, Any] = {"requiredKeys": [], "permittedKeys": [], "types": {}}

Document = dict[str, Any]


def shape(*keys: str) -> Document:
    """A shape that requires `keys`, all strings."""
    return {"requiredKeys": list(keys), "permittedKeys": [], "types": dict.fromkeys(keys, "string")}


def response(*keys: str, **fields: Any) -> Document:
    """A response descriptor that requires `keys`; every other declaration explicitly empty unless given."""
    return {
        **shape(*keys),
        "successIndicator": "/ok",
        "channelRoles": {},
        "collectionLocations": [],
        **fields,
    }


def api_operation(operation_id: str, *, changes: bool = False, **fields: Any) -> Document:
    """An HTTP operation; `body` keys are declared where `body_keys` names them."""
    body_keys = fields.pop("body_keys", ())
    return {
        "operationId": operation_id,
        "method": "POST" if changes else "GET",
        "pathTemplate": f"/{operation_id}",
        "stateChangeMarker": changes,
        "requestShape": {
            "path": EMPTY_SHAPE,
            "query": EMPTY_SHAPE,
            "header": EMPTY_SHAPE,
            "body": shape(*body_keys),
        },
        "responseDescriptor": response("ok"),
        "volatilePointers": [],
        "sensitivityWitness": None,
        **fields,
    }


def command_operation(operation_id: str, descriptor_channel: Mapping[str, str], **fields: Any) -> Document:
    """A command that writes the file `report`."""
    return {
        "operationId": operation_id,
        "invocation": {"executable": "tool", "subcommandPath": []},
        "stateChangeMarker": False,
        "requestShape": dict.fromkeys(("argument", "option", "environment", "stdin"), EMPTY_SHAPE),
        "artifacts": ["report"],
        "descriptorChannel": dict(descriptor_channel),
        "responseDescriptor": response("ok"),
        "volatilePointers": [],
        "sensitivityWitness": None,
        **fields,
    }


def tool_operation(operation_id: str, **fields: Any) -> Document:
    """A tool call."""
    return {
        "operationId": operation_id,
        "toolName": operation_id,
        "stateChangeMarker": False,
        "requestShape": {"arguments": EMPTY_SHAPE},
        "descriptorChannel": {"kind": "structured-result"},
        "responseDescriptor": response("ok"),
        "volatilePointers": [],
        "sensitivityWitness": None,
        **fields,
    }


def interface(logical_id: str, kind: str, *operations: Document) -> Document:
    """A permitted interface."""
    return {"logicalId": logical_id, "kind": kind, "operations": list(operations)}


def step(
    step_id: str,
    operation_id: str,
    *,
    on: str = "shop",
    after: str | None = None,
    channels: Sequence[str] = ("path", "query", "header", "body"),
    **bound: Any,
) -> Document:
    """A plan step that binds the channels given by name."""
    return {
        "stepId": step_id,
        "interfaceId": on,
        "operationId": operation_id,
        "inputBinding": dict.fromkeys(channels) | bound,
        "after": after,
        "cardinality": "exactly-one",
    }


def pointer(step_id: str, rest: str) -> str:
    """An evidence pointer of a step."""
    return f"/interactions/{step_id}/{rest}"


def existence(*pointers: str) -> Document:
    """A check that each pointer exists; several are joined under one `all`."""
    nodes = [{"op": "existence", "operands": [{"pointer": p}]} for p in pointers]
    return nodes[0] if len(nodes) == 1 else {"op": "all", "operands": nodes}


def direction(*targets: str, relation: str = "existence", **fields: Any) -> Document:
    """A direction that reads `targets`."""
    return {
        "evidenceTargets": list(targets),
        "relation": relation,
        "polarity": "expects-hold",
        "scope": None,
        "negativeDomain": None,
        **fields,
    }


def oracle(number: int, *targets: str, check: Document | None = None, **fields: Any) -> Document:
    """An oracle whose direction reads `targets` and whose check, unless given, asks for their existence."""
    return {
        "id": f"O-{number:03}",
        "direction": direction(*targets),
        "check": existence(*targets) if check is None else check,
        "polarity": "expects-hold",
        "commentary": None,
        **fields,
    }


def contract_document(**fields: Any) -> Document:
    """A contract over one interface `shop`; everything optional is absent unless given."""
    return {
        "schemaVersion": 7,
        "parentDigest": None,
        "revisionCount": 0,
        "contractId": "orders",
        "sourceSpecDigest": None,
        "behaviors": [behavior(1, "material")],
        "oracles": [oracle(1, pointer("see", "response-body/ok"))],
        "rubrics": [],
        "waivers": [],
        "permittedInterfaces": [interface("shop", "api", api_operation("read-order"))],
        "referenceSets": None,
        "siblingGroups": {"operations": [], "parameters": []},
        "interactionPlan": [step("see", "read-order")],
        "scopedResources": None,
        "forbiddenInputs": [],
        "testData": {"setup": None, "cleanup": None, "principals": None, "resources": None},
        "budgets": {"maxToolCalls": 9, "maxWallClockMinutes": 5, "maxCostUsd": "0.50"},
        "safetyLimits": [],
        "requiredEvidence": [],
        "probeStepBound": None,
        "fixtureReset": None,
        **fields,
    }


def behavior(number: int, severity: str) -> Document:
    """A behavior of that severity."""
    return {
        "id": f"B-{number:03}",
        "description": "Orders can be read.",
        "severity": severity,
        "observableSuccessCriterion": "An order is shown.",
        "requirementLinks": [{"scheme": "local", "id": "REQ-1"}],
        "riskLinks": [],
        "oracles": ["O-001"],
    }


def contract(**fields: Any) -> EvalContract:
    """`contract_document` as a model."""
    return read(EVAL_CONTRACT, contract_document(**fields))

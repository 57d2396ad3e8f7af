"""Contract fragments and observations for evaluation tests, read through the real shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from evalnb.engine import artifacts as shapes
from evalnb.engine.artifacts.interfaces import PermittedInterface

EMPTY: dict[str, Any] = {"requiredKeys": [], "permittedKeys": [], "types": {}}
NO_INPUTS: dict[str, Any] = dict.fromkeys(
    (
        "path",
        "query",
        "header",
        "body",
        "argument",
        "option",
        "environment",
        "stdin",
        "arguments",
        "bodyEncoding",
    )
)


@dataclass(frozen=True)
class Plan:
    """The two lists of a contract that evaluation reads."""

    interaction_plan: tuple[Any, ...]
    permitted_interfaces: tuple[Any, ...]


def plan(steps: list[dict[str, Any]], interfaces: list[dict[str, Any]] | None = None) -> Any:
    read_interface = TypeAdapter(PermittedInterface).validate_python
    return Plan(
        tuple(shapes.InteractionStep.model_validate(one) for one in steps),
        tuple(read_interface(one) for one in (api() if interfaces is None else interfaces)),
    )


def step(step_id: str, operation_id: str = "read-note", **changes: Any) -> dict[str, Any]:
    binding = {"path": None, "query": None, "header": None, "body": None, **changes.pop("binding", {})}
    return {
        "stepId": step_id,
        "interfaceId": "notes-api",
        "operationId": operation_id,
        "inputBinding": binding,
        "after": None,
        "cardinality": "exactly-one",
        **changes,
    }


def api(*operation_ids: str, locations: list[str] | None = None, logical_id: str = "notes-api") -> list[dict[str, Any]]:
    named = operation_ids or ("read-note", "write-note")
    return [
        {
            "logicalId": logical_id,
            "kind": "api",
            "operations": [api_operation(operation_id, locations) for operation_id in named],
        }
    ]


def api_operation(operation_id: str, locations: list[str] | None = None) -> dict[str, Any]:
    query = {"requiredKeys": [], "permittedKeys": ["limit", "id"], "types": {"limit": "number", "id": None}}
    return {
        "operationId": operation_id,
        "method": "GET",
        "pathTemplate": "/notes",
        "stateChangeMarker": False,
        "requestShape": {"path": EMPTY, "query": query, "header": EMPTY, "body": EMPTY},
        "responseDescriptor": descriptor(locations),
        "volatilePointers": [],
        "sensitivityWitness": None,
    }


def command(operation_id: str, channel: dict[str, Any], locations: list[str]) -> dict[str, Any]:
    return {
        "operationId": operation_id,
        "invocation": {"executable": "notes", "subcommandPath": []},
        "stateChangeMarker": False,
        "requestShape": {"argument": EMPTY, "option": EMPTY, "environment": EMPTY, "stdin": EMPTY},
        "artifacts": ["report"],
        "descriptorChannel": channel,
        "responseDescriptor": descriptor(locations),
        "volatilePointers": [],
        "sensitivityWitness": None,
    }


def tool(operation_id: str, locations: list[str]) -> dict[str, Any]:
    return {
        "operationId": operation_id,
        "toolName": "read_note",
        "stateChangeMarker": False,
        "requestShape": {"arguments": EMPTY},
        "descriptorChannel": {"kind": "structured-result"},
        "responseDescriptor": descriptor(locations),
        "volatilePointers": [],
        "sensitivityWitness": None,
    }


def descriptor(locations: list[str] | None) -> dict[str, Any]:
    listed = None
    if locations is not None:
        listed = [
            {"pointer": pointer, "expectedCardinality": {"mode": "at-most", "max": 9}, "referenceSet": None}
            for pointer in locations
        ]
    return {**EMPTY, "successIndicator": None, "channelRoles": None, "collectionLocations": listed}


def observation(observation_id: str, sequence: int, operation_id: str = "read-note", **changes: Any) -> Any:
    inputs = {**NO_INPUTS, **changes.pop("callInputs", {})}
    return shapes.Observation.model_validate(
        {
            "observationId": observation_id,
            "sequence": sequence,
            "interfaceId": "notes-api",
            "operationId": operation_id,
            "provenance": "evaluator-chosen",
            "principal": None,
            "callInputs": inputs,
            "responseBody": None,
            "responseHeaders": None,
            "responseStatus": None,
            "stdout": {"kind": "absent"},
            "stderr": {"kind": "absent"},
            "exitCode": None,
            "artifacts": {},
            **changes,
        }
    )


def expression(document: dict[str, Any]) -> Any:
    return TypeAdapter(shapes.Expression).validate_python(document)


def operand(document: dict[str, Any]) -> Any:
    return TypeAdapter(shapes.Operand).validate_python(document)

"""Can the evidence a pointer addresses be produced by the operation it names?

Each question answers None for yes, or the reason as a clause that follows the quoted pointer. spec: 04 §3.6
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalnb.engine.artifacts import CollectionLocation, ResponseDescriptor
from evalnb.engine.operations import (
    AnyOperation,
    channel_shape,
    declared_artifacts,
    declares_key,
    described_artifact,
    described_channel,
    operation_kind,
)
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import InteractionPointer, is_bound_element, parse_interaction_pointer

SCALAR_TYPES = frozenset(("string", "number", "boolean", "null"))

_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]*")
_TOOL_CALL_EXTRAS = ("response-status", "exit-code", "call-inputs")
_STREAMS = ("stdout", "stderr")
_HTTP_CHANNELS = ("response-body", "response-headers", "response-status")


def is_array_index(token: str) -> bool:
    """Whether a pointer token can address an array element."""
    return _ARRAY_INDEX.fullmatch(token) is not None


def unreachable_reason(pointer: str, index: PlanIndex) -> str | None:
    """Why no declared step produces what `pointer` addresses."""
    if is_bound_element(pointer):
        return None
    target = parse_interaction_pointer(pointer)
    step = index.step(target.step_id)
    if step is None:
        return "names a step the interaction plan does not declare"
    declared = index.operation_of(step)
    if declared is None:
        return (
            f'names step "{target.step_id}", which names operation "{step.operation_id}" '
            f"{index.undeclared_clause(step)}"
        )
    return unreachable_on(target, declared.operation)


def unreachable_on(target: InteractionPointer, operation: AnyOperation) -> str | None:
    """Why `operation` cannot produce what `target` addresses, whatever step the target names."""
    named, channel, kind = operation.operation_id, target.channel, operation_kind(operation)
    if channel == "artifact":
        return _unreachable_artifact(target, operation)
    if channel == described_channel(operation):
        return undeclared_location(target.tail, operation.response_descriptor, channel, named)
    if kind == "mcp" and channel not in _TOOL_CALL_EXTRAS:
        return (
            f'addresses {channel} on operation "{named}", which is a tool call and carries its result on response-body,'
            " its error flag on response-status and its end on exit-code"
        )
    if channel in _STREAMS:
        if target.tail:
            return f'addresses a field inside {channel}, which operation "{named}" declares no structure for'
        return None
    if kind == "cli" and channel in _HTTP_CHANNELS:
        return f'addresses {channel} on operation "{named}", which runs behind a command and produces no HTTP response'
    if channel == "call-inputs":
        return _unreachable_input(target, operation)
    return None


def undeclared_location(
    tail: Sequence[str], descriptor: ResponseDescriptor, label: str, operation_id: str
) -> str | None:
    """Why the response descriptor leaves no room for a value at `tail`; only the first token is ever looked at."""
    if not tail:
        return None
    token = tail[0]
    root = _root_collection(descriptor)
    if root is not None and is_array_index(token):
        mode, bound = _bound(root)
        # Compared as text: a token may have more digits than Python converts.
        if _at_least(token, bound):
            return (
                f"addresses {label} index {token}, out of bounds for the declared root collection's"
                f" expectedCardinality ({mode} {bound})"
            )
        return None
    if token not in descriptor.required_keys and token not in descriptor.permitted_keys:
        return (
            f'addresses {label} field "{token}", which operation "{operation_id}" declares in neither requiredKeys nor'
            " permittedKeys"
        )
    if len(tail) > 1 and descriptor.types.get(token) in SCALAR_TYPES:
        return (
            f'descends into {label} field "{token}", which operation "{operation_id}" declares a scalar with no further'
            " structure"
        )
    return None


def _unreachable_artifact(target: InteractionPointer, operation: AnyOperation) -> str | None:
    named, artifact_id = operation.operation_id, target.artifact_id
    if artifact_id not in declared_artifacts(operation):
        return f'names the "{artifact_id}" artifact, which operation "{named}" does not declare it writes'
    if artifact_id == described_artifact(operation):
        label = f'the "{artifact_id}" artifact'
        return undeclared_location(target.tail, operation.response_descriptor, label, named)
    if not target.tail:
        return None
    return (
        f'addresses a field inside the "{artifact_id}" artifact, which operation "{named}" declares it writes but'
        " declares"
        " no structure for"
    )


def _unreachable_input(target: InteractionPointer, operation: AnyOperation) -> str | None:
    named, channel = operation.operation_id, target.input_channel
    shape = channel_shape(operation, channel)
    if shape is None:
        return f'addresses call-inputs {channel}, a channel operation "{named}" does not accept input on'
    if not target.tail:
        return None
    token = target.tail[0]
    if not declares_key(shape, token):
        return (
            f'addresses call-inputs {channel} field "{token}", which operation "{named}" declares in neither'
            " requiredKeys"
            " nor permittedKeys"
        )
    if len(target.tail) > 1 and shape.types.get(token) in SCALAR_TYPES:
        return (
            f'descends into call-inputs {channel} field "{token}", which operation "{named}" declares a scalar with no'
            " further structure"
        )
    return None


def _root_collection(descriptor: ResponseDescriptor) -> CollectionLocation | None:
    for location in descriptor.collection_locations or ():
        if location.pointer == "":
            return location
    return None


def _bound(root: CollectionLocation) -> tuple[str, int]:
    cardinality = root.expected_cardinality
    return cardinality.mode, cardinality.count if cardinality.mode == "exact" else cardinality.max


def _at_least(digits: str, bound: int) -> bool:
    written = str(bound)
    return (len(digits), digits) >= (len(written), written)

"""What an operation of each kind accepts and produces: its channels, its described channel, its declared types.

One table per question, read by compile, seal, coverage, pre-flight, qualification and evaluation.
spec: 03 §3.3, §5.1; 04 §3.1; 07 §1.1; 09 §3.6
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from evalnb.engine.artifacts import (
    AnyOperation,
    ApiWitnessInputs,
    CapturedBinding,
    CommandOperation,
    McpOperation,
    McpWitnessInputs,
    RawRequestBody,
)

if TYPE_CHECKING:
    from evalnb.engine.artifacts import (
        ApiInputBinding,
        BindingValue,
        CommandInputBinding,
        InteractionStep,
        KeyedShapeDescriptor,
        McpInputBinding,
        ProbeInputBinding,
        WitnessInputs,
    )
    from evalnb.engine.pointers import InteractionPointer

__all__ = [
    "INPUT_CHANNELS_BY_KIND",
    "AnyInputBinding",
    "AnyOperation",
    "BoundChannel",
    "BoundKey",
    "CapturedKey",
    "OperationKind",
    "binding_channels",
    "binding_keys",
    "bound_channels",
    "bound_keys",
    "captured_keys",
    "channel_shape",
    "channel_shapes",
    "declared_artifacts",
    "declared_type",
    "declares_key",
    "declares_no_request_keys",
    "declares_no_required_keys",
    "described_artifact",
    "described_channel",
    "input_channels",
    "operation_kind",
    "raw_body",
    "targets_described_channel",
    "witness_inputs_kind",
]

OperationKind: TypeAlias = Literal["api", "cli", "mcp"]
AnyInputBinding: TypeAlias = "ApiInputBinding | CommandInputBinding | McpInputBinding | ProbeInputBinding"

INPUT_CHANNELS_BY_KIND: Final[dict[OperationKind, tuple[str, ...]]] = {
    "api": ("path", "query", "header", "body"),
    "cli": ("argument", "option", "environment", "stdin"),
    "mcp": ("arguments",),
}


@dataclass(frozen=True, slots=True)
class BoundChannel:
    """One input channel of a binding; `keys` is None where the channel is unbound."""

    channel: str
    keys: Mapping[str, BindingValue] | None


@dataclass(frozen=True, slots=True)
class BoundKey:
    """One key that a binding binds, on one input channel."""

    channel: str
    key: str
    value: BindingValue


@dataclass(frozen=True, slots=True)
class CapturedKey:
    """One key that a step binds to a value captured from another step."""

    channel: str
    key: str
    pointer: str


def operation_kind(operation: AnyOperation) -> OperationKind:
    """The kind, told from the operation's own shape; a `web` interface carries the api shape."""
    if isinstance(operation, CommandOperation):
        return "cli"
    return "mcp" if isinstance(operation, McpOperation) else "api"


def witness_inputs_kind(inputs: WitnessInputs) -> OperationKind:
    """Which kind of operation a witness leg's inputs are written for."""
    if isinstance(inputs, McpWitnessInputs):
        return "mcp"
    return "api" if isinstance(inputs, ApiWitnessInputs) else "cli"


def input_channels(operation: AnyOperation) -> tuple[str, ...]:
    """The input channels of the operation's kind, in vocabulary order."""
    return INPUT_CHANNELS_BY_KIND[operation_kind(operation)]


def channel_shape(operation: AnyOperation, channel: str | None) -> KeyedShapeDescriptor | None:
    """The request shape of one input channel; None where the operation's kind does not take that channel."""
    if channel is None or channel not in input_channels(operation):
        return None
    shape: KeyedShapeDescriptor = getattr(operation.request_shape, channel)
    return shape


def channel_shapes(operation: AnyOperation) -> Iterator[tuple[str, KeyedShapeDescriptor]]:
    """Every input channel of the operation with its request shape, in vocabulary order."""
    for channel in input_channels(operation):
        yield channel, getattr(operation.request_shape, channel)


def declared_type(operation: AnyOperation | None, channel: str, key: str) -> str | None:
    """The JSON type declared for `key` on an input channel; None where nothing or no type is declared."""
    shape = None if operation is None else channel_shape(operation, channel)
    return None if shape is None else shape.types.get(key)


def declares_key(shape: KeyedShapeDescriptor | None, key: str) -> bool:
    """Whether the shape names `key`, as required or as permitted."""
    return shape is not None and (key in shape.required_keys or key in shape.permitted_keys)


def declares_no_request_keys(operation: AnyOperation) -> bool:
    """Whether no channel names any key: not required, not permitted, not typed."""
    return not any(shape.required_keys or shape.permitted_keys or shape.types for _, shape in channel_shapes(operation))


def declares_no_required_keys(operation: AnyOperation) -> bool:
    """Whether every channel leaves every key optional."""
    return not any(shape.required_keys for _, shape in channel_shapes(operation))


def described_channel(operation: AnyOperation) -> str:
    """The one evidence channel that the operation's response descriptor describes."""
    if not isinstance(operation, CommandOperation):
        return "response-body"
    descriptor = operation.descriptor_channel
    return descriptor.channel if descriptor.kind == "stream" else "artifact"


def described_artifact(operation: AnyOperation) -> str | None:
    """The artifact that the descriptor describes, where it describes a file."""
    if not isinstance(operation, CommandOperation):
        return None
    descriptor = operation.descriptor_channel
    return descriptor.artifact_id if descriptor.kind == "artifact" else None


def declared_artifacts(operation: AnyOperation) -> tuple[str, ...]:
    """The files that the operation declares it writes; only a command declares any."""
    return tuple(operation.artifacts) if isinstance(operation, CommandOperation) else ()


def targets_described_channel(target: InteractionPointer, operation: AnyOperation) -> bool:
    """Whether a pointer addresses the channel that the response descriptor describes."""
    channel = described_channel(operation)
    if target.channel != channel:
        return False
    return channel != "artifact" or target.artifact_id == described_artifact(operation)


def bound_channels(step: InteractionStep) -> Iterator[BoundChannel]:
    """Each channel of the step's input binding in vocabulary order, with its bound keys or None."""
    return binding_channels(step.input_binding)


def binding_channels(binding: AnyInputBinding) -> Iterator[BoundChannel]:
    """Each channel that a step's or a probe's binding has, in vocabulary order, with its bound keys or None.

    A raw request body names no key, so its channel reads as None here (04, open question 2); see `raw_body`.
    """
    present = vars(binding)
    for channels in INPUT_CHANNELS_BY_KIND.values():
        for channel in channels:
            if channel in present:
                bound = present[channel]
                yield BoundChannel(channel, None if isinstance(bound, RawRequestBody) else bound)


def bound_keys(step: InteractionStep) -> Iterator[BoundKey]:
    """Every key that a step binds, channel by channel, keys in the order written."""
    return binding_keys(step.input_binding)


def binding_keys(binding: AnyInputBinding) -> Iterator[BoundKey]:
    """Every key of a step's or a probe's binding, channel by channel, keys in the order written."""
    for bound in binding_channels(binding):
        for key, value in (bound.keys or {}).items():
            yield BoundKey(bound.channel, key, value)


def captured_keys(step: InteractionStep) -> Iterator[CapturedKey]:
    """Every captured binding of a step, in `bound_keys` order."""
    for bound in bound_keys(step):
        if isinstance(bound.value, CapturedBinding):
            yield CapturedKey(bound.channel, bound.key, bound.value.captured)


def raw_body(binding: AnyInputBinding) -> RawRequestBody | None:
    """The raw request body that a binding asks for, if it asks for one."""
    body = vars(binding).get("body")
    return body if isinstance(body, RawRequestBody) else None

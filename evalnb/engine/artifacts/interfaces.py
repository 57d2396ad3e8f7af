"""The interfaces a contract permits, their operations, and what each operation accepts and answers.

spec: 02a §8
"""

from typing import Annotated, Literal, TypeAlias

from evalnb.engine.artifacts.model import (
    STATE_RESET_POINTERS,
    VOLATILE_WILDCARDS,
    Formerly,
    Items,
    Omittable,
    Since,
    StrictObject,
    Tagged,
)
from evalnb.engine.artifacts.primitives import (
    ChannelRole,
    CommandInvocation,
    DescriptorPointer,
    HttpMethod,
    Identifier,
    KeyedShapeDescriptor,
    KeyName,
    KeyTypeMap,
    MapOf,
    NonNegativeInt,
    PathTemplate,
    ToolName,
    WildcardPointer,
)
from evalnb.engine.artifacts.witnesses import SensitivityWitness

VolatilePointer = Annotated[WildcardPointer, Formerly(VOLATILE_WILDCARDS, DescriptorPointer)]

StateResetPointers = Annotated[Items[VolatilePointer] | None, Omittable(), Since(STATE_RESET_POINTERS)]
"""Where two reads of a state must agree again after the reset. The key may be left out; then it is None."""


class ExactCardinality(StrictObject):
    """Exactly `count` elements."""

    mode: Literal["exact"]
    count: NonNegativeInt


class AtMostCardinality(StrictObject):
    """At most `max` elements."""

    mode: Literal["at-most"]
    max: NonNegativeInt


class PageBoundedCardinality(StrictObject):
    """At most `max` elements a page."""

    mode: Literal["page-bounded"]
    max: NonNegativeInt


ExpectedCardinality: TypeAlias = Annotated[
    ExactCardinality | AtMostCardinality | PageBoundedCardinality, Tagged("mode")
]


class CollectionLocation(StrictObject):
    """Where a response holds a collection, how many elements it may have, and what it should cover."""

    pointer: DescriptorPointer
    expected_cardinality: ExpectedCardinality
    reference_set: Identifier | None


class ResponseDescriptor(StrictObject):
    """What a response looks like. None means not declared; an empty map or list means declared empty."""

    required_keys: Items[KeyName]
    permitted_keys: Items[KeyName]
    types: KeyTypeMap
    success_indicator: DescriptorPointer | None
    channel_roles: MapOf[DescriptorPointer, ChannelRole] | None
    collection_locations: Items[CollectionLocation] | None


class ApiRequestShape(StrictObject):
    """The keys each channel of an HTTP request takes."""

    path: KeyedShapeDescriptor
    query: KeyedShapeDescriptor
    header: KeyedShapeDescriptor
    body: KeyedShapeDescriptor


class CommandRequestShape(StrictObject):
    """The keys each channel of a command takes."""

    argument: KeyedShapeDescriptor
    option: KeyedShapeDescriptor
    environment: KeyedShapeDescriptor
    stdin: KeyedShapeDescriptor


class McpRequestShape(StrictObject):
    """The arguments a tool takes."""

    arguments: KeyedShapeDescriptor


class StreamChannel(StrictObject):
    """The response descriptor describes a stream."""

    kind: Literal["stream"]
    channel: Literal["stdout", "stderr"]


class ArtifactChannel(StrictObject):
    """The response descriptor describes a written file."""

    kind: Literal["artifact"]
    artifact_id: Identifier


class StructuredResultChannel(StrictObject):
    """The response descriptor describes a tool's structured result."""

    kind: Literal["structured-result"]


class Operation(StrictObject):
    """One HTTP operation."""

    operation_id: Identifier
    method: HttpMethod
    path_template: PathTemplate
    state_change_marker: bool
    request_shape: ApiRequestShape
    response_descriptor: ResponseDescriptor
    volatile_pointers: Items[VolatilePointer]
    state_reset_pointers: StateResetPointers = None
    sensitivity_witness: SensitivityWitness | None


class CommandOperation(StrictObject):
    """One command, and the files it writes."""

    operation_id: Identifier
    invocation: CommandInvocation
    state_change_marker: bool
    request_shape: CommandRequestShape
    artifacts: Items[Identifier]
    descriptor_channel: Annotated[StreamChannel | ArtifactChannel, Tagged("kind")]
    response_descriptor: ResponseDescriptor
    volatile_pointers: Items[VolatilePointer]
    state_reset_pointers: StateResetPointers = None
    sensitivity_witness: SensitivityWitness | None


class McpOperation(StrictObject):
    """One tool of a tool server."""

    operation_id: Identifier
    tool_name: ToolName
    state_change_marker: bool
    request_shape: McpRequestShape
    descriptor_channel: Annotated[StructuredResultChannel, Tagged("kind")]
    response_descriptor: ResponseDescriptor
    volatile_pointers: Items[VolatilePointer]
    state_reset_pointers: StateResetPointers = None
    sensitivity_witness: SensitivityWitness | None


class ApiInterface(StrictObject):
    """An HTTP interface."""

    logical_id: Identifier
    kind: Literal["api"]
    operations: Items[Operation]


class WebInterface(StrictObject):
    """A web interface: it parses, and compile refuses it."""

    logical_id: Identifier
    kind: Literal["web"]
    operations: Items[Operation]


class McpInterface(StrictObject):
    """A tool server."""

    logical_id: Identifier
    kind: Literal["mcp"]
    operations: Items[McpOperation]


class CliInterface(StrictObject):
    """A set of commands."""

    logical_id: Identifier
    kind: Literal["cli"]
    operations: Items[CommandOperation]


PermittedInterface: TypeAlias = Annotated[ApiInterface | WebInterface | McpInterface | CliInterface, Tagged("kind")]
AnyOperation: TypeAlias = Operation | CommandOperation | McpOperation

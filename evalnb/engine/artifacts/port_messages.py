"""What crosses a port: requests to the system under test and its answers, private bytes, files and the clock.

A message names logical identifiers only, never an address, a file of the target or a credential. spec: 02b §11, 07 §2
"""

from typing import Annotated, Literal, TypeAlias

from evalnb.engine.artifacts.bodies import ProbeObservedBody, ProbeRequestBody, ProbeRequestStdin
from evalnb.engine.artifacts.model import Items, Omittable, StrictObject, Tagged
from evalnb.engine.artifacts.primitives import (
    HttpMethod,
    Identifier,
    JsonValue,
    KeyName,
    MapOf,
    NonNegativeInt,
    PathTemplate,
    Rfc3339Utc,
    SafeInt,
    Text,
    ToolName,
)
from evalnb.engine.artifacts.text import Integer, Matching

# The published pattern is not known; what a process environment cannot carry in a name is refused.
EnvironmentKeyName = Annotated[str, Matching(r"^[^=\u0000]+$")]


class Correlated(StrictObject):
    """The three identifiers that an answer repeats; `probe_id` is the plan's leg id, not a probe's own."""

    probe_id: Identifier
    interface_id: Identifier
    operation_id: Identifier


class ApiChannels(StrictObject):
    """What an HTTP request carries."""

    path: MapOf[KeyName, JsonValue]
    query: MapOf[KeyName, JsonValue]
    header: MapOf[KeyName, str]
    body: ProbeRequestBody


class CliChannels(StrictObject):
    """What a command is started with."""

    argument: MapOf[KeyName, JsonValue]
    option: MapOf[KeyName, JsonValue]
    environment: MapOf[EnvironmentKeyName, str]
    stdin: ProbeRequestStdin


class McpChannels(StrictObject):
    """What a tool is called with."""

    arguments: MapOf[KeyName, JsonValue]


class ApiProbeRequest(Correlated):
    """One HTTP request."""

    kind: Literal["api"]
    method: HttpMethod
    path_template: PathTemplate
    channels: ApiChannels


class CliProbeRequest(Correlated):
    """One command invocation."""

    kind: Literal["cli"]
    executable: Identifier
    subcommand_path: Items[Identifier]
    channels: CliChannels


class McpProbeRequest(Correlated):
    """One tool call."""

    kind: Literal["mcp"]
    tool_name: ToolName
    channels: McpChannels


ProbeRequest: TypeAlias = Annotated[ApiProbeRequest | CliProbeRequest | McpProbeRequest, Tagged("kind")]


class ApiProbeObservation(Correlated):
    """An HTTP answer; repeated headers are joined, `set-cookie` is dropped."""

    kind: Literal["api"]
    status: Annotated[int, Integer(100, 599)]
    headers: MapOf[KeyName, str]
    body: ProbeObservedBody


class CliProbeObservation(Correlated):
    """How a command ended and what it wrote; a negative exit code is a signal's number."""

    kind: Literal["cli"]
    exit_code: SafeInt
    stdout: ProbeObservedBody
    stderr: ProbeObservedBody
    artifacts: MapOf[Identifier, ProbeObservedBody]


class McpProbeObservation(Correlated):
    """A tool's answer; `exit_code` only where the server process ended before it answered."""

    kind: Literal["mcp"]
    is_error: bool
    result: ProbeObservedBody
    exit_code: Annotated[SafeInt | None, Omittable()] = None


ProbeObservation: TypeAlias = Annotated[ApiProbeObservation | CliProbeObservation | McpProbeObservation, Tagged("kind")]


class CorpusResolveRequest(StrictObject):
    """Asks for the bytes behind an opaque private reference."""

    private_ref: Text


class CorpusResolveResponse(StrictObject):
    """The bytes behind a private reference, which is repeated."""

    private_ref: Text
    bytes: bytes


class ClockReadRequest(StrictObject):
    """Asks for the time; carries nothing."""


class ClockReadResponse(StrictObject):
    """The time, in UTC."""

    now: Rfc3339Utc


class FileReadRequest(StrictObject):
    """Asks for the bytes of a file."""

    path: Text


class FileReadResponse(StrictObject):
    """The bytes of a file, whose path is repeated."""

    path: Text
    bytes: bytes


class FileWriteRequest(StrictObject):
    """Asks for bytes to be written to a file."""

    path: Text
    bytes: bytes


class FileWriteResponse(StrictObject):
    """How many bytes were written to a file."""

    path: Text
    byte_length: NonNegativeInt

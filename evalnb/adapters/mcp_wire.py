"""What a session with a tool server runs over: the SDK's two streams, and everything that can end the session early.

A wire is stdio to a process of ours or streamable HTTP; the conversation above it is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import asyncio

    from mcp.client._transport import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

    from evalnb.adapters.http_target import Resolver
    from evalnb.adapters.mcp_inbox import Inbox
    from evalnb.engine.artifacts.target_policies import ProbeTargetPolicy
    from evalnb.engine.faults import RuntimeFault

MCP_REQUEST: Final = "McpProbeRequest"
"""The artifact path of a tool server's exhausted budget."""


@dataclass(frozen=True, slots=True)
class ServerLaunch:
    """How a tool server is started and bounded; `environment` is everything it gets."""

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    cwd: str
    max_elapsed_ms: int
    max_output_bytes: int

    def __hash__(self) -> int:
        return hash((self.argv, self.cwd))


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a tool server is reached over HTTP; `policy` decides whether it is, and bounds what it may answer."""

    interface_id: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    ca_file: str | None
    policy: ProbeTargetPolicy
    resolve: Resolver | None

    def __hash__(self) -> int:
        return hash((self.interface_id, self.url))


@dataclass(frozen=True, slots=True)
class ServerEnded:
    """The server ended by itself; `exit_code` is below zero for a signal."""

    exit_code: int


class Wire(Protocol):
    """An open way to one server."""

    @property
    def inbox(self) -> Inbox:
        """Where the server's messages are read."""
        ...

    @property
    def incoming(self) -> ReadStream[SessionMessage | Exception]:
        """What the SDK's session reads."""
        ...

    @property
    def outgoing(self) -> WriteStream[SessionMessage]:
        """What the SDK's session writes to."""
        ...

    @property
    def over(self) -> asyncio.Future[RuntimeFault | ServerEnded]:
        """Why the session can say no more, once it cannot."""
        ...

    def begin_call(self) -> None:
        """Count bytes from zero again: the caps of a session of many calls hold for each of them."""
        ...

    async def close(self) -> None:
        """End the server and everything it started, or the connection."""
        ...

"""A tool server over streamable HTTP: the SDK's transport on connections that the target policy decides on.

The chapter knows stdio alone; the session above the wire is the same one. spec: 10 §1.2, §5
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from evalnb.adapters.budget import ByteCount, Clock
from evalnb.adapters.http_target import system_resolver
from evalnb.adapters.mcp_http_transport import HttpBounds, PolicedTransport
from evalnb.adapters.mcp_inbox import Inbox
from evalnb.adapters.mcp_session import ServerSession, open_session
from evalnb.adapters.mcp_wire import MCP_REQUEST, ServerAddress, ServerEnded
from evalnb.engine.artifacts.target_policies import ProbeTargetAuthorization
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, WriteStream


@asynccontextmanager
async def http_session(server: ServerAddress) -> AsyncIterator[ServerSession]:
    """Connect to a server, open a session with it, and close every connection at the end.

    Raises RuntimeFault `forbidden-target` before anything is sent where the policy has no authorization for it.
    """
    authorization = _first_authorization(server)
    clock = Clock(authorization.max_elapsed_ms)
    clock.start()
    wire = HttpWire(server, authorization)
    outcome = _Outcome()
    silent = _QUIET.set(True)
    try:
        async with (
            wire.client,
            streamable_http_client(
                server.url,
                http_client=wire.client,
                terminate_on_close="DELETE" in authorization.methods,
                max_sse_event_size=None,
            ) as (incoming, outgoing),
        ):
            wire.connect(incoming, outgoing)
            try:
                async with open_session(wire, clock, authorization.max_elapsed_ms) as session:
                    yield session
            except RuntimeFault as fault:
                # Carried past the SDK's task groups, which would wrap it into a group.
                outcome.fault = fault
            outcome.settled = True
    except ExceptionGroup as errors:
        # What the SDK's tasks meet while the session is being left changes nothing any more.
        if not outcome.settled:
            raise RuntimeFault(
                "port-failure", PROBE_BOUNDARY.response_path, str(errors.exceptions[0]), errors
            ) from errors
    finally:
        _QUIET.reset(silent)
        await wire.close()
    if outcome.fault is not None:
        raise outcome.fault


@dataclass(slots=True)
class _Outcome:
    """How the caller's part of a session ended: settled once it is over, with the fault it ended with."""

    settled: bool = False
    fault: RuntimeFault | None = None


class HttpWire:
    """The two streams of a connection, and the first fault that ended it."""

    def __init__(self, server: ServerAddress, authorization: ProbeTargetAuthorization) -> None:
        self._limit = authorization.max_response_bytes
        self._over: asyncio.Future[RuntimeFault | ServerEnded] = asyncio.get_running_loop().create_future()
        self._received = ByteCount("the server's answer", self._limit, self._exceed)
        self._inbox = Inbox(_leave_to_the_sdk, heeds_requests=False)
        bounds = HttpBounds(
            interface_id=server.interface_id,
            policy=server.policy,
            resolve=server.resolve or system_resolver,
            max_request_bytes=authorization.max_request_bytes,
            trust=None if server.ca_file is None else ssl.create_default_context(cafile=server.ca_file),
        )
        self.client = httpx2.AsyncClient(
            transport=PolicedTransport(bounds, self._inbox, self._received, self._finish),
            headers=dict(server.headers),
            trust_env=False,
            follow_redirects=False,
            timeout=None,
            max_redirects=0,
        )
        self._to_session, self._incoming = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
        self._outgoing: _KeptOpen | None = None
        self._relay: asyncio.Task[None] | None = None

    def connect(self, incoming: ReadStream[SessionMessage | Exception], outgoing: WriteStream[SessionMessage]) -> None:
        """Stand between the SDK's transport and its session, which would break the transport's streams on leaving."""
        self._outgoing = _KeptOpen(outgoing)
        self._relay = asyncio.create_task(self._pass_on(incoming))

    @property
    def inbox(self) -> Inbox:
        """Where the server's messages are read along."""
        return self._inbox

    @property
    def incoming(self) -> ReadStream[SessionMessage | Exception]:
        """What the SDK's session reads."""
        return self._incoming

    @property
    def outgoing(self) -> WriteStream[SessionMessage]:
        """What the SDK's session writes to."""
        assert self._outgoing is not None
        return self._outgoing

    @property
    def over(self) -> asyncio.Future[RuntimeFault | ServerEnded]:
        """The first fault of the connection."""
        return self._over

    def begin_call(self) -> None:
        """Count bytes from zero again."""
        self._received.restart()

    async def close(self) -> None:
        """Pass nothing on any more; the connections were closed with the client."""
        if self._relay is not None:
            self._relay.cancel()
        self._to_session.close()
        self._incoming.close()
        self._over.cancel()

    async def _pass_on(self, incoming: ReadStream[SessionMessage | Exception]) -> None:
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for message in incoming:
                self._to_session.send_nowait(message)

    def _exceed(self, stream: str) -> None:
        self._finish(
            RuntimeFault("budget-exhausted", MCP_REQUEST, f"{stream} went past maxResponseBytes ({self._limit} bytes)")
        )

    def _finish(self, why: RuntimeFault) -> None:
        if not self._over.done():
            self._over.set_result(why)


class _KeptOpen:
    """An outgoing stream that the session may leave without closing it."""

    def __init__(self, stream: WriteStream[SessionMessage]) -> None:
        self._stream = stream

    async def send(self, item: SessionMessage, /) -> None:
        """Hand one message to the transport, which works on it in the context of its sender."""
        silent = _QUIET.set(True)
        try:
            await self._stream.send(item)
        finally:
            _QUIET.reset(silent)

    async def aclose(self) -> None:
        """Nothing to do: the transport closes its stream itself."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return


def _leave_to_the_sdk(message: SessionMessage) -> None:
    """The SDK's transport delivers what it read itself."""


def _first_authorization(server: ServerAddress) -> ProbeTargetAuthorization:
    for authorization in server.policy.authorizations:
        if authorization.interface_id == server.interface_id:
            return authorization
    raise RuntimeFault(
        "forbidden-target",
        PROBE_BOUNDARY.request_path,
        f"no HTTP authorization names the interface {server.interface_id!r}",
        reason="interface-not-authorized",
    )


_QUIET: ContextVar[bool] = ContextVar("evalnb_mcp_http_quiet", default=False)


def _is_heard(record: logging.LogRecord) -> bool:
    """The transport logs what it was sent, secrets that a server echoes included; our sessions say it themselves."""
    return not _QUIET.get()


_LOGGERS: Final = ("mcp.client.streamable_http", "client", "httpx2")
for _name in _LOGGERS:
    logging.getLogger(_name).addFilter(_is_heard)

"""A tool server over streamable HTTP: the SDK's transport on connections that the target policy decides on.

The chapter knows stdio alone; the session above the wire is the same one. spec: 10 §1.2, §5
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

import httpx2
from mcp.client.streamable_http import streamable_http_client

from evalnb.adapters.budget import ByteCount, Clock
from evalnb.adapters.http_target import system_resolver
from evalnb.adapters.mcp_http_transport import HttpBounds, PolicedTransport
from evalnb.adapters.mcp_inbox import Inbox
from evalnb.adapters.mcp_session import ServerSession, open_session
from evalnb.adapters.mcp_wire import MCP_REQUEST, ServerAddress, ServerEnded
from evalnb.engine.artifacts.target_policies import ProbeTargetAuthorization
from evalnb.engine.faults import RuntimeFault

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage


@asynccontextmanager
async def http_session(server: ServerAddress) -> AsyncIterator[ServerSession]:
    """Connect to a server, open a session with it, and close every connection at the end.

    Raises RuntimeFault `forbidden-target` before anything is sent where the policy has no authorization for it.
    """
    authorization = _first_authorization(server)
    clock = Clock(authorization.max_elapsed_ms)
    clock.start()
    wire = HttpWire(server, authorization)
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
            failure: RuntimeFault | None = None
            try:
                async with open_session(wire, clock, authorization.max_elapsed_ms) as session:
                    yield session
            except RuntimeFault as fault:
                # Carried past the SDK's task groups, which would wrap it into a group.
                failure = fault
        if failure is not None:
            raise failure
    finally:
        _QUIET.reset(silent)
        await wire.close()


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
        self._streams: tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]] | None = None

    def connect(self, incoming: ReadStream[SessionMessage | Exception], outgoing: WriteStream[SessionMessage]) -> None:
        """Take the SDK's streams."""
        self._streams = (incoming, outgoing)

    @property
    def inbox(self) -> Inbox:
        """Where the server's messages are read along."""
        return self._inbox

    @property
    def incoming(self) -> ReadStream[SessionMessage | Exception]:
        """What the SDK's session reads."""
        assert self._streams is not None
        return self._streams[0]

    @property
    def outgoing(self) -> WriteStream[SessionMessage]:
        """What the SDK's session writes to."""
        assert self._streams is not None
        return self._streams[1]

    @property
    def over(self) -> asyncio.Future[RuntimeFault | ServerEnded]:
        """The first fault of the connection."""
        return self._over

    def begin_call(self) -> None:
        """Count bytes from zero again."""
        self._received.restart()

    async def close(self) -> None:
        """The connections were closed with the client."""
        self._over.cancel()

    def _exceed(self, stream: str) -> None:
        self._finish(
            RuntimeFault("budget-exhausted", MCP_REQUEST, f"{stream} went past maxResponseBytes ({self._limit} bytes)")
        )

    def _finish(self, why: RuntimeFault) -> None:
        if not self._over.done():
            self._over.set_result(why)


def _leave_to_the_sdk(message: SessionMessage) -> None:
    """The SDK's transport delivers what it read itself."""


def _first_authorization(server: ServerAddress) -> ProbeTargetAuthorization:
    for authorization in server.policy.authorizations:
        if authorization.interface_id == server.interface_id:
            return authorization
    raise RuntimeFault(
        "forbidden-target",
        "ProbeRequest",
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

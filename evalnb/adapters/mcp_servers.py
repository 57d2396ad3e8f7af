"""The mechanism behind the MCP adapter: servers started or reached, sessions of one call or of a whole run.

The SDK is loaded with the first call. spec: 10 §8.3, §8.4
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from evalnb.adapters.mcp_discovery import ServerListing, describe_server, list_tools
from evalnb.adapters.mcp_results import ToolAnswer, checked_against, ended_answer, read_answer
from evalnb.adapters.mcp_wire import ServerAddress, ServerLaunch
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json
from evalnb.engine.port_seam import AbortSignal
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY

if TYPE_CHECKING:
    from evalnb.adapters.mcp_policy import ResultReading, SessionSpan
    from evalnb.adapters.mcp_session import ServerSession

# A list of tools that is only wanted for its schemas is not waited for any longer.
_LIST_SECONDS: Final = 5.0

Server = ServerLaunch | ServerAddress
OutputSchemas = Mapping[str, dict[str, Any] | None]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call, ready to make. `checks_schema` asks for the tool's output schema once the answer is there."""

    interface_id: str
    server: Server
    session: SessionSpan
    tool_name: str
    arguments: Mapping[str, Json]
    reading: ResultReading
    checks_schema: bool


class McpMechanism(Protocol):
    """What the adapter needs of the world; replaceable for tests."""

    async def call_tool(self, call: ToolCall, signal: AbortSignal) -> ToolAnswer:
        """Make one call; a cap is a `budget-exhausted` fault, a server that cannot be used a `port-failure`."""
        ...

    async def aclose(self) -> None:
        """End every session that is still open."""
        ...


class LocalServers:
    """Calls tools of servers on this machine or over HTTP. Cancelling a call ends its session and its server."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, Server], KeptSession] = {}
        self._schemas: dict[str, OutputSchemas] = {}

    async def call_tool(self, call: ToolCall, signal: AbortSignal) -> ToolAnswer:
        """Make one call in a session of its own, or in the run's session."""
        if call.session == "per-call":
            async with opened(call.server, heeds_requests=False) as session:
                return await self._call(session, call)
        key = (call.interface_id, call.server)
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = KeptSession(lambda: opened(call.server, heeds_requests=True))
        return await kept.use(lambda session: self._call(session, call))

    async def aclose(self) -> None:
        """End the sessions of the run, and their servers."""
        kept, self._kept = list(self._kept.values()), {}
        for session in kept:
            await session.aclose()

    async def _call(self, session: ServerSession, call: ToolCall) -> ToolAnswer:
        from evalnb.adapters.mcp_session import SessionOver

        try:
            frame = await session.call_tool(call.tool_name, call.arguments)
        except SessionOver as over:
            return ended_answer(over.exit_code, call.reading)
        answer = read_answer(frame, call.reading)
        if not call.checks_schema or answer.is_error:
            return answer
        schemas = await self._output_schemas(session, call.interface_id)
        return answer if schemas is None else checked_against(answer, schemas.get(call.tool_name))

    async def _output_schemas(self, session: ServerSession, interface_id: str) -> OutputSchemas | None:
        """The output schemas of a server's tools, asked for once; None where it does not tell them."""
        from evalnb.adapters.mcp_session import SessionOver

        if interface_id not in self._schemas or session.tools_changed:
            try:
                tools = await list_tools(session, _LIST_SECONDS)
            except (RuntimeFault, SessionOver):
                # The answer has arrived, and nothing that happens after it may turn it into a failure.
                return None
            self._schemas[interface_id] = {tool.name: tool.output_schema for tool in tools}
        return self._schemas[interface_id]


class KeptSession:
    """One session for a whole run, opened and closed by a task of its own; calls take turns.

    A call that fails or is cancelled ends it, and it is never opened again: the state that a server held would be
    gone without a word.
    """

    def __init__(self, open_it: Callable[[], AbstractAsyncContextManager[ServerSession]]) -> None:
        self._open_it = open_it
        self._turn = asyncio.Lock()
        self._leave = asyncio.Event()
        self._ready: asyncio.Future[ServerSession] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own())

    async def use(self, call: Callable[[ServerSession], Awaitable[ToolAnswer]]) -> ToolAnswer:
        """Make one call with the whole budget. Raises RuntimeFault `port-failure` once the session is over."""
        async with self._turn:
            if self._leave.is_set():
                raise RuntimeFault(
                    "port-failure",
                    PROBE_BOUNDARY.response_path,
                    "the session of this run ended with an earlier call; what the server held is gone",
                )
            try:
                session = await asyncio.shield(self._ready)
                session.begin_call()
                answer = await call(session)
            except BaseException:
                self._end()
                raise
            if answer.exit_code is not None:
                self._end()
            return answer

    async def aclose(self) -> None:
        """End the session and its server."""
        self._end()
        await asyncio.wait([self._owner])

    def _end(self) -> None:
        self._leave.set()
        if not self._ready.done():
            self._owner.cancel()

    async def _own(self) -> None:
        try:
            async with self._open_it() as session:
                self._ready.set_result(session)
                await self._leave.wait()
        except Exception as error:
            if self._ready.done():
                raise
            self._ready.set_exception(error)
            self._ready.exception()  # looked at: the caller may be gone


async def describe(server: Server) -> ServerListing:
    """What a server says about itself and its tools, in a session of its own.

    Raises RuntimeFault `port-failure`, `budget-exhausted` or `forbidden-target`.
    """
    from evalnb.adapters.mcp_session import SessionOver

    try:
        async with opened(server, heeds_requests=True) as session:
            return await describe_server(session)
    except (SessionOver, OSError) as error:
        raise RuntimeFault("port-failure", PROBE_BOUNDARY.response_path, str(error), error) from error


@asynccontextmanager
async def opened(server: Server, *, heeds_requests: bool) -> AsyncIterator[ServerSession]:
    """A session with a server, from its start to its end."""
    if isinstance(server, ServerAddress):
        from evalnb.adapters.mcp_http import http_session

        async with http_session(server) as session:
            yield session
    else:
        from evalnb.adapters.mcp_stdio import server_session

        async with server_session(server, heeds_requests=heeds_requests) as session:
            yield session

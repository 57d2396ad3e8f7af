"""One session with a tool server, from its handshake to its end, on the SDK's client session.

Only JSON-RPC and the answers are here; what they run over is a wire, what they mean is the adapter's. spec: 10 §8.4
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from mcp import ClientSession
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types import Implementation, InitializeResult, ServerCapabilities, ToolListChangedNotification
from pydantic import ValidationError

from evalnb.adapters.budget import Clock, elapsed_fault, first_of
from evalnb.adapters.mcp_inbox import Frame, error_of
from evalnb.adapters.mcp_wire import MCP_REQUEST, ServerEnded, Wire
from evalnb.adapters.wire_text import compact_json
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY

# The handshake as servers know it from the original engine; it names that engine, whose traffic this is equal to.
_PROTOCOL_VERSION: Final = "2025-06-18"
_HANDSHAKE: Final[dict[str, Json]] = {
    "protocolVersion": _PROTOCOL_VERSION,
    "capabilities": {},
    "clientInfo": {"name": "eval-quality", "version": "0"},
}
_INITIALIZE: Final = "initialize"
CALL_PHASE: Final = "tools/call"


class SessionOver(Exception):
    """The server ended by itself before it answered."""

    def __init__(self, ended: ServerEnded) -> None:
        super().__init__(f"the server ended with exit code {ended.exit_code} before it answered")
        self.exit_code = ended.exit_code


class ServerSession:
    """An open session. `tools_changed` is set when the server says that its list of tools is another one now."""

    def __init__(self, wire: Wire, dispatcher: JSONRPCDispatcher[Any], clock: Clock, max_elapsed_ms: int) -> None:
        self._wire = wire
        self._dispatcher = dispatcher
        self._clock = clock
        self._max_elapsed_ms = max_elapsed_ms
        self._ids = itertools.count(1)
        self.tools_changed = False
        self.server: Frame = {}

    async def call_tool(self, tool_name: str, arguments: Mapping[str, Json]) -> Frame:
        """The server's answer to `tools/call`, a result or an error, as it was sent.

        Raises `SessionOver`, and RuntimeFault `budget-exhausted` or `port-failure`.
        """
        return await self.ask(CALL_PHASE, {"name": tool_name, "arguments": dict(arguments)})

    def begin_call(self) -> None:
        """Give the next call the whole budget again, in a session of many calls."""
        self._clock.start()
        self._wire.begin_call()

    async def ask(self, method: str, params: Mapping[str, Json], within: float | None = None) -> Frame:
        """Send one request and wait for its answer, or for whatever ends the session first.

        `within` is a bound in seconds below what is left of the budget.
        """
        wire = self._wire
        request_id = next(self._ids)
        answer = wire.inbox.expect(request_id)
        asked = asyncio.ensure_future(
            self._dispatcher.send_raw_request(method, params, {"request_id": request_id, "cancel_on_abandon": False})
        )
        remaining = self._clock.remaining
        try:
            await first_of(answer, asked, wire.over, timeout=remaining if within is None else min(within, remaining))
        finally:
            wire.inbox.forget(request_id)
            asked.add_done_callback(_look_at)
            failure = asked.exception() if asked.done() and not asked.cancelled() else None
            asked.cancel()
        if answer.done():
            return answer.result()
        if wire.over.done():
            why = wire.over.result()
            raise SessionOver(why) if isinstance(why, ServerEnded) else why
        if failure is not None:
            raise _failed(f"the connection failed before {method} was answered: {failure}", failure)
        raise elapsed_fault(MCP_REQUEST, self._max_elapsed_ms, method)

    async def shake_hands(self, session: ClientSession) -> None:
        """Open the session; RuntimeFault `port-failure` when the server does not take part."""
        try:
            answer = await self.ask(_INITIALIZE, _HANDSHAKE)
        except SessionOver as over:
            raise _failed(str(over), over) from over
        error = error_of(answer)
        if error is not None:
            raise _failed(f"the server refused to initialize: {compact_json(error)}")
        if "result" not in answer:
            raise _failed("the server answered initialize with neither a result nor an error")
        self.server = answer["result"] if isinstance(answer["result"], dict) else {}
        session.adopt(_adoptable(self.server))
        await self._dispatcher.notify("notifications/initialized", {})


@asynccontextmanager
async def open_session(wire: Wire, clock: Clock, max_elapsed_ms: int) -> AsyncIterator[ServerSession]:
    """A session over an open wire, hands shaken. Leaving it closes nothing but the session itself."""

    async def notice(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            opened.tools_changed = True

    dispatcher: JSONRPCDispatcher[Any] = JSONRPCDispatcher(wire.incoming, wire.outgoing)
    opened = ServerSession(wire, dispatcher, clock, max_elapsed_ms)
    session = ClientSession(dispatcher=dispatcher, message_handler=notice)
    await session.__aenter__()
    try:
        await opened.shake_hands(session)
        yield opened
    finally:
        # Left without the error in flight, which its task group would wrap into a group.
        await session.__aexit__(None, None, None)


def _look_at(asked: asyncio.Future[Any]) -> None:
    if not asked.cancelled():
        asked.exception()


def _adoptable(result: Frame) -> InitializeResult:
    """What the SDK's session is told was agreed: the server's own words where it can read them."""
    try:
        return InitializeResult.model_validate(result, by_name=False)
    except ValidationError:
        return InitializeResult(
            protocol_version=_PROTOCOL_VERSION,
            capabilities=ServerCapabilities(),
            server_info=Implementation(name="", version=""),
        )


def _failed(detail: str, cause: BaseException | None = None) -> RuntimeFault:
    return RuntimeFault("port-failure", PROBE_BOUNDARY.response_path, detail, cause)

"""A tool server as a process of ours: its lines in, our frames out, its caps, and the kill that always ends it.

spec: 10 §8.4
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.shared.message import SessionMessage

from evalnb.adapters.budget import ByteCount, Clock, elapsed_fault, output_fault
from evalnb.adapters.mcp_inbox import Inbox, MalformedLine
from evalnb.adapters.mcp_session import ServerSession, open_session
from evalnb.adapters.mcp_wire import MCP_REQUEST, ServerEnded, ServerLaunch
from evalnb.adapters.process_group import Launch, ProcessGroup, utf8
from evalnb.adapters.wire_text import compact_json
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY


class StdioWire:
    """The two streams of a server process, from `open` to `close`."""

    def __init__(self, server: ServerLaunch, *, heeds_requests: bool) -> None:
        self._server = server
        self._group: ProcessGroup | None = None
        self._line = _LineSplitter()
        self._to_session, self._incoming = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
        self._inbox = Inbox(self._deliver, heeds_requests=heeds_requests)
        self._outgoing = _FrameWriter(self)
        self._over: asyncio.Future[RuntimeFault | ServerEnded] = asyncio.get_running_loop().create_future()
        self._stdout = ByteCount("stdout", server.max_output_bytes, self._exceed)
        self._stderr = ByteCount("stderr", server.max_output_bytes, self._exceed)

    @property
    def inbox(self) -> Inbox:
        """Where the server's lines are read."""
        return self._inbox

    @property
    def incoming(self) -> MemoryObjectReceiveStream[SessionMessage | Exception]:
        """What the SDK's session reads."""
        return self._incoming

    @property
    def outgoing(self) -> _FrameWriter:
        """What the SDK's session writes to."""
        return self._outgoing

    @property
    def over(self) -> asyncio.Future[RuntimeFault | ServerEnded]:
        """The first failure, or the server's end, whichever came first."""
        return self._over

    async def open(self, clock: Clock) -> None:
        """Start the server; `clock` counts from then on. Raises `LaunchFailure`, or TimeoutError past the budget."""
        server = self._server
        async with asyncio.timeout_at(clock.deadline):
            self._group = await ProcessGroup.launch(
                Launch(server.argv, server.environment, server.cwd), self._take, self._drain
            )
        clock.start()
        self._group.ended.add_done_callback(self._end)

    def write(self, frame: bytes) -> None:
        """Send one frame; lost when the server reads no more."""
        if self._group is not None:
            self._group.write(frame)

    def begin_call(self) -> None:
        """Count bytes from zero again."""
        self._stdout.restart()
        self._stderr.restart()

    async def close(self) -> None:
        """Close the server's input, kill its group and close this end of its outputs. There is no grace period."""
        if self._group is not None:
            await self._group.kill()
        self._incoming.close()
        self._to_session.close()
        self._over.cancel()

    def _take(self, chunk: bytes) -> None:
        # Counted before any line of it is read: a chunk past the cap answers nothing.
        if self._over.done() or not self._stdout.admits(chunk):
            return
        for line in self._line.split(chunk):
            self._take_line(line)

    def _drain(self, chunk: bytes) -> None:
        self._stderr.admits(chunk)

    def _take_line(self, line: bytes) -> None:
        if self._over.done():
            return
        try:
            self._inbox.take_line(line.decode("utf-8", "replace"))
        except MalformedLine as error:
            self._finish(RuntimeFault("port-failure", PROBE_BOUNDARY.response_path, str(error), error))

    def _end(self, ended: asyncio.Future[int]) -> None:
        if ended.cancelled():
            return
        error = ended.exception()
        if error is not None:
            self._finish(RuntimeFault("port-failure", PROBE_BOUNDARY.response_path, str(error), error))
            return
        self._take_line(self._line.rest())
        self._finish(ServerEnded(ended.result()))

    def _exceed(self, stream: str) -> None:
        self._finish(output_fault(MCP_REQUEST, stream, self._server.max_output_bytes))

    def _finish(self, why: RuntimeFault | ServerEnded) -> None:
        if not self._over.done():
            self._over.set_result(why)

    def _deliver(self, message: SessionMessage) -> None:
        try:
            self._to_session.send_nowait(message)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # the session is being left


@asynccontextmanager
async def server_session(server: ServerLaunch, *, heeds_requests: bool) -> AsyncIterator[ServerSession]:
    """Start a server, open a session with it, and kill all of it at the end.

    Raises `LaunchFailure`, or RuntimeFault `budget-exhausted` or `port-failure`.
    """
    clock = Clock(server.max_elapsed_ms)
    wire = StdioWire(server, heeds_requests=heeds_requests)
    try:
        try:
            await wire.open(clock)
        except TimeoutError:
            raise elapsed_fault(MCP_REQUEST, server.max_elapsed_ms, "launch") from None
        async with open_session(wire, clock, server.max_elapsed_ms) as session:
            yield session
    finally:
        await wire.close()


class _LineSplitter:
    """Cuts a byte stream at its newlines; a character is never cut, because none of its bytes is a newline."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def split(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes."""
        first, *others = chunk.split(b"\n")
        self._parts.append(first)
        if not others:
            return []
        lines = [b"".join(self._parts), *others[:-1]]
        self._parts = [others[-1]]
        return lines

    def rest(self) -> bytes:
        """What came after the last newline."""
        return b"".join(self._parts)


class _FrameWriter:
    """The session's outgoing stream: one compact JSON text a line."""

    def __init__(self, wire: StdioWire) -> None:
        self._wire = wire

    async def send(self, item: SessionMessage, /) -> None:
        """Queue one message."""
        frame = item.message.model_dump(by_alias=True, exclude_unset=True)
        self._wire.write(utf8(compact_json(frame)) + b"\n")

    async def aclose(self) -> None:
        """Nothing to do: the server's input is closed with its group."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

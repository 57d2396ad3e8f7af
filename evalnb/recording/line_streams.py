"""The agent's end: lines in from one descriptor, lines out to another, until the agent leaves."""

from __future__ import annotations

import asyncio
import os
import stat

from evalnb.files import FileProblem
from evalnb.recording.frames import LineBuffer


class AgentLines:
    """The lines an agent sends, in order; None is the end. `write` queues a line for the agent."""

    def __init__(self) -> None:
        self.lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._out: asyncio.WriteTransport | None = None
        self._in: asyncio.ReadTransport | None = None
        self._written = _Written()

    async def open(self, read_from: int, write_to: int) -> None:
        """Read from and write to copies of two descriptors: pipes, sockets or a terminal; `FileProblem` for a file."""
        loop = asyncio.get_running_loop()
        for descriptor, name in ((read_from, "standard input"), (write_to, "standard output")):
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise FileProblem(name, "is a file; the program of an agent connects through pipes")
        reading = os.fdopen(os.dup(read_from), "rb", buffering=0)
        writing = os.fdopen(os.dup(write_to), "wb", buffering=0)
        self._in, _ = await loop.connect_read_pipe(lambda: _Reading(self.lines), reading)
        self._out, _ = await loop.connect_write_pipe(lambda: self._written, writing)

    def write(self, line: bytes) -> None:
        """Send one line; lost when the agent reads no more."""
        if self._out is not None and not self._out.is_closing():
            self._out.write(line + b"\n")

    async def close(self, within: float = 2.0) -> None:
        """Send what is queued, for at most `within` seconds, and close both ends."""
        if self._in is not None:
            self._in.close()
        if self._out is not None:
            self._out.close()
            await asyncio.wait([self._written.closed], timeout=within)
            if not self._written.closed.done():
                self._out.abort()


class _Reading(asyncio.Protocol):
    def __init__(self, lines: asyncio.Queue[bytes | None]) -> None:
        self._lines = lines
        self._buffer = LineBuffer()

    def data_received(self, data: bytes) -> None:
        for line in self._buffer.take(data):
            self._lines.put_nowait(line)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lines.put_nowait(None)


class _Written(asyncio.BaseProtocol):
    def __init__(self) -> None:
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)

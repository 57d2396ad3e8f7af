"""The mechanism behind the command-line adapter: real processes and real files, within their caps.

spec: 10 §7.4, §7.5
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from evalnb.adapters.budget import ByteCount, Clock, elapsed_fault, first_of, output_fault
from evalnb.adapters.process_group import Launch, ProcessGroup, utf8
from evalnb.engine.port_seam import AbortSignal

COMMAND_REQUEST: Final = "CommandProbeRequest"
"""The artifact path of a command's exhausted budget."""


@dataclass(frozen=True, slots=True)
class CommandRun:
    """One invocation, ready to start; `environment` is everything the command gets."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    cwd: str
    stdin: str
    max_elapsed_ms: int
    max_output_bytes: int


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended: its exit code, below zero the signal's number, and what it wrote."""

    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class ArtifactReading:
    """A file's text; `truncated` when the file is larger than what may be read."""

    present: bool
    text: str
    truncated: bool


class CommandMechanism(Protocol):
    """What the adapter needs of the world; replaceable for tests."""

    async def run(self, run: CommandRun, signal: AbortSignal) -> CommandResult:
        """Start the command once and wait for its end; a cap is a `budget-exhausted` fault."""
        ...

    async def read_artifact(self, path: str, max_bytes: int) -> ArtifactReading:
        """Read a file of at most `max_bytes`; a missing one is not present, any other problem an OSError."""
        ...


class LocalProcesses:
    """Runs commands in process groups of their own on this machine. Cancelling a run kills its group."""

    async def run(self, run: CommandRun, signal: AbortSignal) -> CommandResult:
        """Start the command once and wait until it has ended and its outputs are closed."""
        loop = asyncio.get_running_loop()
        clock = Clock(run.max_elapsed_ms)
        excess: asyncio.Future[str] = loop.create_future()
        stdout, stderr = (_Collected(name, run.max_output_bytes, excess) for name in ("stdout", "stderr"))
        try:
            async with asyncio.timeout_at(clock.deadline):
                group = await ProcessGroup.launch(Launch(run.argv, run.environment, run.cwd), stdout.take, stderr.take)
        except TimeoutError:
            raise elapsed_fault(COMMAND_REQUEST, run.max_elapsed_ms, "its launch") from None
        try:
            clock.start()
            group.write(utf8(run.stdin))
            group.close_stdin()
            await first_of(group.ended, excess, timeout=clock.remaining)
            if group.ended.done() and not excess.done():
                exit_code = group.ended.result()
                await group.release()
                return CommandResult(exit_code, stdout.text(), stderr.text())
            if clock.is_out or not excess.done():
                raise elapsed_fault(COMMAND_REQUEST, run.max_elapsed_ms)
            raise output_fault(COMMAND_REQUEST, excess.result(), run.max_output_bytes)
        finally:
            await group.kill()

    async def read_artifact(self, path: str, max_bytes: int) -> ArtifactReading:
        """Read one regular file, in a thread."""
        return await asyncio.to_thread(_read_file, path, max_bytes)


class _Collected:
    """The bytes of one stream up to its cap."""

    def __init__(self, name: str, limit: int, excess: asyncio.Future[str]) -> None:
        self._chunks: list[bytes] = []
        self._excess = excess
        self._count = ByteCount(name, limit, self._exceed)

    def take(self, chunk: bytes) -> None:
        if not self._excess.done() and self._count.admits(chunk):
            self._chunks.append(chunk)

    def text(self) -> str:
        """All of it decoded at once, so that a character split over two chunks survives."""
        return b"".join(self._chunks).decode("utf-8", "replace")

    def _exceed(self, stream: str) -> None:
        self._excess.set_result(stream)


def _read_file(path: str, max_bytes: int) -> ArtifactReading:
    try:
        # A pipe that nobody writes would hold the opening for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return ArtifactReading(present=False, text="", truncated=False)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} is not a regular file")
        data = _read_up_to(descriptor, max_bytes + 1)
    finally:
        os.close(descriptor)
    truncated = len(data) > max_bytes
    return ArtifactReading(present=True, text=data[:max_bytes].decode("utf-8", "replace"), truncated=truncated)


def _read_up_to(descriptor: int, count: int) -> bytes:
    parts = []
    while count > 0 and (part := os.read(descriptor, min(count, 1 << 20))):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)

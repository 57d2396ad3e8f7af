"""A target in a session and process group of its own, with its streams, its end and the one way to kill all of it.

A watchdog process is the target's parent; it kills the target and everything below it when this host lets go of the
link between them, which the host's death does by itself. POSIX only. spec: 10 §10
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import marshal
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evalnb.adapters.pipe_pumps import ReadPump, WritePump

# Imported rather than run as a script, so that it is compiled once; what stands beside it hides nothing of Python's.
_WATCHDOG: Final = """
import sys
sys.path.append(sys.argv[1])
from group_watchdog import main
main(int(sys.argv[2]))
"""
_WATCHDOG_FOLDER: Final = os.path.dirname(__file__)
_REAP_INTERVAL: Final = 0.001
# Longer than the watchdog's own last attempt to kill; past it the watchdog itself is killed.
_REAP_LIMIT: Final = 5.0

ChunkReader = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Launch:
    """What is started: an argument vector, never a shell line, the whole environment, and where."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    cwd: str


class LaunchFailure(OSError):
    """The target could not be started; the operating system's own error, with the path and the arguments."""

    def __init__(self, code: int, path: str, arguments: Sequence[str]) -> None:
        super().__init__(code, os.strerror(code) if code else "the command cannot be passed to the system", path)
        self.arguments = tuple(arguments)

    def __str__(self) -> str:
        advice = "; name a command on PATH, or give its full path" if self.errno == errno.ENOENT else ""
        return f"{self.filename} cannot be started: {self.strerror}{advice}"


class WatchdogLost(OSError):
    """The watchdog ended before its target did, so how the target ended is not known."""

    def __init__(self) -> None:
        super().__init__("the watchdog of the target ended unexpectedly; the target was killed")


class ProcessGroup:
    """One running target. `ended` resolves to its exit code once it exited and nobody holds its outputs any more.

    Exit codes below zero are signal numbers. End every group with `release` or `kill`; the second does nothing once
    either was done.
    """

    def __init__(self, watchdog: subprocess.Popen[bytes], link: socket.socket, pipes: _HostPipes) -> None:
        loop = asyncio.get_running_loop()
        self._loop = loop
        self._watchdog = watchdog
        self._link = link
        self._heard = bytearray()
        self._started: asyncio.Future[None] = loop.create_future()
        self._silent: asyncio.Future[None] = loop.create_future()
        self._exited: asyncio.Future[int] = loop.create_future()
        self._stdin = WritePump(loop, pipes.stdin)
        self._outputs = (ReadPump(loop, pipes.stdout, pipes.on_stdout), ReadPump(loop, pipes.stderr, pipes.on_stderr))
        self.ended: asyncio.Future[int] = loop.create_future()
        self._exited.add_done_callback(self._check_end)
        for pump in self._outputs:
            pump.closed.add_done_callback(self._check_end)
        self._pid: int | None = None
        self._let_go = False
        self._arguments: Sequence[str] = ()
        loop.add_reader(link.fileno(), self._hear)

    @classmethod
    async def launch(cls, launch: Launch, on_stdout: ChunkReader, on_stderr: ChunkReader) -> ProcessGroup:
        """Start a target and return once its program runs; raises `LaunchFailure`.

        `on_stdout` and `on_stderr` get the raw bytes as they arrive.
        """
        group = _with_watchdog(on_stdout, on_stderr)
        group._arguments = launch.argv
        try:
            body = marshal.dumps(_described(launch))
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                await group._loop.sock_sendall(group._link, len(body).to_bytes(4, "big") + body)
            await group._started
        except BaseException:
            await group.kill()
            raise
        return group

    @property
    def pid(self) -> int | None:
        """The target's process id, which is its group's as well."""
        return self._pid

    def write(self, data: bytes) -> None:
        """Queue bytes for the target's standard input; lost when the target reads no more."""
        self._stdin.write(data)

    def close_stdin(self) -> None:
        """Close standard input after what was queued."""
        self._stdin.close_after_writing()

    async def release(self) -> None:
        """Let go of a target that ended by itself; what it left running is not touched."""
        if not self._let_go:
            with contextlib.suppress(OSError):
                self._link.send(b"R")
            await self._end()

    async def kill(self) -> None:
        """Kill the target and everything below it, and wait until the watchdog found nothing left."""
        if not self._let_go:
            self.strike()
            await self._end()

    def strike(self) -> None:
        """Kill the group now, without waiting for its end; `kill` must still follow."""
        if self._pid is not None and not self._exited.done():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self._link.shutdown(socket.SHUT_WR)

    async def _end(self) -> None:
        self._let_go = True
        self._stdin.close()
        for pump in self._outputs:
            pump.close()
        try:
            await asyncio.wait([self._silent], timeout=_REAP_LIMIT)
            await self._reap_watchdog()
        finally:
            # Reached early only when this wait is cancelled: the loop is closing and nobody else will wait.
            if self._watchdog.poll() is None:
                _wait_blocking(self._watchdog)
            self._loop.remove_reader(self._link.fileno())
            self._link.close()
            for future in (self._started, self._exited, self.ended):
                future.cancel()

    async def _reap_watchdog(self) -> None:
        deadline = self._loop.time() + _REAP_LIMIT
        while self._watchdog.poll() is None:
            if self._loop.time() > deadline:
                self._watchdog.kill()
            await asyncio.sleep(_REAP_INTERVAL)

    def _hear(self) -> None:
        try:
            part = self._link.recv(65536)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            part = b""
        if not part:
            self._link_closed()
            return
        self._heard += part
        while len(self._heard) >= 4:
            end = 4 + int.from_bytes(self._heard[:4], "big")
            if len(self._heard) < end:
                return
            message = marshal.loads(bytes(self._heard[4:end]))
            del self._heard[:end]
            self._take(*message)

    def _take(self, kind: str, number: int, path: bytes = b"") -> None:
        if kind == "forked":
            self._pid = number
        elif kind == "started":
            _settle(self._started)
        elif kind == "failed":
            self._pid = None
            _fail(self._started, LaunchFailure(number, os.fsdecode(path), self._arguments))
        elif not self._exited.done():
            self._exited.set_result(os.waitstatus_to_exitcode(number))

    def _check_end(self, part: asyncio.Future[Any]) -> None:
        if self.ended.done() or self._let_go:
            return
        if self._exited.done() and self._exited.exception() is not None:
            _fail(self.ended, WatchdogLost())
        elif self._exited.done() and all(pump.closed.done() for pump in self._outputs):
            self.ended.set_result(self._exited.result())

    def _link_closed(self) -> None:
        self._loop.remove_reader(self._link.fileno())
        if not self._let_go and self._pid is not None and not self._exited.done():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)
        _fail(self._started, WatchdogLost())
        if not self._let_go:
            _fail(self._exited, WatchdogLost())
        _settle(self._silent)


@dataclass(frozen=True, slots=True)
class _HostPipes:
    """This end of the target's three streams, and who reads two of them."""

    stdin: int
    stdout: int
    stderr: int
    on_stdout: ChunkReader
    on_stderr: ChunkReader


@dataclass(frozen=True, slots=True)
class _Pipe:
    """One pipe: the end that stays here and the end that goes to the target."""

    host: int
    far: int


def _with_watchdog(on_stdout: ChunkReader, on_stderr: ChunkReader) -> ProcessGroup:
    """A group whose watchdog runs and waits for the description of its target."""
    with contextlib.ExitStack() as on_failure, contextlib.ExitStack() as always:

        def pipe(*, host_reads: bool) -> _Pipe:
            reading, writing = os.pipe()
            ends = _Pipe(reading, writing) if host_reads else _Pipe(writing, reading)
            on_failure.callback(os.close, ends.host)
            always.callback(os.close, ends.far)
            os.set_blocking(ends.host, False)
            return ends

        stdin, stdout, stderr = pipe(host_reads=False), pipe(host_reads=True), pipe(host_reads=True)
        link, far_link = socket.socketpair()
        on_failure.callback(link.close)
        always.callback(far_link.close)
        link.setblocking(False)
        watchdog = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _WATCHDOG, _WATCHDOG_FOLDER, str(far_link.fileno())],
            stdin=stdin.far,
            stdout=stdout.far,
            stderr=stderr.far,
            pass_fds=(far_link.fileno(),),
            cwd="/",
            start_new_session=True,
        )
        on_failure.pop_all()
        return ProcessGroup(watchdog, link, _HostPipes(stdin.host, stdout.host, stderr.host, on_stdout, on_stderr))


def _described(launch: Launch) -> tuple[list[bytes], dict[bytes, bytes], bytes]:
    environment = {utf8(name): utf8(value) for name, value in launch.environment.items()}
    return [utf8(argument) for argument in launch.argv], environment, utf8(launch.cwd)


def utf8(text: str) -> bytes:
    """`text` as a target is given it: UTF-8, with the replacement character for what has no encoding."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _wait_blocking(watchdog: subprocess.Popen[bytes]) -> None:
    try:
        watchdog.wait(timeout=_REAP_LIMIT)
    except subprocess.TimeoutExpired:
        watchdog.kill()
        watchdog.wait()


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _fail(future: asyncio.Future[None] | asyncio.Future[int], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # looked at, so that nobody has to wait for it

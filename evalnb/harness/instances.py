"""One instance of the system under test: its folders, its processes and the port to it, from start to end.

Every instance is another one: two of them share nothing but what the targets file points at outside their folders.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

from evalnb.adapters.budget import first_of
from evalnb.adapters.process_group import Launch, ProcessGroup
from evalnb.engine.faults import RuntimeFault
from evalnb.harness.acting_port import AdapterPort
from evalnb.harness.measured_targets import PORT, MeasuredTargets, StartedSystem, filled

_LOOPBACK: Final = "127.0.0.1"
_START_SECONDS: Final = 30
_LISTEN_INTERVAL: Final = 0.02
_KEPT_OUTPUT: Final = 64 * 1024

Prepare = Callable[[Path], None]
"""Changes a working copy before anything in it is started."""


@asynccontextmanager
async def instance(targets: MeasuredTargets, prepare: Prepare | None = None) -> AsyncIterator[AdapterPort]:
    """A system of its own and the port to it. Raises RuntimeFault `port-failure` for one that does not start."""
    async with AsyncExitStack() as stack:
        scratch = stack.enter_context(_folder())
        places = {"scratch": str(scratch)}
        if targets.working_copy is not None:
            working = scratch / ".working"
            source = Path(targets.folder) / targets.working_copy
            await asyncio.to_thread(shutil.copytree, source, working, symlinks=True)
            places["working"] = str(working)
            if prepare is not None:
                prepare(working)
        ports: dict[str, int] = {}
        for system in targets.systems:
            port = await stack.enter_async_context(_started(system, places, targets.folder))
            ports |= dict.fromkeys(system.interfaces, port)
        adapters = AdapterPort(targets.at(places, ports))
        stack.push_async_callback(adapters.aclose)
        yield adapters


@asynccontextmanager
async def two_instances(targets: MeasuredTargets) -> AsyncIterator[tuple[AdapterPort, AdapterPort]]:
    """Two systems, started at the same time. Raises as `instance` does, once neither is there any more."""
    async with AsyncExitStack() as stack:
        both = [asyncio.ensure_future(stack.enter_async_context(instance(targets))) for _ in range(2)]
        try:
            await asyncio.gather(*both)
        except BaseException:
            for one in both:
                one.cancel()
            await asyncio.wait(both)
            raise
        yield both[0].result(), both[1].result()


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="evalnb-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def _started(system: StartedSystem, places: Mapping[str, str], folder: str) -> AsyncIterator[int]:
    """A started system and the port it listens on."""
    asks_for_port = any(PORT in word for word in system.command)
    port = _free_port() if asks_for_port else None
    named = places if port is None else {**places, "port": str(port)}
    launch = Launch(
        argv=filled(list(system.command), named),
        environment={"PATH": os.environ.get("PATH", ""), **filled(system.environment or {}, named)},
        cwd=os.path.join(folder, filled(system.cwd or ".", named)),
    )
    first_line: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    complaints = bytearray()
    try:
        group = await ProcessGroup.launch(launch, _first_line_into(first_line), _into(complaints))
    except OSError as error:
        raise _failure(f"the system: {error}", error) from error
    try:
        ready = _listening(port) if port is not None else _printed(first_line, launch.argv[0])
        yield await _in_time(ready, group, system, complaints)
    finally:
        await group.kill()


def _into(kept: bytearray) -> Callable[[bytes], None]:
    def keep(chunk: bytes) -> None:
        kept.extend(chunk[: _KEPT_OUTPUT - len(kept)])

    return keep


def _first_line_into(first_line: asyncio.Future[bytes]) -> Callable[[bytes], None]:
    """A reader of output that keeps the first line alone."""
    begun = bytearray()

    def read(chunk: bytes) -> None:
        if first_line.done():
            return
        begun.extend(chunk[: _KEPT_OUTPUT - len(begun)])
        line, newline, _ = begun.partition(b"\n")
        if newline or len(begun) == _KEPT_OUTPUT:
            first_line.set_result(bytes(line))

    return read


async def _in_time(
    ready: Coroutine[Any, Any, int], group: ProcessGroup, system: StartedSystem, complaints: bytearray
) -> int:
    seconds = system.start_seconds or _START_SECONDS
    waiting = asyncio.ensure_future(ready)
    try:
        await first_of(waiting, group.ended, timeout=seconds)
        if waiting.done():
            return waiting.result()
    finally:
        waiting.cancel()
    said = complaints.decode("utf-8", "replace").strip()[-400:]
    what = f"ended with exit code {group.ended.result()}" if group.ended.done() else f"was not ready in {seconds} s"
    raise _failure(f"the system {system.command[0]} {what}{': ' + said if said else ''}")


async def _listening(port: int) -> int:
    while True:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(_LOOPBACK, port)
            writer.close()
            return port
        await asyncio.sleep(_LISTEN_INTERVAL)


async def _printed(first_line: asyncio.Future[bytes], name: str) -> int:
    line = (await first_line).decode("utf-8", "replace").strip()
    if not line.isdecimal() or not 0 < int(line) < 65536:
        raise _failure(f"the first line of the system {name} is no port: {line[:80]!r}")
    return int(line)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def _failure(detail: str, cause: BaseException | None = None) -> RuntimeFault:
    return RuntimeFault("port-failure", "ProbeObservation", detail, cause)

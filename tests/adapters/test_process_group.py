"""Nothing that a target started outlives its run, however the run ends; a run that ends by itself is left alone."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalnb.adapters.command import CommandLineAdapter
from evalnb.adapters.mcp import McpAdapter
from evalnb.adapters.process_group import Launch, LaunchFailure, ProcessGroup
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController
from tests.adapters.servers import program
from tests.adapters.servers.scripted import ECHO
from tests.adapters.servers.unruly import WAYS
from tests.adapters.survivors import (
    MARK,
    marked,
    open_descriptors,
    own_children,
    resident_kilobytes,
    started,
    survivors,
)
from tests.adapters.targets import HOST_PATH, command_policy, command_request, fault_of, mcp_policy, mcp_request

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the process list of Linux")

REPOSITORY = Path(__file__).parents[2]
QUIET_WAYS = sorted(way for way in WAYS if not way.startswith("floods"))
FLOODING_WAYS = sorted(way for way in WAYS if way.startswith("floods"))


@pytest.fixture
def mark(tmp_path: Path) -> str:
    """What the processes of one test carry, and where its targets note that they have started."""
    return str(tmp_path)


@pytest.fixture(autouse=True)
def _no_zombies_and_no_descriptors() -> Iterator[None]:
    gc.collect()
    children, descriptors = own_children(), open_descriptors()
    yield
    gc.collect()
    assert own_children() <= children, "a child was not waited for"
    assert open_descriptors() <= descriptors, "a descriptor was not closed"


def unruly(way: str, mark: str, *, at_most_ms: int = 300) -> tuple[CommandLineAdapter, dict[str, object]]:
    command = program("unruly", way)
    policy = command_policy(command[0], maxElapsedMs=at_most_ms, maxOutputBytes=200_000)
    return CommandLineAdapter(policy), command_request(command[1:], mark=mark)


def codes(adapters: list[tuple[object, dict[str, object]]]) -> list[str]:
    """The fault codes of probes made at the same time."""

    async def all_of_them() -> list[object]:
        never = AbortController().signal
        probes = [adapter.probe(request, never) for adapter, request in adapters]  # type: ignore[attr-defined]
        return await asyncio.gather(*probes, return_exceptions=True)

    return [
        outcome.code if isinstance(outcome, RuntimeFault) else repr(outcome) for outcome in asyncio.run(all_of_them())
    ]


@pytest.mark.parametrize("way", QUIET_WAYS)
def test_the_elapsed_cap_leaves_nothing_behind(way: str, mark: str) -> None:
    assert codes([unruly(way, mark) for _ in range(8)]) == ["budget-exhausted"] * 8
    assert survivors(mark, within=0) == []


@pytest.mark.parametrize("way", FLOODING_WAYS)
def test_the_output_cap_leaves_nothing_behind(way: str, mark: str) -> None:
    assert codes([unruly(way, mark, at_most_ms=20_000) for _ in range(10)]) == ["budget-exhausted"] * 10
    assert survivors(mark, within=0) == []


@pytest.mark.parametrize("way", QUIET_WAYS)
def test_a_tool_server_leaves_nothing_behind(way: str, mark: str) -> None:
    server = McpAdapter(mcp_policy(program("unruly", way), mark=mark, maxElapsedMs=300))
    assert codes([(server, mcp_request())] * 4) == ["budget-exhausted"] * 4
    assert survivors(mark, within=0) == []


@pytest.mark.parametrize("way", sorted(WAYS))
def test_an_abort_leaves_nothing_behind_and_answers_at_once(way: str, mark: str) -> None:
    command = program("unruly", way)
    policy = command_policy(command[0], maxElapsedMs=60_000, maxOutputBytes=2**40)

    async def abort_all() -> tuple[list[object], float]:
        controller = AbortController()
        adapter, request = CommandLineAdapter(policy), command_request(command[1:], mark=mark)
        probes = [asyncio.ensure_future(adapter.probe(request, controller.signal)) for _ in range(5)]
        async with asyncio.timeout(30):
            while started(mark) < 5:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        began = time.monotonic()
        controller.abort()
        return await asyncio.gather(*probes, return_exceptions=True), time.monotonic() - began

    outcomes, seconds = asyncio.run(abort_all())
    assert [getattr(outcome, "code", outcome) for outcome in outcomes] == ["aborted"] * 5
    assert seconds < 1
    assert survivors(mark) == []


@pytest.mark.parametrize("ways", [QUIET_WAYS, sorted(WAYS)])
def test_a_killed_host_takes_its_targets_along(ways: list[str], mark: str) -> None:
    host = subprocess.Popen(
        [sys.executable, "-m", "tests.adapters.servers.probing_host", mark, ",".join(ways), "3"], cwd=REPOSITORY
    )
    try:
        deadline = time.monotonic() + 60
        while started(mark) < 3 * len(ways) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert started(mark) == 3 * len(ways)
    finally:
        host.kill()
        host.wait()
    assert survivors(mark, within=10) == []


def test_a_target_that_kills_its_watchdog_goes_with_it(mark: str) -> None:
    adapter = CommandLineAdapter(command_policy("sh", maxElapsedMs=10_000))
    fault = fault_of(adapter, command_request(["-c", "sleep 60 & kill -9 $PPID; sleep 60"], mark=mark))
    assert (fault.code, fault.artifact_path) == ("port-failure", "ProbeObservation")
    assert survivors(mark) == []


def test_what_a_target_leaves_running_after_its_own_end_is_not_touched(mark: str) -> None:

    async def leave_one() -> int:
        adapter = CommandLineAdapter(command_policy("sh"))
        request = command_request(["-c", "sleep 30 >/dev/null 2>&1 </dev/null & exit 4"], mark=mark)
        observed = await adapter.probe(request, AbortController().signal)
        return observed.exit_code  # type: ignore[union-attr]

    assert asyncio.run(leave_one()) == 4
    left = marked(mark)
    assert len(left) == 1
    os.kill(left[0], signal.SIGKILL)
    assert survivors(mark) == []


def test_the_target_leads_a_session_and_group_of_its_own_without_a_terminal() -> None:
    script = "import os;print([os.getsid(0)==os.getpid(),os.getpgrp()==os.getpid(),os.path.exists('/dev/tty') and 1])\ntry:\n open('/dev/tty')\nexcept OSError: print('no terminal')"

    async def read_it() -> tuple[bytes, int]:
        out: list[bytes] = []
        group = await ProcessGroup.launch(Launch([sys.executable, "-c", script], {}, "/"), out.append, out.append)
        group.close_stdin()
        code = await group.ended
        await group.release()
        return b"".join(out), code

    said, code = asyncio.run(read_it())
    assert code == 0
    assert said.startswith(b"[True, True")
    assert b"no terminal" in said


def test_neither_the_description_nor_the_environment_is_in_an_argument_vector_of_the_watchdog(mark: str) -> None:

    async def look() -> list[bytes]:
        launch = Launch(["sleep", "30"], {"PATH": HOST_PATH, MARK: mark}, "/")
        group = await ProcessGroup.launch(launch, lambda chunk: None, lambda chunk: None)
        assert group.pid is not None
        parent = Path(f"/proc/{group.pid}/stat").read_text().rpartition(")")[2].split()[1]
        seen = [Path(f"/proc/{parent}/cmdline").read_bytes(), Path(f"/proc/{parent}/environ").read_bytes()]
        await group.kill()
        return seen

    command_line, environment = asyncio.run(look())
    assert b"sleep" not in command_line
    assert mark.encode() not in command_line + environment


@pytest.mark.parametrize(
    ("command", "cwd", "code", "named"),
    [
        ("no-such-program", "/", 2, "no-such-program"),
        ("sh", "/no-such-folder", 2, "/no-such-folder"),
        ("/etc/passwd", "/", 13, "/etc/passwd"),
    ],
)
def test_a_target_that_does_not_start_fails_as_the_system_says(command: str, cwd: str, code: int, named: str) -> None:
    async def start() -> None:
        await ProcessGroup.launch(
            Launch([command, "a"], {"PATH": HOST_PATH}, cwd), lambda chunk: None, lambda chunk: None
        )

    with pytest.raises(LaunchFailure) as caught:
        asyncio.run(start())
    assert (caught.value.errno, caught.value.filename, caught.value.arguments) == (code, named, (command, "a"))


def test_a_loop_that_closes_in_the_middle_of_a_run_leaves_nothing_behind(mark: str) -> None:

    async def give_up() -> None:
        adapter, request = unruly("double_forks", mark, at_most_ms=60_000)
        probe = asyncio.ensure_future(adapter.probe(request, AbortController().signal))
        async with asyncio.timeout(30):
            while not started(mark):
                await asyncio.sleep(0.01)
        assert not probe.done()

    asyncio.run(give_up())
    assert survivors(mark) == []


def test_five_hundred_probes_keep_no_descriptor_and_no_memory() -> None:
    async def probe_all() -> tuple[int, int]:
        adapter = CommandLineAdapter(command_policy("true"))
        request, never = command_request(), AbortController().signal
        start = (0, 0)
        for turn in range(63):
            await asyncio.gather(*(adapter.probe(request, never) for _ in range(8)))
            if turn == 8:
                gc.collect()
                start = (open_descriptors(), resident_kilobytes())
        gc.collect()
        return open_descriptors() - start[0], resident_kilobytes() - start[1]

    descriptors, kilobytes = asyncio.run(probe_all())
    assert descriptors == 0
    assert kilobytes < 4096


def test_a_hundred_sessions_keep_no_descriptor_and_no_memory() -> None:
    async def probe_all() -> tuple[int, int]:
        adapter = McpAdapter(mcp_policy(program("scripted", ECHO)))
        never = AbortController().signal
        start = (0, 0)
        for turn in range(25):
            await asyncio.gather(*(adapter.probe(mcp_request(), never) for _ in range(4)))
            if turn == 5:
                gc.collect()
                start = (open_descriptors(), resident_kilobytes())
        gc.collect()
        return open_descriptors() - start[0], resident_kilobytes() - start[1]

    descriptors, kilobytes = asyncio.run(probe_all())
    assert descriptors == 0
    assert kilobytes < 4096

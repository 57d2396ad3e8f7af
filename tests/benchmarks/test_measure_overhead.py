"""What a measurement costs beside the calls it makes, and that its memory hardly grows with its mutants.

The bare side makes as many calls in as many sessions as the targets ask for: through the SDK's own client to a published
tool server, through httpx2 to the packaged desk. Pre-flight legs, fault legs and the shadow copies that some defects need
are calls like all others there.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from evalnb.corpus import DEMO, example
from evalnb.corpus.measuring import measuring_file
from evalnb.harness import MeasureOptions, run_measurement
from evalnb.harness.acting_port import AdapterPort
from tests.peak import NEEDS_PROC

ROOT = Path(__file__).parents[2]
LIMIT = 1.3
ROUNDS = 3


@dataclass
class Counted:
    """How often a system is started, by its own note, and how many calls all ports make."""

    starts: Path
    calls: int = 0

    @classmethod
    def of(cls, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Counted:
        counted = cls(folder / "starts")
        for port in (AdapterPort, type(AdapterPort.acting_as(AdapterPort({}), "nobody"))):  # type: ignore[arg-type]
            monkeypatch.setattr(port, "probe", counted._counting(port.probe))
        return counted

    def _counting(self, probe: Any) -> Any:
        async def counted(port: Any, request: Any, signal: Any) -> Any:
            self.calls += 1
            return await probe(port, request, signal)

        return counted

    def noting(self, *command: str) -> Path:
        """A program that notes its start and becomes `command`."""
        program = self.starts.with_name("system")
        program.write_text(f'#!/bin/sh\necho start >> {self.starts}\nexec {shlex.join(command)} "$@"\n')
        program.chmod(0o755)
        return program

    def restart(self) -> None:
        self.calls = 0
        self.starts.unlink(missing_ok=True)

    @property
    def sessions(self) -> int:
        return self.starts.read_text().count("start")

    def in_sessions(self) -> list[int]:
        """The calls, spread over the sessions."""
        sessions = self.sessions
        return [self.calls // sessions + (place < self.calls % sessions) for place in range(sessions)]


def ratio(
    counted: Counted, contract: Any, targets: Any, options: MeasureOptions, bare: Callable[[list[int]], None]
) -> float:
    """A measurement's time over that of the same calls in as many sessions: the best round of each side, printed.

    Both sides take turns, and whatever else the machine does can only add to either.
    """
    measured, bared = [], []
    for _ in range(ROUNDS):
        counted.restart()
        started = time.perf_counter()
        measurement = run_measurement(contract, targets, options)
        measured.append(time.perf_counter() - started)
        spread = counted.in_sessions()
        started = time.perf_counter()
        bare(spread)
        bared.append(time.perf_counter() - started)
    found = min(measured) / min(bared)
    mutants, sessions, calls = len(measurement.mutants), len(spread), sum(spread)
    print(f"measurement / bare calls = {found:.2f} ({mutants} mutants, {sessions} sessions, {calls} calls)")
    return found


async def call_tools(server: Path, folder: Path, spread: list[int]) -> None:
    """Tool calls through the SDK's own client, every session with a store of its own."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    for number, calls in enumerate(spread):
        environment = {"PATH": os.environ["PATH"], "MEMORY_FILE_PATH": str(folder / f"bare-{number}.jsonl")}
        parameters = StdioServerParameters(command=str(server), env=environment)
        async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            for call in range(calls):
                entity = {"name": f"e{call}", "entityType": "thing", "observations": ["is there"]}
                await session.call_tool("create_entities", {"entities": [entity]})


def call_service(program: Path, spread: list[int]) -> None:
    """HTTP calls through one client a session, the service started for each and ended after it."""
    for calls in spread:
        with subprocess.Popen([str(program), "--port", "0"], stdout=subprocess.PIPE, text=True) as service:
            assert service.stdout is not None
            port = service.stdout.readline().strip()
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}") as client:
                for _ in range(calls):
                    client.get("/tickets", params={"status": "open", "limit": 20})
            service.kill()


@pytest.mark.skipif("EVALNB_NODE_MODULES" not in os.environ, reason="EVALNB_NODE_MODULES names no installed servers")
def test_a_measured_tool_server_costs_little_more_than_its_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted.of(tmp_path, monkeypatch)
    modules = Path(os.environ["EVALNB_NODE_MODULES"])
    script = modules / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
    server = counted.noting(str(shutil.which("node")), str(script))
    targets = json.loads(measuring_file("memory-targets.json").read_text(encoding="utf-8"))
    targets["mcp"]["authorizations"][0] |= {"target": str(server), "targetArgs": []}
    contract = json.loads(example("memory-server").read_text(encoding="utf-8"))
    options = MeasureOptions(operators=("dropped-write",), trials=2)
    found = ratio(counted, contract, targets, options, lambda spread: asyncio.run(call_tools(server, tmp_path, spread)))
    assert found <= LIMIT


def test_a_measured_service_costs_little_more_than_its_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted.of(tmp_path, monkeypatch)
    program = counted.noting(sys.executable, "-m", "evalnb.corpus.triage.system")
    targets = json.loads(measuring_file("triage-targets.json").read_text(encoding="utf-8"))
    targets["systems"][0]["command"] = [str(program), "--port", "0"]
    contract = json.loads((example(DEMO) / "contract.json").read_text(encoding="utf-8"))
    options = MeasureOptions(operators=("dropped-write", "altered-scalar"), trials=2)
    assert ratio(counted, contract, targets, options, lambda spread: call_service(program, spread)) <= LIMIT


PEAK = """
import json, sys
from evalnb.harness import MeasureOptions, run_measurement
from tests.harness import notes
from tests.peak import own_peak_kilobytes
mutants = json.loads(sys.argv[1])
from evalnb.harness import parse_user_mutants
options = MeasureOptions(operators=(), trials=1, mutants=tuple(parse_user_mutants({"mutants": mutants})))
measurement = run_measurement(notes.strong(), notes.targets(), options)
assert len(measurement.mutants) == len(mutants)
print(own_peak_kilobytes())
"""


def peak_megabytes(mutants: int) -> float:
    """The peak of one measurement whose every mutant answers with about 100 kB."""
    listed = [
        {"id": f"large-{number}", "summary": "answers at length", "environment": {"MODE": "large", "N": str(number)}}
        for number in range(mutants)
    ]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, json.dumps(listed)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return int(done.stdout) / 1024


@NEEDS_PROC
def test_memory_grows_by_no_more_than_one_answer_a_mutant() -> None:
    few, many = peak_megabytes(5), peak_megabytes(40)
    print(f"peak of 5 mutants {few:.0f} MB, of 40 mutants {many:.0f} MB")
    # Each further mutant may leave what the one joint pre-flight holds, its answer to the fault leg of about 100 kB;
    # everything else of an arm, several times that, is let go.
    assert many - few < 35 * 0.3

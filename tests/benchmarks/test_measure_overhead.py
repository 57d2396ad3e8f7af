"""What a measurement costs beside the calls it makes, and that its memory hardly grows with its mutants.

The bare side makes as many calls in as many sessions through the SDK's own client, one session a run as the targets
ask for. Pre-flight legs, fault legs and the shadow copies that some defects need are calls like all others there. The
server is a published one; beside a server that starts in a few milliseconds the watchdog of each session weighs more.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import evalnb
from evalnb.harness import MeasureOptions, run_measurement
from evalnb.harness.acting_port import AdapterPort
from tests.peak import NEEDS_PROC

ROOT = Path(__file__).parents[2]
CONTRACT = Path(evalnb.__file__).parent / "corpus" / "contracts" / "memory-server.json"
LIMIT = 1.3
ROUNDS = 3


class Counted:
    """A started server that notes its starts, and the calls that every port makes meanwhile."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        modules = Path(os.environ["EVALNB_NODE_MODULES"])
        script = modules / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
        self.starts = folder / "starts"
        self.server = folder / "server"
        self.server.write_text(f"#!/bin/sh\necho start >> {self.starts}\nexec {shutil.which('node')} {script}\n")
        self.server.chmod(0o755)
        self.calls = 0
        for port in (AdapterPort, type(AdapterPort.acting_as(AdapterPort({}), "nobody"))):  # type: ignore[arg-type]
            monkeypatch.setattr(port, "probe", self._counting(port.probe))

    def _counting(self, probe: Any) -> Any:
        async def counted(port: Any, request: Any, signal: Any) -> Any:
            self.calls += 1
            return await probe(port, request, signal)

        return counted

    def restart(self) -> None:
        self.calls = 0
        self.starts.unlink(missing_ok=True)

    @property
    def sessions(self) -> int:
        return self.starts.read_text().count("start")

    @property
    def targets(self) -> dict[str, Any]:
        authorization = {
            "interfaceId": "memory",
            "target": str(self.server),
            "targetArgs": [],
            "tools": ["create_entities", "create_relations", "read_graph", "search_nodes", "delete_entities"],
            "cwd": "{scratch}",
            "serverEnvironment": {"MEMORY_FILE_PATH": "{scratch}/memory.jsonl"},
            "maxElapsedMs": 30_000,
            "maxOutputBytes": 1_000_000,
        }
        return {"mcp": {"authorizations": [authorization], "connections": {"memory": {"session": "per-run"}}}}


async def bare(server: Path, folder: Path, sessions: int, calls: int) -> None:
    """As many calls in as many sessions, every session with a store of its own."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    for number in range(sessions):
        environment = {"PATH": os.environ["PATH"], "MEMORY_FILE_PATH": str(folder / f"bare-{number}.jsonl")}
        parameters = StdioServerParameters(command=str(server), env=environment)
        async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            for call in range(calls // sessions + (number < calls % sessions)):
                entity = {"name": f"e{call}", "entityType": "thing", "observations": ["is there"]}
                await session.call_tool("create_entities", {"entities": [entity]})


@pytest.mark.skipif("EVALNB_NODE_MODULES" not in os.environ, reason="EVALNB_NODE_MODULES names no installed servers")
def test_a_measurement_costs_little_more_than_its_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(tmp_path, monkeypatch)
    contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
    options = MeasureOptions(operators=("dropped-write",), trials=2)
    ratios = []
    for _ in range(ROUNDS):
        counted.restart()
        started = time.perf_counter()
        measurement = run_measurement(contract, counted.targets, options)
        measured = time.perf_counter() - started
        sessions, calls = counted.sessions, counted.calls
        started = time.perf_counter()
        asyncio.run(bare(counted.server, tmp_path, sessions, calls))
        ratios.append(measured / (time.perf_counter() - started))
    print(
        f"measurement / bare calls = {statistics.median(ratios):.2f} "
        f"({len(measurement.mutants)} mutants, {sessions} sessions, {calls} calls)"
    )
    assert statistics.median(ratios) <= LIMIT


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

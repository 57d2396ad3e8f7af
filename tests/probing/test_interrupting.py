"""A stopped run leaves the answers it had and no process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evalnb.engine.canonical import scan_json
from tests.probing.live_triage import write

SCRIPT = """
import os, sys, time
open(sys.argv[2], "a").write(f"{os.getpid()}\\n")
if sys.argv[1] == "slow":
    time.sleep(600)
print('{"ok": true}')
"""


def shape(*keys: str) -> dict[str, object]:
    return {"requiredKeys": list(keys), "permittedKeys": list(keys), "types": dict.fromkeys(keys, "string")}


def contract() -> dict[str, object]:
    """One command that answers one argument at once and another one never, on top of a packaged contract."""
    from evalnb.corpus import example

    document = json.loads(example("release-notes").read_text(encoding="utf-8"))
    inputs = [
        {"argument": {"1": pace}, "option": {}, "environment": {}, "stdin": {"kind": "absent"}}
        for pace in ("fast", "slow")
    ]
    operation = {
        "operationId": "answer",
        "invocation": {"executable": "answerer", "subcommandPath": []},
        "stateChangeMarker": False,
        "requestShape": {"argument": shape("1"), "option": shape(), "environment": shape(), "stdin": shape()},
        "artifacts": [],
        "descriptorChannel": {"kind": "stream", "channel": "stdout"},
        "responseDescriptor": {
            **shape("ok"), "types": {"ok": "boolean"}, "successIndicator": "/ok", "channelRoles": {},
            "collectionLocations": [],
        },
        "volatilePointers": [],
        "sensitivityWitness": {
            "witnessId": "pace",
            "channel": "argument",
            "legs": [{"legId": f"leg-{number}", "inputs": given} for number, given in enumerate(inputs, 1)],
            "relation": {"op": "existence", "operands": [{"pointer": "/interactions/leg-1/stdout/ok"}]},
        },
    }  # fmt: skip
    interface = {"logicalId": "pacing", "kind": "cli", "operations": [operation]}
    return {**document, "permittedInterfaces": [interface], "interactionPlan": [], "fixtureReset": None}


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for survivors in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_targets_and_keeps_what_was_observed(tmp_path: Path, number: signal.Signals) -> None:
    script, started, out = tmp_path / "answer.py", tmp_path / "started", tmp_path / "out"
    script.write_text(SCRIPT, encoding="utf-8")
    wrapper = tmp_path / "answerer"
    wrapper.write_text(f'#!/bin/sh\n"{sys.executable}" "{script}" "$1" "{started}" & wait\n', encoding="utf-8")
    wrapper.chmod(0o755)
    authorization = {
        "interfaceId": "pacing", "executable": "answerer", "target": str(wrapper), "permittedSubcommandPaths": [[]],
        "permittedEnvironmentKeys": [], "cwd": str(tmp_path), "artifacts": {}, "maxElapsedMs": 60_000,
        "maxOutputBytes": 10_000,
    }  # fmt: skip
    flags = {
        "--contract": write(tmp_path, "contract.json", contract()),
        "--probes": write(tmp_path, "probes.json", []),
        "--targets": write(tmp_path, "targets.json", {"cli": {"authorizations": [authorization]}}),
        "--run-id": "stopped",
        "--out": out,
    }
    # Whoever runs the tests in the background lets their children ignore an interrupt; a person's shell does not.
    heeding = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    started_by = f"{heeding}; from evalnb.cli.main import main; raise SystemExit(main())"
    command = [sys.executable, "-c", started_by, "probe"]
    for flag, value in flags.items():
        command += [flag, str(value)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not (started.exists() and len(started.read_text().split()) == 2):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, number)
    _, errors = process.communicate(timeout=10)
    assert process.returncode == 130, errors
    assert errors.splitlines()[-1] == "evalnb: interrupted"
    kept = scan_json((out / "observations.partial.json").read_bytes(), "ProbeObservation")
    assert [one["probeId"] for one in kept] == ["leg-1"]
    assert not (out / "observations.json").exists()
    pids = [int(text) for text in started.read_text().split()]
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(alive, pids))

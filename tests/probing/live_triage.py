"""The packaged desk, one process a build, and the targets that send every leg to the build it is meant for."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evalnb.corpus import example
from evalnb.corpus.triage.arms import ARMS

FOLDER = example("triage")
CLOCK = "2026-03-02T08:00:00Z"


def planning_list() -> list[dict[str, Any]]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((FOLDER / "probes").glob("*.json"))]


def contract() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((FOLDER / "contract.json").read_text(encoding="utf-8"))
    return document


def recorded_observations() -> list[dict[str, Any]]:
    recorded: list[dict[str, Any]] = json.loads((FOLDER / "observations.json").read_text(encoding="utf-8"))
    return recorded


def api_section(port: int, **changes: Any) -> dict[str, Any]:
    """The desk at a loopback port."""
    authorization = {
        "interfaceId": "triage-desk",
        "scheme": "http",
        "host": "127.0.0.1",
        "port": port,
        "addresses": ["127.0.0.1"],
        "methods": ["GET", "POST"],
        "safeMethods": ["GET"],
        "maxRedirects": 0,
        "maxElapsedMs": 10_000,
        "maxRequestBytes": 100_000,
        "maxResponseBytes": 1_000_000,
        **changes,
    }
    return {"authorizations": [authorization]}


@contextmanager
def builds() -> Iterator[dict[str | None, int]]:
    """The ports of a clean desk and of one desk for every planted defect."""
    command = [sys.executable, "-m", "evalnb.corpus.triage.system", "--port", "0", "--clock", CLOCK]
    started: dict[str | None, subprocess.Popen[str]] = {}
    try:
        for defect in [arm.defect for arm in ARMS]:
            planted = [] if defect is None else ["--defect", defect]
            started[defect] = subprocess.Popen([*command, *planted], stdout=subprocess.PIPE, text=True)
        yield {defect: int(process.stdout.readline()) for defect, process in started.items() if process.stdout}
    finally:
        for process in started.values():
            process.terminate()
            process.communicate()


def targets(ports: dict[str | None, int]) -> dict[str, Any]:
    """The clean desk for every leg but the seeded faults, which go to the build of their probe."""
    return {
        "api": api_section(ports[None]),
        "overrides": [
            {"probes": [arm.probe_id], "api": api_section(ports[arm.defect])} for arm in ARMS if arm.defect is not None
        ],
    }


def write(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path

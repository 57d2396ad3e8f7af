"""What it takes to measure the packaged contracts, and what such measurements came to.

`README.md` says which file is which and how every number is made again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalnb.corpus.located import located

__all__ = ["MEASURED", "MeasuredSystem", "PackagedMeasurement", "measuring_file", "packaged_measurements"]


@dataclass(frozen=True, slots=True)
class MeasuredSystem:
    """A system that was measured: the names of its files beside this one, the contract's among the examples where
    `contract` names one. `command` is the server that has to be installed; None for what runs from the package.
    """

    name: str
    system: str
    targets: str
    contract: str | None = None
    mutants: str | None = None
    command: str | None = None


MEASURED: Final = (
    MeasuredSystem("desk", "support desk", "triage-targets.json", contract="triage", mutants="triage-defects.json"),
    MeasuredSystem("memory", "memory server", "memory-first-targets.json", command="mcp-server-memory"),
    MeasuredSystem("git", "git server", "git-first-targets.json", command="mcp-server-git"),
    MeasuredSystem("time", "time server", "time-targets.json", contract="time-server", command="mcp-server-time"),
)
"""The four systems in the order they are shown; one without a packaged contract has `NAME-first-contract.json`."""


@dataclass(frozen=True, slots=True)
class PackagedMeasurement:
    """What a system's measurement came to, before its contract was strengthened with the suggestions and after."""

    system: str
    before: Path
    after: Path


def packaged_measurements() -> tuple[PackagedMeasurement, ...]:
    """All of them, documents as `evalnb measure` writes them."""
    return tuple(
        PackagedMeasurement(
            one.system,
            measuring_file(f"results/{one.name}-before.json"),
            measuring_file(f"results/{one.name}-after.json"),
        )
        for one in MEASURED
    )


def measuring_file(name: str) -> Path:
    """The path of a file here."""
    return located(f"measuring/{name}")

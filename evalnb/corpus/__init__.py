"""Packaged examples: a complete evaluation with its system, and contracts for every kind of interface.

`examples()` lists them, `example(name)` gives the folder or the file. Where a contract is for a server that anybody can
install, `example_targets(name)` is its targets file, and `example_recording(name)` a live pre-flight of it as recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from evalnb.corpus.located import located

__all__ = [
    "DEMO",
    "ExampleInfo",
    "UnknownExample",
    "example",
    "example_recording",
    "example_targets",
    "example_trajectories",
    "examples",
]

DEMO: Final = "triage"
"""The example that `evalnb demo` runs."""


@dataclass(frozen=True, slots=True)
class ExampleInfo:
    """One example: `kind` says whether its path is an evaluation folder, a folder of evidence or a contract file.

    `server` is the published package of the server that the contract is for; None where there is none to install.
    """

    name: str
    kind: Literal["evaluation", "evidence", "contract"]
    interface_kind: Literal["api", "cli", "mcp"]
    summary: str
    server: str | None = None


class UnknownExample(LookupError):
    """No example has the name that was asked for; the message lists those there are."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no example named {name!r}; there are: {', '.join(info.name for info in _EXAMPLES)}")
        self.name = name


_EXAMPLES: Final = (
    ExampleInfo(
        "triage",
        "evaluation",
        "api",
        "A support-desk assistant with five planted builds and a clean one: four caught, one missed.",
    ),
    ExampleInfo(
        "triage-lean",
        "evidence",
        "api",
        "The same builds and trials under a leaner contract, to compare with: two of the five are caught.",
    ),
    ExampleInfo(
        "comment-moderation",
        "contract",
        "api",
        "A moderation service: insults wait, blunt criticism is published, and every hold names its rule.",
    ),
    ExampleInfo(
        "release-notes",
        "contract",
        "cli",
        "A command that drafts release notes: no entry without a commit, no notes about a range that does not exist.",
    ),
    ExampleInfo(
        "meeting-calendar",
        "contract",
        "mcp",
        "A calendar's tool server: a confirmed meeting is in the calendar, and nothing is booked twice.",
    ),
    ExampleInfo(
        "time-server",
        "contract",
        "mcp",
        "A server that tells and converts time: right over half hours and midnight, while the time itself is volatile.",
        "mcp-server-time",
    ),
    ExampleInfo(
        "memory-server",
        "contract",
        "mcp",
        "A server that remembers: what was created is in the graph that is read back, and what was deleted is not.",
        "@modelcontextprotocol/server-memory",
    ),
    ExampleInfo(
        "git-server",
        "contract",
        "mcp",
        "A server over a scratch repository: a commit is in the log, with its message and its content.",
        "mcp-server-git",
    ),
    ExampleInfo(
        "everything-server",
        "contract",
        "mcp",
        "The reference server: structured content, text, images and resources, each told apart from an error.",
        "@modelcontextprotocol/server-everything",
    ),
)


def examples() -> tuple[ExampleInfo, ...]:
    """Every packaged example, the complete evaluation first."""
    return _EXAMPLES


def example(name: str) -> Path:
    """The path of an example: a folder, or a contract file. Raises `UnknownExample`, a LookupError."""
    return located(f"contracts/{name}.json" if _info(name).kind == "contract" else name)


def example_targets(name: str) -> Path:
    """The targets file of an example with a server: the server is looked for on PATH and runs where evalnb runs.

    Raises `UnknownExample` for a name without one.
    """
    return located(f"targets/{_served(name)}.json")


def example_recording(name: str) -> Path:
    """The folder of an example with a server that holds `observations.json` and their `preflight-verdict.json`."""
    return located(f"recordings/{_served(name)}")


def example_trajectories() -> Path:
    """The folder of the recorded runs of an orders agent, with their suite, their gate policy and an older release."""
    return located("trajectories")


def _info(name: str) -> ExampleInfo:
    info = next((info for info in _EXAMPLES if info.name == name), None)
    if info is None:
        raise UnknownExample(name)
    return info


def _served(name: str) -> str:
    if _info(name).server is None:
        raise UnknownExample(name)
    return name

"""Packaged examples: a complete evaluation with its system, and one contract for each kind of interface.

`examples()` lists them, `example(name)` gives the folder or the file.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final, Literal

__all__ = ["DEMO", "ExampleInfo", "UnknownExample", "example", "examples"]

DEMO: Final = "triage"
"""The example that `evalnb demo` runs."""


@dataclass(frozen=True, slots=True)
class ExampleInfo:
    """One example: `kind` says whether its path is an evaluation folder or a contract file."""

    name: str
    kind: Literal["evaluation", "contract"]
    interface_kind: Literal["api", "cli", "mcp"]
    summary: str


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
)


def examples() -> tuple[ExampleInfo, ...]:
    """Every packaged example, the complete evaluation first."""
    return _EXAMPLES


def example(name: str) -> Path:
    """The path of an example: an evaluation folder, or a contract file. Raises `UnknownExample`, a LookupError."""
    info = next((info for info in _EXAMPLES if info.name == name), None)
    if info is None:
        raise UnknownExample(name)
    return _located(name if info.kind == "evaluation" else f"contracts/{name}.json")


@cache
def _located(place: str) -> Path:
    resource = resources.files(__package__).joinpath(*place.split("/"))
    if isinstance(resource, Path):
        return resource
    # A package that is not on disk is unpacked for as long as the process lives.
    unpacked = ExitStack()
    atexit.register(unpacked.close)
    return unpacked.enter_context(resources.as_file(resource))

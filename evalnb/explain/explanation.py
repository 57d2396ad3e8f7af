"""What an explanation holds, and how the modules of this package write one down."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Registry: TypeAlias = Literal[
    "structural failure", "aggregation refusal", "runtime fault", "probe qualification", "lineage defect"
]

EXIT_CODES: Final[dict[Registry, int | None]] = {
    "structural failure": 4,
    "aggregation refusal": 4,
    "runtime fault": 5,
    # A probe that does not qualify leaves the scored run without a verdict.
    "probe qualification": 3,
    "lineage defect": None,
}


@dataclass(frozen=True, slots=True)
class Fragment:
    """One piece of an artifact: where it stands, and the JSON text that stands there.

    `place` is a JSON Pointer, and "" the whole document.
    """

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """Pieces of one artifact, given by name; everything around them is as in the base document of that name."""

    artifact: str
    fragments: tuple[Fragment, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a code means, why that matters to somebody who measures an evaluation, and what to do about it.

    `exit_code` is how a command ends that meets the code; `None` where the code never ends one.
    """

    code: str
    registry: Registry
    exit_code: int | None
    meaning: str
    why: str
    remedy: str
    bad: Example
    good: Example


def explanation(
    code: str, registry: Registry, *, meaning: str, why: str, remedy: str, bad: Example, good: Example
) -> Explanation:
    """An explanation whose texts may be written over several lines."""
    return Explanation(
        code=code,
        registry=registry,
        exit_code=EXIT_CODES[registry],
        meaning=_joined(meaning),
        why=_joined(why),
        remedy=_joined(remedy),
        bad=bad,
        good=good,
    )


def example(artifact: str, fragments: Mapping[str, str], note: str = "") -> Example:
    """An example whose JSON texts may be indented as the code around them is."""
    pieces = tuple(Fragment(place, inspect.cleandoc(text)) for place, text in fragments.items())
    return Example(artifact, pieces, _joined(note))


def in_contract(fragments: Mapping[str, str], note: str = "") -> Example:
    """An example inside the base contract."""
    return example("EvalContract", fragments, note)


def in_probe(fragments: Mapping[str, str], note: str = "") -> Example:
    """An example inside the base probe."""
    return example("Probe", fragments, note)


def _joined(text: str) -> str:
    return " ".join(text.split())

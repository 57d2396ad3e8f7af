"""What is found out about a system before a contract is written: its operations, and where it is reached."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from evalnb.engine.json_values import Json, json_equal
from evalnb.scaffold.json_shapes import KeyShape, samples_of

Kind = Literal["api", "cli", "mcp"]
Channels = Mapping[str, Mapping[str, Json]]

_READING_WORDS: Final = (
    "check convert count describe diff echo fetch find get help info list log lookup ls open preview print query read "
    "resolve search show stat status version view"
)
READING_WORDS: Final = frozenset(_READING_WORDS.split())


@dataclass(frozen=True, slots=True)
class DraftOperation:
    """One operation as it was discovered. `address` is what tells it from others of its kind, in contract form.

    `answer` is None where nothing is said about the answer. `callable` says that calling it changes nothing.
    """

    operation_id: str
    name: str
    description: str
    address: Mapping[str, Json]
    changes_state: bool
    channels: Mapping[str, KeyShape]
    answer: KeyShape | None
    varied: str | None

    def inputs(self, choice: int, given: Mapping[str, Json]) -> Channels:
        """The first (0) or second (1) sample of every required key; a value that is given goes before a sample.

        The two choices differ in the varied channel alone, and there in some key.
        """
        drawn: dict[str, dict[str, Json]] = {}
        for channel, shape in self.channels.items():
            pick = choice if channel == self.varied else 0
            pairs = {key: _pair(shape, key, given) for key in shape.required}
            if channel == self.varied and all(json_equal(*pair) for pair in pairs.values()):
                pairs |= self._made_to_differ(shape, given)
            drawn[channel] = {key: pair[pick] for key, pair in pairs.items()}
        return drawn

    def _made_to_differ(self, shape: KeyShape, given: Mapping[str, Json]) -> dict[str, tuple[Json, Json]]:
        """A key to tell the choices apart by: one that may be left out, else one whose given value is replaced."""
        optional = {key: _pair(shape, key, given) for key in shape.permitted if key not in shape.required}
        for key, pair in optional.items():
            if not json_equal(*pair):
                return {key: pair}
        for key in shape.permitted:
            first = _pair(shape, key, given)[0]
            for second in samples_of(shape.schemas[key], key):
                if not json_equal(first, second):
                    return {key: (first, second)}
        return {}


def _pair(shape: KeyShape, key: str, given: Mapping[str, Json]) -> tuple[Json, Json]:
    return (given[key], given[key]) if key in given else samples_of(shape.schemas[key], key)


@dataclass(frozen=True, slots=True)
class Draft:
    """A system: one interface, its operations, the targets that reach it, and what was left out and why."""

    interface_id: str
    kind: Kind
    source: str
    operations: Sequence[DraftOperation]
    targets: dict[str, Any]
    left_out: Sequence[str] = field(default_factory=tuple)


def identifier(text: str, taken: set[str], fallback: str = "operation") -> str:
    """`text` as an identifier that is not taken yet; it is taken afterwards."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text)
    base = re.sub(r"[^a-z0-9]+", "-", spaced.lower()).strip("-") or fallback
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    taken.add(name)
    return name


def words_of(text: str) -> list[str]:
    """The words of a name, in lower case and without a plural s."""
    return [word.lower().removesuffix("s") for word in re.findall(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])", text)]


def seems_to_read(name: str) -> bool:
    """Whether a name begins as names of reads do; a guess that a person has to confirm."""
    plain = re.findall(r"[a-z]+|[A-Z][a-z]*", name)
    return any(word.lower() in READING_WORDS for word in plain[:2])

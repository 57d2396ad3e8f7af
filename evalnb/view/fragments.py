"""Finds the place that an artifact path names in a document, and shows it with its surroundings.

A path is that of a failure: `EvalContract.oracles[id=O-001].check.operands[0]`, `...body["user.name"]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from evalnb.engine.json_values import own_keys, quote
from evalnb.view.html import Child, Html, join, tag
from evalnb.view.json_view import Token, scalar_token, shortened

Place: TypeAlias = tuple[str | int, ...]

LINES_AROUND: Final = 4
MOST_LINES: Final = 24
MOST_SCANNED: Final = 200_000
LONGEST_LINE: Final = 200

_NAMING_KEYS: Final = ("id", "stepId", "logicalId", "operationId", "legId", "observationId", "findingId", "oracleId")
_STEP: Final = re.compile(
    r"""\.(?P<name>[^.\[\]]+)
      | \[(?P<index>[0-9]+)\]
      | \[(?P<key>[A-Za-z]+)=(?P<value>[^\]]*)\]
      | \[(?P<quoted>"(?:[^"\\]|\\.)*")\]""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """The deepest place of a document that a path leads to; `complete` says whether that is all of the path."""

    place: Place
    complete: bool


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """One line of a document in its indented form, with the place it shows."""

    number: int
    depth: int
    place: Place
    tokens: tuple[Token, ...]


def locate(document: Any, artifact_path: str) -> Found:
    """Where the path leads, as far as the document goes along."""
    start = next((place for place, mark in enumerate(artifact_path) if mark in ".["), len(artifact_path))
    current = document
    place: list[str | int] = []
    while start < len(artifact_path):
        step = _STEP.match(artifact_path, start)
        taken = None if step is None else _taken(current, step)
        if step is None or taken is None:
            return Found(tuple(place), complete=False)
        place.append(taken)
        current = current[taken]
        start = step.end()
    return Found(tuple(place), complete=True)


def fragment_html(document: Any, place: Place) -> Html:
    """The lines of the document at `place`, marked, between the lines around them."""
    lines = list(_window(document, place))
    if not lines:
        return tag("p", "the place is not in the document", class_="enb-quiet")
    depth = min(line.depth for line in lines)
    shown = [line_html(line, depth, marked=line.place[: len(place)] == place) for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(tag("span", f"{'':>6}and {len(lines) - MOST_LINES} more lines", class_="enb-line enb-quiet"))
    return tag("pre", tag("code", shown, class_="enb-json"), class_="enb-fragment", tabindex=0)


def _taken(current: Any, step: re.Match[str]) -> str | int | None:
    found = step.groupdict()
    if found["index"] is not None:
        index = int(found["index"]) if len(found["index"]) < 10 else -1
        return index if isinstance(current, list) and 0 <= index < len(current) else None
    if found["value"] is not None:
        return _keyed(current, found["key"], found["value"])
    name = found["name"] if found["name"] is not None else json.loads(found["quoted"])
    return name if isinstance(current, dict) and name in current else None


def _keyed(current: Any, key: str, value: str) -> str | int | None:
    """`[id=x]` is the element that says so, or the entry of that name."""
    if isinstance(current, dict):
        return value if value in current else None
    if not isinstance(current, list):
        return None
    for index, element in enumerate(current):
        if isinstance(element, dict) and element.get(key) == value:
            return index
    return None


def _window(document: Any, place: Place) -> Iterator[DocumentLine]:
    """The lines of the place and a few around it; only so many are kept while the place is looked for."""
    before: list[DocumentLine] = []
    inside, after = 0, 0
    for line in document_lines(document):
        if line.number > MOST_SCANNED:
            return
        if line.place[: len(place)] == place:
            if not inside:
                yield from before
            inside += 1
            if inside <= MOST_LINES:
                yield line
        elif inside:
            after += 1
            if after > LINES_AROUND:
                return
            yield line
        else:
            before = [*before[1 - LINES_AROUND :], line]


def document_lines(root: Any) -> Iterator[DocumentLine]:
    """The document as indented JSON, a line at a time, each with the place it shows."""
    number = 0
    pending: list[tuple[Any, Place, tuple[Token, ...], bool, bool]] = [(root, (), (), True, False)]
    while pending:
        value, place, label, last, closing = pending.pop()
        number += 1
        comma = () if last else (Token("mark", ","),)
        if closing:
            yield DocumentLine(number, len(place), place, (Token("mark", value), *comma))
        elif isinstance(value, dict | list) and value:
            opening, end = ("{", "}") if isinstance(value, dict) else ("[", "]")
            yield DocumentLine(number, len(place), place, (*label, Token("mark", opening)))
            pending.append((end, place, (), last, True))
            pending.extend(reversed(list(_entries(value, place))))
        else:
            yield DocumentLine(number, len(place), place, (*label, scalar_token(value), *comma))


def _entries(value: Any, place: Place) -> Iterator[tuple[Any, Place, tuple[Token, ...], bool, bool]]:
    if isinstance(value, dict):
        keys = own_keys(value)
        for count, key in enumerate(keys, start=1):
            label = (Token("key", quote(key)), Token("mark", ": "))
            yield value[key], (*place, key), label, count == len(keys), False
    else:
        for index, item in enumerate(value):
            yield item, (*place, index), (), index + 1 == len(value), False


def line_html(line: DocumentLine, margin: int, *, marked: bool) -> Html:
    """A line as markup, `margin` levels further to the left than it stands."""
    parts: list[Child] = [tag("span", f"{line.number:>5} ", class_="enb-line-number", aria_hidden="true")]
    parts += ["▸ " if marked else "  ", "  " * min(line.depth - margin, 24)]
    parts += [_token(token) for token in line.tokens]
    return tag("span", join([*parts, "\n"]), class_="enb-line enb-marked" if marked else "enb-line")


def _token(token: Token) -> Child:
    text = shortened(token.text, LONGEST_LINE)
    return text if token.kind in ("mark", "space") else tag("span", text, class_=f"enb-j-{token.kind}")


def place_words(document: Any, place: Sequence[str | int]) -> str:
    """A place as a trail of names; elements that have an identifier are named by it."""
    trail: list[str] = []
    current = document
    for step in place:
        current = current[step]
        trail.append(str(step) if isinstance(step, str) else _name_of(current, step))
    return " › ".join(shortened(name, 60) for name in trail) or "the whole document"


def _name_of(element: Any, index: int) -> str:
    if isinstance(element, dict):
        for key in _NAMING_KEYS:
            if isinstance(element.get(key), str):
                return str(element[key])
    return str(index + 1)

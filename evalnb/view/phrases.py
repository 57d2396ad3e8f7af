"""Phrases made of words and of quoted things: pointers, values, sets and patterns, each shown as what it is."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from evalnb.view.html import Child, Html, join, tag, visible

SegmentKind: TypeAlias = Literal["words", "pointer", "value", "set", "pattern"]

LONGEST_QUOTE: Final = 120


class Segment(NamedTuple):
    """A piece of a phrase; `title` says more where a pointer is read on a screen."""

    kind: SegmentKind
    text: str
    title: str | None = None


Phrase: TypeAlias = tuple[Segment, ...]


def words(text: str) -> Segment:
    """Words of ours."""
    return Segment("words", text)


def phrase(*parts: Segment | str) -> Phrase:
    """The parts in a row; a bare string is words of ours."""
    return tuple(words(part) if isinstance(part, str) else part for part in parts)


def phrase_text(parts: Phrase) -> str:
    """The phrase as plain text, safe for a terminal."""
    return visible("".join(part.text for part in parts))


def phrase_html(parts: Phrase) -> Html:
    """The phrase with every quoted thing set as code."""
    return join(_shown(part) for part in parts)


def _shown(part: Segment) -> Child:
    if part.kind == "words":
        return part.text
    return tag("code", part.text, class_=f"enb-q enb-q-{part.kind}", title=part.title)

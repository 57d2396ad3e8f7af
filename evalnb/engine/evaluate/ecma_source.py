"""Rewrites an ECMAScript pattern, flags off, into the equal pattern that `regress` is given.

It spells the pattern in carried code units, and settles the few places where `regress` reads a pattern without
flags otherwise than the engine behind published contracts does: `\\u{61}`, `\\b*`, `(?i:a)`, repeated group names.
spec: 03 §11.1, 04 C10
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from evalnb.engine.evaluate.code_units import (
    FIRST_SURROGATE,
    LAST_SURROGATE,
    carry,
    from_units,
    to_units,
    unit_of,
)

MOST_ALTERNATIVES: Final = 4096
"""How many alternatives one group may have: the matcher's own parser recurses over them, and would crash."""

_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[\s\S])")
_BRACE_QUANTIFIER: Final = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_NAMED_GROUP: Final = re.compile(r"\(\?<(?![=!])([^>]*)>")
_NAME_REFERENCE: Final = re.compile(r"\\k<[^>]*>")
_GROUP_MARKERS: Final = ("(?:", "(?=", "(?!", "(?<=", "(?<!")
_CLASS_ATOM: Final = re.compile(
    r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z0-9_]|[0-3][0-7]{0,2}|[4-7][0-7]?|[\s\S])|[\s\S]"
)


class PatternSyntaxError(ValueError):
    """The source is no ECMAScript pattern."""


@dataclass(frozen=True, slots=True)
class _ClassAtom:
    text: str
    """How `regress` is told the atom."""

    unit: int | None
    """Its code unit where that is known to matter; None for a set such as `\\d`."""


@dataclass(slots=True)
class _Rewriter:
    source: str
    position: int = 0
    parts: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    alternatives: list[int] = field(default_factory=lambda: [1])

    def rewrite(self) -> str:
        named = _NAMED_GROUP.search(self.source) is not None
        while self.position < len(self.source):
            character = self.source[self.position]
            if character == "\\":
                self._escape(named)
            elif character == "[":
                self._character_class()
            elif character == "(":
                self.alternatives.append(1)
                self._group()
            else:
                self._count_alternatives(character)
                self._copy(1)
        return "".join(self.parts)

    def _copy(self, count: int) -> None:
        self.parts.append(self.source[self.position : self.position + count])
        self.position += count

    def _count_alternatives(self, character: str) -> None:
        if character == ")" and len(self.alternatives) > 1:
            self.alternatives.pop()
        elif character == "|":
            self.alternatives[-1] += 1
            if self.alternatives[-1] > MOST_ALTERNATIVES:
                raise PatternSyntaxError(f"more than {MOST_ALTERNATIVES} alternatives stand side by side")

    def _escape(self, named: bool) -> None:
        reference = _NAME_REFERENCE.match(self.source, self.position) if named else None
        if reference is not None:
            self.parts.append(from_units(reference[0]))
            self.position = reference.end()
            return
        match = _ESCAPE.match(self.source, self.position)
        if match is None:
            raise PatternSyntaxError("a backslash ends the pattern")
        self.parts.append(_escape_text(match[0], match[1]))
        self.position = match.end()
        if match[0] in ("\\b", "\\B"):
            self._refuse_quantifier()

    def _refuse_quantifier(self) -> None:
        following = self.source[self.position : self.position + 1]
        if following in ("*", "+", "?") or _BRACE_QUANTIFIER.match(self.source, self.position):
            raise PatternSyntaxError("a word boundary cannot be repeated")

    def _group(self) -> None:
        named = _NAMED_GROUP.match(self.source, self.position)
        if named is not None:
            name = from_units(named[1])
            if name in self.names:
                raise PatternSyntaxError(f"group name {name} is given twice")
            self.names.add(name)
            self.parts.append(f"(?<{name}>")
            self.position = named.end()
            return
        for marker in _GROUP_MARKERS:
            if self.source.startswith(marker, self.position):
                self._copy(len(marker))
                return
        if self.source.startswith("(?", self.position):
            raise PatternSyntaxError("no such kind of group")
        self._copy(1)

    def _character_class(self) -> None:
        self._copy(2 if self.source.startswith("[^", self.position) else 1)
        while self.position < len(self.source):
            if self.source[self.position] == "]":
                self._copy(1)
                return
            first = self._class_atom()
            if not self._at_range():
                self.parts.append(first.text)
                continue
            self.position += 1
            last = self._class_atom()
            self.parts.append(_range_text(first, last))
        raise PatternSyntaxError("a character class is not closed")

    def _at_range(self) -> bool:
        return self.source.startswith("-", self.position) and self.source[
            self.position + 1 : self.position + 2
        ] not in ("", "]")

    def _class_atom(self) -> _ClassAtom:
        match = _CLASS_ATOM.match(self.source, self.position)
        if match is None or match[0] == "\\":
            raise PatternSyntaxError("a character class is not closed")
        text = match[0]
        if text == "\\c":
            # Not a control letter: the backslash stands for itself and `c` is the next atom.
            self.position += 1
            return _ClassAtom("\\\\", ord("\\"))
        self.position = match.end()
        if len(text) == 1:
            return _ClassAtom(text, unit_of(text))
        if text[1] == "u" and len(text) == 6:
            unit = int(text[2:], 16)
            return _ClassAtom(carry(unit) if _is_surrogate(unit) else text, unit)
        if text in ("\\d", "\\D", "\\w", "\\W", "\\s", "\\S"):
            return _ClassAtom(text, None)
        if text == "\\u":
            return _ClassAtom("u", ord("u"))
        # Any other escape longer than two characters names a unit below U+0200; the exact one is `regress`' affair.
        return _ClassAtom(_plain_escape(text), unit_of(text[1]) if len(text) == 2 else 0)


def rewrite(pattern: str) -> str:
    """The pattern for `regress`, over carried code units; PatternSyntaxError for what it would wrongly accept."""
    return _Rewriter(to_units(pattern)).rewrite()


def _escape_text(text: str, hexadecimal: str | None) -> str:
    if hexadecimal is not None:
        unit = int(hexadecimal, 16)
        return carry(unit) if _is_surrogate(unit) else text
    return "u" if text == "\\u" else _plain_escape(text)


def _plain_escape(text: str) -> str:
    # A carried unit has no special meaning, so it needs no escape.
    return text[1] if text[1] > "\uffff" else text


def _range_text(first: _ClassAtom, last: _ClassAtom) -> str:
    """A class range that may cross the surrogates, whose carriers lie elsewhere."""
    if first.unit is None or last.unit is None:
        return f"{first.text}-{last.text}"
    if first.unit < FIRST_SURROGATE and last.unit < FIRST_SURROGATE:
        return f"{first.text}-{last.text}"
    if first.unit > last.unit:
        raise PatternSyntaxError("a character range is reversed")
    if first.unit > LAST_SURROGATE:
        return f"{first.text}-{last.text}"
    parts = [] if first.unit >= FIRST_SURROGATE else [f"{first.text}-\\ud7ff"]
    low, high = max(first.unit, FIRST_SURROGATE), min(last.unit, LAST_SURROGATE)
    parts.append(f"{carry(low)}-{carry(high)}")
    if last.unit > LAST_SURROGATE:
        parts.append(f"\\ue000-{last.text}")
    return "".join(parts)


def _is_surrogate(unit: int) -> bool:
    return FIRST_SURROGATE <= unit <= LAST_SURROGATE

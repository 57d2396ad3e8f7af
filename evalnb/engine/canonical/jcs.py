"""The domain of hashed values and their RFC 8785 bytes (spec: 01 §1, §3).

A value is checked first, with exact built-in types only; then `rfc8785` renders it. The check looks at members as they
come, and only a value that is not plainly in the domain is walked again, iteratively and in canonical order, for the
place to name. Values nested deeper than that library's recursion allows are assembled level by level from its scalars.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn

import rfc8785

from evalnb.engine.canonical.exact_scanner import MAX_DEPTH, MAX_SAFE_INTEGER
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import utf16_key

_SHALLOW = 100


def canonicalize(value: object, artifact_path: str) -> bytes:
    """The RFC 8785 bytes of `value`, UTF-8 without a trailing newline.

    Raises `RuntimeFault` `non-canonicalizable-value` at `artifact_path` for anything outside the hashed domain.
    """
    if _checked_depth(value, artifact_path) <= _SHALLOW:
        return rfc8785.dumps(value)  # type: ignore[arg-type]
    return _render_deep(value)


def canonical_text(value: object, artifact_path: str) -> str:
    """The canonical form as text."""
    return canonicalize(value, artifact_path).decode("utf-8")


def assert_hashed_value(value: object, artifact_path: str) -> None:
    """Raise unless `value` belongs to the hashed domain; renders nothing (spec: 01 §3.3)."""
    _checked_depth(value, artifact_path)


@dataclass(slots=True)
class _Open:
    """A container on the walk: its identity, its location and the children still to visit."""

    identity: int
    location: _Location
    children: Iterator[tuple[str | int, object]]


@dataclass(frozen=True, slots=True)
class _Location:
    """Where a value lies; the text is only built for a fault."""

    parent: _Location | None
    step: str | int

    def __str__(self) -> str:
        steps: list[str] = []
        place: _Location | None = self
        while place is not None and place.parent is not None:
            steps.append(f".{place.step}" if isinstance(place.step, str) else f"[{place.step}]")
            place = place.parent
        return "$" + "".join(reversed(steps))


def _checked_depth(root: object, artifact_path: str) -> int:
    """Check the whole value and return how many containers deep it goes."""
    try:
        return _plain_depth(root, _SHALLOW)
    except _NotPlain:
        return _walked_depth(root, artifact_path)


class _NotPlain(Exception):
    """A value that is outside the hashed domain, or deep, or that a short look does not tell from such."""


def _plain_depth(value: object, levels: int) -> int:
    """How many containers deep `value` goes, at most `levels`; a cycle is deeper than any number of them."""
    kind = type(value)
    if kind is str:
        _check_text(value)  # type: ignore[arg-type]
        return 0
    if value is None or kind is bool:
        return 0
    if kind is int or kind is float:
        # No number that is not finite passes, and no float beyond this range has a fraction.
        if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:  # type: ignore[operator]
            raise _NotPlain
        return 0
    if levels == 0:
        raise _NotPlain
    if kind is list:
        members: Iterable[object] = value  # type: ignore[assignment]
    elif kind is dict:
        for key in value:  # type: ignore[attr-defined]
            if type(key) is not str:
                raise _NotPlain
            _check_text(key)
        members = value.values()  # type: ignore[attr-defined]
    else:
        raise _NotPlain
    deepest = 0
    for member in members:
        deepest = max(deepest, _plain_depth(member, levels - 1))
    return deepest + 1


def _check_text(text: str) -> None:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise _NotPlain from None


def _walked_depth(root: object, artifact_path: str) -> int:
    check = _DomainCheck(artifact_path)
    opened = check.visit(root, _Location(None, ""))
    if opened is None:
        return 0
    stack = [opened]
    deepest = 1
    while stack:
        top = stack[-1]
        child = next(top.children, None)
        if child is None:
            check.ancestors.discard(top.identity)
            stack.pop()
            continue
        step, value = child
        kind = type(value)
        if kind is str and value.isascii():  # type: ignore[attr-defined]
            continue
        if value is None or kind is bool:
            continue
        opened = check.visit(value, _Location(top.location, step))
        if opened is not None:
            stack.append(opened)
            deepest = max(deepest, len(stack))
    return deepest


class _DomainCheck:
    def __init__(self, artifact_path: str) -> None:
        self.artifact_path = artifact_path
        self.ancestors: set[int] = set()

    def visit(self, value: object, location: _Location) -> _Open | None:
        """Check one value; an array or object comes back opened for its children."""
        if value is None or value is True or value is False:
            return None
        kind = type(value)
        if kind is str:
            self.check_string(value, location, "")  # type: ignore[arg-type]
            return None
        if kind is int or kind is float:
            self.check_number(value, location)  # type: ignore[arg-type]
            return None
        if isinstance(value, (dict, list)):
            return self.enter(value, location)
        self.refuse(f"{kind.__name__} is not a hashed-artifact value at {location}")

    def enter(self, value: dict[object, object] | list[object], location: _Location) -> _Open:
        if len(self.ancestors) >= MAX_DEPTH:
            self.refuse(f"nesting depth exceeds {MAX_DEPTH} at {location}")
        if id(value) in self.ancestors:
            self.refuse(f"cyclic reference at {location}")
        if type(value) is list:
            self.ancestors.add(id(value))
            return _Open(id(value), location, iter(enumerate(value)))
        if type(value) is not dict:
            self.refuse(f"non-plain {'array' if isinstance(value, list) else 'object'} at {location}")
        for key in value:
            if type(key) is not str:
                self.refuse(f"{type(key).__name__} is not a hashed-artifact object key at {location}")
            self.check_string(key, location, " (object key)")
        self.ancestors.add(id(value))
        # Which of several bad members is named depends on the visiting order: the canonical one.
        members: list[tuple[str, object]] = sorted(value.items(), key=_member_order)  # type: ignore[arg-type]
        return _Open(id(value), location, iter(members))

    def check_string(self, text: str, location: _Location, note: str) -> None:
        if text.isascii():
            return
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            self.refuse(f"lone surrogate in string at {location}{note}")

    def check_number(self, number: int | float, location: _Location) -> None:
        if isinstance(number, float):
            if not math.isfinite(number):
                self.refuse(f"non-finite number at {location}")
            if not number.is_integer():
                return
        if not -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER:
            self.refuse(f"integer outside the safe range at {location}: {number}")

    def refuse(self, detail: str) -> NoReturn:
        raise RuntimeFault("non-canonicalizable-value", self.artifact_path, detail)


def _member_order(member: tuple[str, object]) -> bytes:
    return utf16_key(member[0])


def _render_deep(root: object) -> bytes:
    """Render a checked value of any legal depth without recursion."""
    parts: list[bytes] = []
    pending: list[object] = [root]
    while pending:
        item = pending.pop()
        if type(item) is _Token:
            parts.append(item.text)
        elif type(item) is list:
            pending.append(_Token(b"]"))
            for index in range(len(item) - 1, -1, -1):
                pending.append(item[index])
                pending.append(_Token(b"," if index else b"["))
            if not item:
                pending.append(_Token(b"["))
        elif type(item) is dict:
            pending.append(_Token(b"}"))
            keys = sorted(item, key=utf16_key)
            for index in range(len(keys) - 1, -1, -1):
                pending.append(item[keys[index]])
                pending.append(_Token((b"," if index else b"{") + rfc8785.dumps(keys[index]) + b":"))
            if not keys:
                pending.append(_Token(b"{"))
        else:
            parts.append(rfc8785.dumps(item))  # type: ignore[arg-type]
    return b"".join(parts)


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of finished output waiting on the stack."""

    text: bytes

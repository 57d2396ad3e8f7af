"""Is a string ECMA-262 pattern source, read without flags and with Annex B leniency, as V8 11 reads it?

A parser of the grammar, not a matcher: linear, no recursion, so no pattern can exhaust it. It exists because
`regress` accepts quantified word boundaries, inline modifiers, repeated group names and backward surrogate ranges,
which the dialect refuses, and overflows its stack on very long alternations. spec: 04 §4 C10 row 1, §10 question 3
"""

from __future__ import annotations

import re
from functools import lru_cache

_BRACES = re.compile(r"\{([0-9]+)(?:,([0-9]*))?\}")
_HEX = re.compile(r"[0-9A-Fa-f]+")
_NAME_ESCAPE = re.compile(r"\\u(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{4}))")
_GROUP_OPENING = re.compile(r"\(\?(?::|<?[=!]|<)")
_LARGEST_COUNT = 2**31 - 1
_SINGLE_ESCAPES = {"b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}


class _Refused(Exception):
    """The source is no pattern; never leaves this module."""


@lru_cache(maxsize=1024)
def is_pattern_source(source: str) -> bool:
    """Whether `new RegExp(source)` would succeed."""
    units = _code_units(source)
    try:
        named = _read_pattern(units, named=False)
        if named:
            # A group name anywhere makes \k a reference everywhere, so the source is read again under that rule.
            _read_pattern(units, named=True)
    except _Refused:
        return False
    return True


def _code_units(source: str) -> str:
    """`source` with each character beyond U+FFFF as its two surrogates."""
    if source.isascii():
        return source
    pieces = source.encode("utf-16-be", "surrogatepass")
    return "".join(chr(pieces[i] << 8 | pieces[i + 1]) for i in range(0, len(pieces), 2))


def _read_pattern(text: str, *, named: bool) -> bool:
    """Reads the whole source; whether it names a group. Raises `_Refused`."""
    names: set[str] = set()
    references: set[str] = set()
    groups: list[bool] = []  # may the group still open be repeated once it closes?
    at, end = 0, len(text)
    repeatable = False
    while at < end:
        char = text[at]
        if char == "\\":
            at, repeatable = _read_escape(text, at, named, references)
        elif char == "[":
            at, repeatable = _read_class(text, at + 1, named), True
        elif char == "(":
            at, closes_repeatable = _open_group(text, at, names)
            groups.append(closes_repeatable)
            repeatable = False
        elif char == ")":
            if not groups:
                raise _Refused
            at, repeatable = at + 1, groups.pop()
        elif char in "*+?{" and (after := _after_quantifier(text, at)):
            if not repeatable:
                raise _Refused
            at, repeatable = after, False
        else:
            at, repeatable = at + 1, char not in "^$|"
    if groups or not references <= names:
        raise _Refused
    return bool(names)


def _after_quantifier(text: str, at: int) -> int:
    """The index behind the quantifier at `at`, a lazy mark included; 0 where the brace there is a plain character."""
    if text[at] == "{":
        braces = _BRACES.match(text, at)
        if braces is None:
            return 0
        low, high = _count(braces[1]), _count(braces[2]) if braces[2] else _LARGEST_COUNT
        if braces[2] and low > high:
            raise _Refused
        after = braces.end()
    else:
        after = at + 1
    return after + 1 if text.startswith("?", after) else after


def _count(digits: str) -> int:
    significant = digits.lstrip("0")
    return _LARGEST_COUNT if len(significant) > 10 else min(int(significant or "0"), _LARGEST_COUNT)


def _open_group(text: str, at: int, names: set[str]) -> tuple[int, bool]:
    if not text.startswith("(?", at):
        return at + 1, True
    opening = _GROUP_OPENING.match(text, at)
    if opening is None:
        raise _Refused
    if opening[0] == "(?<":
        name, after = _read_name(text, opening.end())
        if name in names:
            raise _Refused
        names.add(name)
        return after, True
    return opening.end(), opening[0] not in ("(?<=", "(?<!")


def _read_escape(text: str, at: int, named: bool, references: set[str]) -> tuple[int, bool]:
    """The index behind the escape at `at`, and whether what it means may be repeated."""
    if at + 1 == len(text):
        raise _Refused
    char = text[at + 1]
    if char == "k" and named:
        if not text.startswith("<", at + 2):
            raise _Refused
        name, after = _read_name(text, at + 3)
        references.add(name)
        return after, True
    return at + 2, char not in "bB"


def _read_name(text: str, at: int) -> tuple[str, int]:
    """The group name that starts at `at`, escapes decoded, and the index behind its `>`."""
    close = text.find(">", at)
    if close < 0:
        raise _Refused
    units = _NAME_ESCAPE.sub(_decoded_name_escape, text[at:close])
    name = units.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
    # Python's identifiers are the Unicode ones; the pattern grammar adds the dollar sign and the two joiners.
    plain = name.replace("$", "_")
    if not plain[:1].isidentifier() or not f"_{plain[1:]}".replace("\u200c", "").replace("\u200d", "").isidentifier():
        raise _Refused
    return name, close + 1


def _decoded_name_escape(escape: re.Match[str]) -> str:
    point = int(escape[1] or escape[2], 16)
    if point > 0x10FFFF:
        raise _Refused
    return _code_units(chr(point))


def _read_class(text: str, at: int, named: bool) -> int:
    """The index behind the `]` of the class whose content starts at `at`."""
    at += text.startswith("^", at)
    low: int | None = None  # the atom before a dash, where it is one character
    state = "start"
    while True:
        if at >= len(text):
            raise _Refused
        if text[at] == "]":
            return at + 1
        if state == "atom" and text[at] == "-":
            state, at = "dash", at + 1
            continue
        value, at = _read_class_atom(text, at, named)
        if state == "dash":
            if low is not None and value is not None and low > value:
                raise _Refused
            state = "start"
        else:
            low, state = value, "atom"


def _read_class_atom(text: str, at: int, named: bool) -> tuple[int | None, int]:
    """The code unit of the class atom at `at` (None for a set such as `\\d`), and the index behind it."""
    if text[at] != "\\":
        return ord(text[at]), at + 1
    if at + 1 == len(text):
        raise _Refused
    char = text[at + 1]
    if char in "dDsSwW":
        return None, at + 2
    if char == "k" and named:
        raise _Refused
    if char == "c":
        control = text[at + 2 : at + 3]
        if control and (control == "_" or (control.isascii() and control.isalnum())):
            return ord(control) % 32, at + 3
        return ord("\\"), at + 1
    if char in "xu":
        length = 2 if char == "x" else 4
        digits = text[at + 2 : at + 2 + length]
        if len(digits) == length and _HEX.fullmatch(digits):
            return int(digits, 16), at + 2 + length
        return ord(char), at + 2
    if char in "01234567":
        return _read_octal(text, at + 1)
    return _SINGLE_ESCAPES.get(char, ord(char)), at + 2


def _read_octal(text: str, at: int) -> tuple[int, int]:
    """A legacy octal escape: at most three digits, at most 255."""
    value = 0
    start = at
    while at < len(text) and at - start < 3 and text[at] in "01234567" and value * 8 + int(text[at]) <= 255:
        value = value * 8 + int(text[at])
        at += 1
    return value, at

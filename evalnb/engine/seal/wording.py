"""How generated text is put together: lists, sentences, lengths and literals.

Lengths and orders are by UTF-16 code unit, whitespace is ECMAScript's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from evalnb.engine.json_values import Json, number_text, own_keys, quote, utf16_key

# `str.strip()` would also remove U+0085 and U+001C to U+001F, and keep U+FEFF.
WHITESPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
SENTENCE_ENDS: Final = ".!?"


def enumerate_phrases(items: Sequence[str]) -> str:
    """`A`, `A and B`, or `A, B, and C`; no item gives the empty string (spec: 05 §6.4)."""
    if len(items) <= 2:
        return " and ".join(items)
    return f"{', '.join(items[:-1])}, and {items[-1]}"


def in_order(items: Iterable[str]) -> list[str]:
    """`items` sorted by UTF-16 code unit."""
    return sorted(items, key=utf16_key)


def trim(text: str) -> str:
    """`text` without ECMAScript whitespace at its ends."""
    return text.strip(WHITESPACE)


def is_blank(text: str | None) -> bool:
    """Whether an optional free text says nothing."""
    return text is None or not trim(text)


def sentence(text: str) -> str:
    """`text` trimmed, its first ASCII letter in upper case, closed by a full stop if by nothing (spec: 05 §8.2)."""
    trimmed = trim(text)
    first_letter = next((i for i, char in enumerate(trimmed) if char.isascii() and char.isalpha()), None)
    if first_letter is not None:
        trimmed = f"{trimmed[:first_letter]}{trimmed[first_letter].upper()}{trimmed[first_letter + 1 :]}"
    return trimmed if trimmed.endswith(tuple(SENTENCE_ENDS)) else f"{trimmed}."


def length(text: str) -> int:
    """The number of UTF-16 code units of `text`."""
    return len(text) if text.isascii() else len(utf16_key(text)) // 2


def literal_text(value: Json) -> str:
    """`value` as compact JSON with keys as a parsed canonical document lists them (spec: 05 §6.3).

    Differs from canonical text only where keys spell array indices: those come first, in numeric order. Literals may
    nest deeper than calls can.
    """
    written: list[str] = []
    pending: list[Json | _Verbatim] = [value]
    while pending:
        piece = pending.pop()
        if isinstance(piece, _Verbatim):
            written.append(piece)
        elif isinstance(piece, dict | list):
            pending.extend(reversed(_pieces(piece)))
        else:
            written.append(_scalar_text(piece))
    return "".join(written)


class _Verbatim(str):
    """Text that is written as it is, unlike a string value."""

    __slots__ = ()


def _pieces(container: dict[str, Json] | list[Json]) -> list[Json | _Verbatim]:
    pieces: list[Json | _Verbatim] = []
    if isinstance(container, dict):
        ordered = {key: container[key] for key in sorted(container, key=utf16_key)}
        for key in own_keys(ordered):
            pieces += [_Verbatim(f",{quote(key)}:" if pieces else f"{quote(key)}:"), ordered[key]]
        return [_Verbatim("{"), *pieces, _Verbatim("}")]
    for item in container:
        pieces += [_Verbatim(","), item] if pieces else [item]
    return [_Verbatim("["), *pieces, _Verbatim("]")]


def _scalar_text(value: bool | int | float | str | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote(value) if isinstance(value, str) else number_text(value)

"""Lets the `regress` engine, which matches by code point, match by UTF-16 code unit as ECMAScript does.

Every surrogate, paired or alone, is carried as one private character of plane 15, in the subject and in the
pattern: to the matcher an astral character is then two characters. Plane 15 itself is astral, so nothing collides.

This is the one place that knows of the difference; `tests/engine/evaluate/test_code_units.py` states it.
spec: 03 §11.1
"""

from __future__ import annotations

import re
from typing import Final

FIRST_SURROGATE: Final = 0xD800
LAST_SURROGATE: Final = 0xDFFF
_CARRIER: Final = 0xF0000 - FIRST_SURROGATE
_NOT_PLAIN: Final = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_CARRIED: Final = re.compile(f"[{chr(_CARRIER + FIRST_SURROGATE)}-{chr(_CARRIER + LAST_SURROGATE)}]")


def to_units(text: str) -> str:
    """`text` with one character per UTF-16 code unit."""
    if text.isascii():
        return text
    return _NOT_PLAIN.sub(lambda match: _units(ord(match[0])), text)


def from_units(text: str) -> str:
    """The text that `to_units` was given; a carried pair becomes one character again."""
    if text.isascii():
        return text
    units = _CARRIED.sub(lambda match: chr(ord(match[0]) - _CARRIER), text)
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def carry(unit: int) -> str:
    """The character that stands for one code unit."""
    return chr(unit + _CARRIER if FIRST_SURROGATE <= unit <= LAST_SURROGATE else unit)


def unit_of(character: str) -> int:
    """The code unit that a character of a `to_units` text stands for."""
    code = ord(character)
    return code if code <= 0xFFFF else code - _CARRIER


def utf16_length(text: str) -> int:
    """The number of UTF-16 code units."""
    if text.isascii():
        return len(text)
    return len(text) + sum(1 for character in text if character > "\uffff")


def _units(code: int) -> str:
    if code <= 0xFFFF:
        return chr(code + _CARRIER)
    offset = code - 0x10000
    return chr(0xD800 + (offset >> 10) + _CARRIER) + chr(0xDC00 + (offset & 0x3FF) + _CARRIER)

"""Ordinary JSON reading of command-line inputs: lenient about what the engine judges later (spec: 08 §2.2).

A repeated key keeps its last value, any number is rounded to binary64, lone surrogates pass and depth has no limit.
"""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

from evalnb.cli.stderr_lines import printable
from evalnb.engine.canonical.exact_scanner import Scanner
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json

_QUOTED_SOURCE = 40
_UNEXPECTED_END = "Unexpected end of JSON input"
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)

# What the scanner found wrong, and how a JSON parser says it; `{at}` is the position in UTF-16 code units.
_MESSAGES = {
    "expected a string object key": "Expected double-quoted property name in JSON at position {at}",
    "expected ':' after object key": "Expected ':' after property name in JSON at position {at}",
    "expected ',' or '}' in object": "Expected ',' or '}}' after property value in JSON at position {at}",
    "expected ',' or ']' in array": "Expected ',' or ']' after array element in JSON at position {at}",
    "unterminated string": "Unterminated string in JSON at position {at}",
    "unescaped control character in string": "Bad control character in string literal in JSON at position {at}",
    "invalid \\u escape": "Bad Unicode escape in JSON at position {at}",
    "leading zero in number": "Unexpected number in JSON at position {at}",
    "invalid number": "No number after minus sign in JSON at position {at}",
    "expected digits after decimal point": "Unterminated fractional number in JSON at position {at}",
    "expected digits in exponent": "Exponent part is missing a number in JSON at position {at}",
    "trailing content after the document": "Unexpected non-whitespace character after JSON at position {at}",
}


class NotJson(ValueError):
    """The text is not JSON; the message says where and why."""


def parse_lenient_json(text: str) -> Json:
    """Parse `text` as ordinary JSON, or raise `NotJson`."""
    try:
        value: Json = _DECODER.decode(text)
        return value
    except (ValueError, RecursionError) as error:
        # Millions of brackets that never close would cost gigabytes to read only to be refused.
        if isinstance(error, RecursionError) and _never_closes(text):
            raise NotJson(_UNEXPECTED_END) from None
        scanner = _LenientScanner(text, "")
        try:
            return scanner.document()
        except RuntimeFault as fault:
            raise NotJson(_message(scanner, fault.detail)) from None


def _binary64(literal: str) -> int | float:
    number = float(literal)
    if not math.isfinite(number) or not number.is_integer() or abs(number) > 2**53:
        return number
    return number if number == 0 and math.copysign(1.0, number) < 0 else int(number)


def _refuse_constant(literal: str) -> NoReturn:
    raise ValueError(literal)


_DECODER = json.JSONDecoder(parse_int=_binary64, parse_float=_binary64, parse_constant=_refuse_constant)


def _never_closes(text: str) -> bool:
    outside_strings = _STRING.sub("", text)
    opened = outside_strings.count("[") + outside_strings.count("{")
    return opened > outside_strings.count("]") + outside_strings.count("}")


class _LenientScanner(Scanner):
    """The exact scanner without the rules of the hashed domain."""

    def check_depth(self) -> None:
        return

    def check_new_key(self, key: str, members: list[Json] | dict[str, Json]) -> None:
        return

    def well_formed(self, raw: str) -> str:
        return self.join_pairs(raw)

    def in_domain(self, literal: str, integer: bool) -> int | float:
        return _binary64(literal)


def _message(scanner: Scanner, detail: str) -> str:
    what = detail.rpartition(" at offset ")[0]
    if scanner.at >= len(scanner.text) and what != "unterminated string":
        return _UNEXPECTED_END
    template = _MESSAGES.get(what)
    if template is not None:
        return template.format(at=scanner.offset())
    if what.startswith("invalid escape character"):
        return f"Bad escaped character in JSON at position {scanner.offset() - 1}"
    return f"Unexpected token '{_offending_character(scanner, what)}', {_excerpt(scanner)} is not valid JSON"


def _offending_character(scanner: Scanner, what: str) -> str:
    if what.startswith("invalid literal, expected "):
        wanted = what.removeprefix("invalid literal, expected ")
        while wanted and scanner.text.startswith(wanted[0], scanner.at):
            wanted = wanted[1:]
            scanner.at += 1
    return printable(scanner.text[scanner.at : scanner.at + 1])


def _excerpt(scanner: Scanner) -> str:
    if len(scanner.text) <= _QUOTED_SOURCE:
        return f'"{printable(scanner.text)}"'
    start, end = max(0, scanner.at - 10), scanner.at + 10
    before = "..." if start > 0 else ""
    after = "..." if end < len(scanner.text) else ""
    return f'{before}"{printable(scanner.text[start:end])}"{after}'

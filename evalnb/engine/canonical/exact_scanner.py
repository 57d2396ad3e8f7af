"""The exact JSON scanner: one character after another, the first problem named with its offset (spec: 01 §2.2-2.4).

It walks with a stack of its own, so that the legal 1,024 levels need no deep recursion.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NoReturn

from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json, quote

MAX_DEPTH = 1024
MAX_SAFE_INTEGER = 2**53 - 1

_WHITESPACE = " \t\n\r"
_LITERALS: tuple[tuple[str, Json], ...] = (("true", True), ("false", False), ("null", None))
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_DIGITS = "0123456789"
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_PLAIN_RUN = re.compile(r'[^"\\\x00-\x1f]+')
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class _Container:
    """One open array or object while its members are read."""

    value: list[Json] | dict[str, Json]
    key: str = ""


def scan_exactly(text: str, artifact_path: str) -> Json:
    """Read `text` as one JSON document of the hashed domain, or raise the fault of its first problem."""
    return Scanner(text, artifact_path).document()


class Scanner:
    """One reading of one text; `at` is the position in code points.

    The four domain rules are methods of their own, so that a lenient reading can leave them out.
    """

    def __init__(self, text: str, artifact_path: str) -> None:
        self.text = text
        self.artifact_path = artifact_path
        self.at = 0
        self.open: list[_Container] = []

    def document(self) -> Json:
        self.skip_whitespace()
        result = self.value()
        self.skip_whitespace()
        if self.at < len(self.text):
            self.refuse_syntax("trailing content after the document")
        return result

    def value(self) -> Json:
        """Read one value; containers are kept on the stack until their closing bracket."""
        while True:
            self.skip_whitespace()
            character = self.peek()
            if character in ("{", "["):
                empty = self.enter(character)
                if not empty:
                    continue
                finished: Json = self.open.pop().value
            else:
                finished = self.scalar(character)
            while self.open:
                if self.store(finished):
                    break
                finished = self.open.pop().value
            else:
                return finished

    def enter(self, bracket: str) -> bool:
        """Open a container and report whether it closed at once."""
        self.check_depth()
        self.at += 1
        self.open.append(_Container({} if bracket == "{" else []))
        self.skip_whitespace()
        if self.peek() == ("}" if bracket == "{" else "]"):
            self.at += 1
            return True
        if bracket == "{":
            self.key()
        return False

    def store(self, member: Json) -> bool:
        """Put a finished value into the innermost container; true when another member follows."""
        container = self.open[-1]
        self.skip_whitespace()
        if isinstance(container.value, dict):
            container.value[container.key] = member
            closing, what = "}", "expected ',' or '}' in object"
        else:
            container.value.append(member)
            closing, what = "]", "expected ',' or ']' in array"
        character = self.peek()
        if character == closing:
            self.at += 1
            return False
        if character != ",":
            self.refuse_syntax(what)
        self.at += 1
        if closing == "}":
            self.key()
        return True

    def key(self) -> None:
        self.skip_whitespace()
        if self.peek() != '"':
            self.refuse_syntax("expected a string object key")
        key = self.string()
        container = self.open[-1]
        self.check_new_key(key, container.value)
        container.key = key
        self.skip_whitespace()
        if self.peek() != ":":
            self.refuse_syntax("expected ':' after object key")
        self.at += 1

    def scalar(self, character: str) -> Json:
        if character == '"':
            return self.string()
        if character == "-" or (character and character in _DIGITS):
            return self.number()
        for literal, meaning in _LITERALS:
            if character == literal[0]:
                return self.literal(literal, meaning)
        if not character:
            self.refuse_syntax("unexpected end of input")
        self.refuse_syntax(f"unexpected character {quote(_first_unit(character))}")

    def literal(self, literal: str, meaning: Json) -> Json:
        if not self.text.startswith(literal, self.at):
            self.refuse_syntax(f"invalid literal, expected {literal}")
        self.at += len(literal)
        if self.at_word_character():
            self.refuse_syntax(f"invalid literal starting with {literal}")
        return meaning

    def string(self) -> str:
        self.at += 1
        parts: list[str] = []
        while True:
            run = _PLAIN_RUN.match(self.text, self.at)
            if run:
                parts.append(run.group())
                self.at = run.end()
            character = self.peek()
            if character == '"':
                self.at += 1
                return self.well_formed("".join(parts))
            if not character:
                self.refuse_syntax("unterminated string")
            if character != "\\":
                self.refuse_syntax("unescaped control character in string")
            parts.append(self.escape())

    def escape(self) -> str:
        self.at += 1
        letter = self.peek()
        if not letter:
            self.refuse_syntax("unterminated escape sequence")
        self.at += 1
        if letter == "u":
            digits = _HEX4.match(self.text, self.at)
            if not digits:
                self.refuse_syntax("invalid \\u escape")
            self.at = digits.end()
            return chr(int(digits.group(), 16))
        if letter not in _ESCAPES:
            back = 1 if letter > "\uffff" else 0
            self.refuse_syntax(f"invalid escape character {quote(_first_unit(letter))}", back)
        return _ESCAPES[letter]

    def check_depth(self) -> None:
        if len(self.open) >= MAX_DEPTH:
            self.refuse_value(f"nesting depth exceeds {MAX_DEPTH}")

    def check_new_key(self, key: str, members: list[Json] | dict[str, Json]) -> None:
        if key in members:
            self.refuse_value(f"duplicate object key {quote(key)}")

    def well_formed(self, raw: str) -> str:
        joined = self.join_pairs(raw)
        if _LONE_SURROGATE.search(joined) is not None:
            self.refuse_value("lone surrogate in string")
        return joined

    def join_pairs(self, raw: str) -> str:
        """Two escaped surrogates that form a pair are one character."""
        return raw if _LONE_SURROGATE.search(raw) is None else _SURROGATE_PAIR.sub(_join_pair, raw)

    def number(self) -> int | float:
        start = self.at
        if self.peek() == "-":
            self.at += 1
        if self.peek() == "0":
            self.at += 1
            if self.at_digit():
                self.refuse_syntax("leading zero in number")
        else:
            self.digits("invalid number")
        integer = True
        if self.peek() == ".":
            integer = False
            self.at += 1
            self.digits("expected digits after decimal point")
        if self.peek() in ("e", "E"):
            integer = False
            self.at += 1
            if self.peek() in ("+", "-"):
                self.at += 1
            self.digits("expected digits in exponent")
        if self.at_word_character():
            self.refuse_syntax("invalid number")
        return self.in_domain(self.text[start : self.at], integer)

    def in_domain(self, literal: str, integer: bool) -> int | float:
        if integer:
            digits = literal.removeprefix("-")
            if len(digits) > 16 or int(digits) > MAX_SAFE_INTEGER:
                self.refuse_value(f"integer literal outside the safe range: {literal}")
        number = float(literal)
        if not math.isfinite(number):
            self.refuse_value(f"numeric literal is not finite in binary64: {literal}")
        if not number.is_integer():
            return number
        if abs(number) > MAX_SAFE_INTEGER:
            self.refuse_value(f"numeric literal is an unsafe integer in binary64: {literal}")
        return number if number == 0 and math.copysign(1.0, number) < 0 else int(number)

    def digits(self, what: str) -> None:
        if not self.at_digit():
            self.refuse_syntax(what)
        while self.at_digit():
            self.at += 1

    def at_digit(self) -> bool:
        return self.peek() != "" and self.peek() in _DIGITS

    def at_word_character(self) -> bool:
        character = self.peek()
        return character != "" and character.isascii() and character.isalnum()

    def skip_whitespace(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in _WHITESPACE:
            self.at += 1

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def offset(self, back: int = 0) -> int:
        """The current position in UTF-16 code units."""
        before = self.text[: self.at]
        return len(before) + sum(character > "\uffff" for character in before) - back

    def refuse_syntax(self, what: str, back: int = 0) -> NoReturn:
        raise RuntimeFault("schema-parse-failure", self.artifact_path, f"{what} at offset {self.offset(back)}")

    def refuse_value(self, what: str) -> NoReturn:
        raise RuntimeFault("non-canonicalizable-value", self.artifact_path, f"{what} at offset {self.offset()}")


def _first_unit(character: str) -> str:
    """The first UTF-16 code unit of a character, as the details quote it."""
    return character if character <= "\uffff" else chr(0xD800 + ((ord(character) - 0x10000) >> 10))


def _join_pair(match: re.Match[str]) -> str:
    pair = match.group()
    return chr(0x10000 + ((ord(pair[0]) - 0xD800) << 10) + (ord(pair[1]) - 0xDC00))

"""The JSON documents of a trace file, one at a time: an array's elements, JSON lines, or one value.

Each comes with its line. A file is never held whole: memory follows the largest single document.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import BinaryIO, NoReturn

from evalnb.engine.json_values import Json
from evalnb.files import FileProblem

CHUNK = 1 << 20
LONGEST_TOKEN_START = 64
_SPACE = re.compile(r"[ \t\r\n]*")
_REPLACED = re.compile("[\udc80-\udcff]")
# A number or a word at the end of the buffer may go on in the next chunk.
_OPEN_ENDED = re.compile(r"[\w.+-]")


@dataclass(frozen=True, slots=True)
class Document:
    """One JSON value and the line it starts on; `in_array` tells that it is an element of the file's one array."""

    value: Json
    line: int
    in_array: bool


def documents(path: Path, on_replaced: Callable[[int], None]) -> Iterator[Document]:
    """Every document of `path` in file order; `on_replaced` hears the line of text that was no UTF-8.

    Raises `FileProblem` naming line and reason for what is no JSON.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise FileProblem(path, f"cannot be read ({(error.strerror or 'unknown').lower()}); it holds a trace") from None
    with file:
        yield from _Scanner(path, file, on_replaced).documents()


class _Scanner:
    """A window of text that moves over the file."""

    def __init__(self, path: Path, file: BinaryIO, on_replaced: Callable[[int], None]) -> None:
        self.path, self.file, self.on_replaced = path, file, on_replaced
        self.bytes = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self.decode = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite).raw_decode
        self.text, self.at, self.line, self.ended = "", 0, 1, False

    def documents(self) -> Iterator[Document]:
        self._skip(_SPACE)
        if self.text.startswith("\ufeff", self.at):
            self.at += 1
            self._skip(_SPACE)
        if self.at == len(self.text):
            raise FileProblem(self.path, "holds no JSON: the file is empty")
        if self.text[self.at] == "[" and self._is_one_array():
            yield from self._elements()
            return
        while self.at < len(self.text):
            line = self.line
            yield Document(self._value(), line, in_array=False)
            self._skip(_SPACE)

    def _is_one_array(self) -> bool:
        """Whether the file is one array; a first line that is itself an array makes it JSON lines."""
        end = self.text.find("\n", self.at)
        if end < 0:
            return True
        try:
            _, stop = self.decode(self.text, self.at)
        except (ValueError, RecursionError):
            return True
        return stop > end or self.text[end:].strip() == ""

    def _elements(self) -> Iterator[Document]:
        self.at += 1
        self._skip(_SPACE)
        while self.at < len(self.text) and self.text[self.at] != "]":
            line = self.line
            yield Document(self._value(), line, in_array=True)
            self._skip(_SPACE)
            if self.at < len(self.text) and self.text[self.at] == ",":
                self.at += 1
                self._skip(_SPACE)
                if self.at < len(self.text) and self.text[self.at] == "]":
                    self._fail("a comma stands before the end of the array")
            elif self.at < len(self.text) and self.text[self.at] != "]":
                self._fail("a comma or the array's end belongs here")
        if self.at == len(self.text):
            self._fail("the array never closes")
        self.at += 1
        self._skip(_SPACE)
        if self.at < len(self.text):
            self._fail("text follows the end of the array")

    def _value(self) -> Json:
        size = CHUNK
        while True:
            try:
                value, stop = self.decode(self.text, self.at)
            except json.JSONDecodeError as error:
                if self._is_wrong(error) or not self._more(size):
                    self.line += self.text.count("\n", self.at, error.pos)
                    self._fail(f"no JSON: {error.msg[0].lower()}{error.msg[1:]}")
                size *= 2
                continue
            except ValueError as error:
                self._fail(f"no JSON: {error}")
            except RecursionError:
                self._fail("nested too deeply to read")
            if stop == len(self.text) and _OPEN_ENDED.match(self.text[stop - 1]) and self._more(size):
                continue
            self.line += self.text.count("\n", self.at, stop)
            self.at = stop
            if stop > CHUNK:
                # The text of a huge document is let go of before anything is made of its value.
                self.text, self.at = self.text[stop:], 0
            taken: Json = value
            return taken

    def _is_wrong(self, error: json.JSONDecodeError) -> bool:
        """Whether the error lies well inside the window, so that no further text can mend it."""
        return len(self.text) - error.pos > LONGEST_TOKEN_START and not error.msg.startswith("Unterminated string")

    def _skip(self, what: re.Pattern[str]) -> None:
        while True:
            found = what.match(self.text, self.at)
            stop = found.end() if found else self.at
            self.line += self.text.count("\n", self.at, stop)
            self.at = stop
            if stop < len(self.text) or not self._more(CHUNK):
                return

    def _more(self, size: int) -> bool:
        """Take the next `size` bytes into the window; False at the end of the file."""
        if self.ended:
            return False
        chunk = self.file.read(size)
        self.ended = not chunk
        text = self.bytes.decode(chunk, final=self.ended)
        if not text.isascii() and _REPLACED.search(text):
            line, counted = self.line + self.text.count("\n", self.at), 0
            for found in _REPLACED.finditer(text):
                line += text.count("\n", counted, found.start())
                counted = found.start()
                self.on_replaced(line)
            text = _REPLACED.sub("\ufffd", text)
        self.text, self.at = self.text[self.at :] + text, 0
        return not self.ended or bool(text)

    def _fail(self, reason: str) -> NoReturn:
        raise FileProblem(self.path, f"line {self.line}: {reason}")


def refuse_constant(name: str) -> NoReturn:
    """What Python takes for a number and JSON does not. Raises ValueError."""
    raise ValueError(f"{name} is no JSON number")


def finite(text: str) -> float:
    """The number that a text writes. Raises ValueError for one beyond all numbers, which no line could hold."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is larger than any number")
    return number

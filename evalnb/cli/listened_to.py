"""Printing to a reader who may leave: the command goes on, and its exit code is its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


@contextmanager
def listened_to() -> Iterator[None]:
    """Within it, what is printed after the reader of standard output has left is lost and no error."""
    stdout = sys.stdout
    sys.stdout = _UntilClosed(stdout)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stdout = stdout


class _UntilClosed:
    """A text stream that says nothing of a closed pipe."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._leave()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._leave()

    def _leave(self) -> None:
        # What is still buffered goes nowhere, now and when the interpreter ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

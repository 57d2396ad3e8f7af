"""Every effect a stage command has: files, standard streams, the working directory (spec: 08, head)."""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import dataclass
from typing import Protocol

_PATH_ERRORS = {"ENOENT", "EACCES", "EISDIR", "ENOTDIR", "EPERM", "ELOOP", "ENAMETOOLONG"}


class Environment(Protocol):
    """What a stage command may do to the world."""

    def read_text(self, path: str) -> str:
        """The file, decoded as UTF-8 with replacement."""

    def read_stdin(self) -> str:
        """Standard input to its end, decoded the same way."""

    def write_text(self, path: str, text: str) -> None:
        """Replace or create a file whole, with its missing parent folders."""

    def write_stdout(self, text: str) -> None:
        """Text to standard output, exactly."""

    def write_stderr(self, line: str) -> None:
        """One line to standard error."""

    def working_directory(self) -> str:
        """The folder that relative paths start from."""

    def same_file(self, one: str, other: str) -> bool:
        """Whether two names are one file on disk."""


class SystemEnvironment:
    """The real process: its files and its three streams."""

    def read_text(self, path: str) -> str:
        try:
            with open(path, "rb") as file:
                return _decode(file.read())
        except IsADirectoryError as error:
            # A folder opens and then cannot be read: the published line names the read and no path.
            error.syscall, error.filename = "read", None  # type: ignore[attr-defined]
            raise

    def read_stdin(self) -> str:
        return _decode(sys.stdin.buffer.read())

    def write_text(self, path: str, text: str) -> None:
        from pathlib import Path

        from evalnb.files import write_text_atomically

        write_text_atomically(Path(path), text)

    def write_stdout(self, text: str) -> None:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()

    def write_stderr(self, line: str) -> None:
        sys.stderr.buffer.write((line + "\n").encode("utf-8", "backslashreplace"))
        sys.stderr.buffer.flush()

    def working_directory(self) -> str:
        return os.getcwd()

    def same_file(self, one: str, other: str) -> bool:
        try:
            return os.path.samefile(one, other)
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class PathProblem:
    """An operating-system error that is the caller's to mend (spec: 08 §6.2)."""

    message: str


def path_problem(error: OSError) -> PathProblem | None:
    """The usage message for a path error, or `None` for an error of another kind."""
    name = errno.errorcode.get(error.errno or 0, "")
    if name not in _PATH_ERRORS:
        return None
    path = error.filename if isinstance(error.filename, str) else "(unknown path)"
    return PathProblem(f'{_syscall(error)} "{path}": {name}')


def _syscall(error: OSError) -> str:
    return getattr(error, "syscall", "open")


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")

"""Files at the edge of the program: problems that name the file, and writes that are whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


class FileProblem(Exception):
    """A file or folder the caller named is missing or unusable; nothing was run (exit 64).

    `path` is the name as the caller knows it, `problem` what is wrong with it and what to do.
    """

    def __init__(self, path: str | os.PathLike[str], problem: str) -> None:
        super().__init__(f"{os.fspath(path)}: {problem}")
        self.path = os.fspath(path)
        self.problem = problem


def read_file(path: Path, purpose: str) -> bytes:
    """The bytes of `path`. Raises `FileProblem`, naming what the file is for, when it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileProblem(path, f"not found; it holds {purpose}") from None
    except IsADirectoryError:
        raise FileProblem(path, f"is a folder where a file is needed; it holds {purpose}") from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise FileProblem(path, f"cannot be read ({reason}); it holds {purpose}") from None


def write_text_atomically(path: Path, text: str) -> None:
    """Write UTF-8 text to a temporary neighbor of `path` and rename it into place; parent folders are made.

    Raises `OSError`; an existing file is then untouched.
    """
    write_bytes_atomically(path, text.encode("utf-8"))


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """Write bytes to a temporary neighbor of `path` and rename it into place; parent folders are made.

    A name that leads through a symbolic link replaces the file the link points at, as an ordinary write would.
    """
    import tempfile  # loads far more than a command that writes to standard output needs

    _make_parents(path)
    if path.is_dir():
        raise IsADirectoryError(21, "Is a directory", str(path))
    target = Path(os.path.realpath(path))
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".part")
    except OSError as error:
        error.filename = str(path)
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _make_parents(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        error.syscall = "mkdir"  # type: ignore[attr-defined]
        raise


def _mode(target: Path) -> int:
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

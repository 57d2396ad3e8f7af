"""The file a run is recorded in: one line an event, written as it happens, completed when the run is over.

A recorder that is killed leaves a file of whole lines; a later run is written behind the earlier ones.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from evalnb.engine.json_values import Json
from evalnb.files import FileProblem, write_bytes_atomically
from evalnb.trajectory.events import RunIdentity
from evalnb.trajectory.line_format import FORMAT, event_line, identity_line
from evalnb.trajectory.notes import NoteBook
from evalnb.trajectory.redaction import Redactor
from evalnb.trajectory.run_builder import RunBuilder, redacted_identity

Clock = Callable[[], float]
"""The time in seconds since 1970."""

_LONGEST_FIRST_LINE: Final = 16 * 1024 * 1024


class Journal:
    """One run being written. `builder` takes what happens, redacted on its way in; `flush` writes what is new.

    The file stays as it is until `begin`. Raises `FileProblem` for a file that is no recording, or cannot be written.
    """

    def __init__(self, path: Path, identity: RunIdentity, redact: Redactor, clock: Clock = time.time) -> None:
        self.builder = RunBuilder(redacted_identity(identity, redact), redact, NoteBook())
        self.redact = redact
        self._path = path
        self._clock = clock
        self._written = 0
        self._new = not path.exists()
        self._file = _locked(path)
        self._start: int | None = None
        if not _is_recording(self._file):
            self.close()
            raise FileProblem(path, "is no recording that a run could be added to; name another file")

    @property
    def now(self) -> float:
        """The time of what is recorded now."""
        return round(self._clock(), 3)

    def begin(self) -> None:
        """Write that there is a run."""
        self._start = _whole_lines(self._file)
        _write_all(self._file, f"{identity_line(self.builder.identity)}\n".encode())

    def flush(self) -> None:
        """Write every event that is not in the file yet."""
        events = self.builder.events[self._written :]
        if not events:
            return
        run_id = self.builder.identity.run_id
        _write_all(self._file, "".join(f"{event_line(run_id, event)}\n" for event in events).encode())
        self._written += len(events)

    def finish(self, labels: Mapping[str, Json], *, ended: bool | None) -> int:
        """Put the completed run in the place of its parts, add `labels`, and return how many events it has.

        A run that never began is not in the file and has none.
        """
        if self._start is None:
            return 0
        self.flush()
        identity = self.builder.identity
        self.builder.identity = replace(identity, labels={**identity.labels, **labels})
        run = self.builder.finish(ended=ended)
        lines = [identity_line(run.identity, run.notes), *(event_line(run.run_id, event) for event in run.events)]
        earlier = os.pread(self._file, self._start, 0)
        write_bytes_atomically(self._path, earlier + "".join(f"{line}\n" for line in lines).encode())
        self.close()
        return len(run.events)

    def close(self) -> None:
        """Let go of the file, and leave none where there was none and no run began; twice does no harm."""
        if self._file >= 0:
            if self._new and self._start is None:
                self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1


def _locked(path: Path) -> int:
    """The file, opened for this recorder alone; `FileProblem` where another one writes it."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise FileProblem(path, f"cannot be written ({(error.strerror or 'error').lower()})") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # A recorder that ended in between put a completed file in this one's place.
            if os.fstat(file).st_ino == os.stat(path).st_ino:
                return file
        except BlockingIOError:
            os.close(file)
            raise FileProblem(path, "is being recorded by another session; name another file") from None
        except FileNotFoundError:
            pass
        os.close(file)


def _is_recording(file: int) -> bool:
    """Whether the file is empty, or starts with a run in our own format."""
    held = os.pread(file, _LONGEST_FIRST_LINE, 0)
    if not held:
        return True
    try:
        first = json.loads(held.partition(b"\n")[0])
    except ValueError:
        return False
    return isinstance(first, dict) and first.get("schema") == FORMAT


def _whole_lines(file: int) -> int:
    """Drop a torn last line, which only a killed recorder leaves, and return where the next line starts."""
    end = size = os.fstat(file).st_size
    while end > 0:
        start = max(0, end - 65536)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end < size and _is_json(os.pread(file, size - end, end)):
        # Whole, and only its line feed is missing, as some other program leaves a file.
        os.pwrite(file, b"\n", size)
        end = size + 1
    elif end < size:
        os.ftruncate(file, end)
    os.lseek(file, end, os.SEEK_SET)
    return end


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]

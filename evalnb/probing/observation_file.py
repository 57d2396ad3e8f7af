"""Observations on disk while they arrive: a partial file that is a JSON list after every leg, a whole one at the end.

What stops a run, even the end of this process, leaves the answers it already had beside where the whole list goes.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evalnb.engine.json_values import Json
from evalnb.files import write_text_atomically

_END: Final = "\n]\n"


class ObservationFile:
    """The list at `path`; until it is whole, what has arrived is at `partial_path`, in order of arrival."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.partial_path = path.with_name(f"{path.stem}.partial.json")
        self.kept = 0

    def begin(self) -> None:
        """Take away what an earlier run left unfinished, and make the folder. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.partial_path.unlink(missing_ok=True)

    def keep(self, observation: Json) -> None:
        """Add one observation to the partial list."""
        # One write over the closing bracket, so that the file is a list before and after it.
        entry = (",\n" if self.kept else "[\n") + _text(observation) + _END
        handle = os.open(self.partial_path, os.O_WRONLY | os.O_CREAT, 0o666)
        try:
            size = os.fstat(handle).st_size
            os.pwrite(handle, entry.encode("ascii"), max(0, size - len(_END)) if self.kept else 0)
        finally:
            os.close(handle)
        self.kept += 1

    def finish(self, observations: Sequence[Json]) -> None:
        """Write the whole list, in the order given, and take the partial one away."""
        body = ",\n".join(map(_text, observations))
        write_text_atomically(self.path, f"[\n{body}{_END}")
        with contextlib.suppress(OSError):
            self.partial_path.unlink()


def _text(observation: Json) -> str:
    # Escaped, because a body may hold what no encoding carries; reading it back gives the value that was observed.
    return json.dumps(observation, ensure_ascii=True, separators=(",", ":"))

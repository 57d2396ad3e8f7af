"""The files that a served tool may read: regular files below one folder, after every link is followed."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any, Final

from evalnb.engine.canonical import scan_json
from evalnb.engine.json_values import quote

LARGEST_FILE: Final = 64 * 1024 * 1024


class RefusedPath(Exception):
    """A path that is not served; the message tells nothing about files outside the root."""


class FileRoot:
    """Reads JSON files below `root`; without a root it reads none. Never writes."""

    def __init__(self, root: Path | None) -> None:
        self._root = None if root is None else Path(os.path.realpath(root))

    def read_json(self, path: str, artifact_path: str) -> Any:
        """The JSON of a file, read strictly. Raises `RefusedPath`, or RuntimeFault for a content that is no JSON."""
        return scan_json(self._bytes(path), artifact_path)

    def _bytes(self, path: str) -> bytes:
        if self._root is None:
            raise RefusedPath("no files are served; give the document itself, or start the server with a root")
        refused = RefusedPath(f"{quote(path)} is not a readable file below the root")
        try:
            real = Path(os.path.realpath(self._root / path))
            if not real.is_relative_to(self._root):
                raise refused
            # Opened as what it was resolved to: a link put in its place meanwhile is not followed, a pipe not awaited.
            handle = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(handle, "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_FILE:
                    raise refused
                return file.read(LARGEST_FILE)
        except (OSError, ValueError):
            raise refused from None

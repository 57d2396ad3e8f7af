"""The data of server-sent events in a byte stream, one text an event."""

from __future__ import annotations

import re
from typing import Final

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


class EventReader:
    """Cuts a stream of chunks into events and keeps their data; comments and other fields are dropped."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[str]:
        """The data of the events that `chunk` completes."""
        held = self._rest + chunk
        # A carriage return at the end may be half of a line end.
        usable = held[:-1] if held.endswith(b"\r") else held
        *lines, rest = _LINE_END.split(usable)
        self._rest = rest + held[len(usable) :]
        return [event for line in lines if (event := self._take(line)) is not None]

    def _take(self, line: bytes) -> str | None:
        if not line:
            data, self._data = self._data, []
            return "\n".join(data) if data else None
        field, _, value = line.decode("utf-8", "replace").partition(":")
        if field == "data":
            self._data.append(value.removeprefix(" "))
        return None

"""Moving bytes through non-blocking pipes from inside an event loop, one pump an end.

No thread and no buffer of unknown size: a chunk goes to its reader as it arrives.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Final

_CHUNK: Final = 65536


class ReadPump:
    """Hands every chunk read from `fd` to `on_chunk`; `closed` resolves at the end of the stream or at `close`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, fd: int, on_chunk: Callable[[bytes], None]) -> None:
        self._loop = loop
        self._fd: int | None = fd
        self._on_chunk = on_chunk
        self.closed: asyncio.Future[None] = loop.create_future()
        loop.add_reader(fd, self._read)

    def close(self) -> None:
        """Stop reading and close this end; doing it twice does no harm."""
        if self._fd is None:
            return
        self._loop.remove_reader(self._fd)
        os.close(self._fd)
        self._fd = None
        if not self.closed.done():
            self.closed.set_result(None)

    def _read(self) -> None:
        assert self._fd is not None
        try:
            chunk = os.read(self._fd, _CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            chunk = b""
        if chunk:
            self._on_chunk(chunk)
        else:
            self.close()


class WritePump:
    """Writes what it is given to `fd` as the other side reads it; a broken pipe ends it silently."""

    def __init__(self, loop: asyncio.AbstractEventLoop, fd: int) -> None:
        self._loop = loop
        self._fd: int | None = fd
        self._pending = bytearray()
        self._closing = False

    def write(self, data: bytes) -> None:
        """Queue `data`; dropped once the stream is closed."""
        if self._fd is None or self._closing:
            return
        idle = not self._pending
        self._pending += data
        if idle:
            self._loop.add_writer(self._fd, self._flush)
            self._flush()

    def close_after_writing(self) -> None:
        """Close this end as soon as everything queued is written."""
        self._closing = True
        if not self._pending:
            self.close()

    def close(self) -> None:
        """Close this end now; doing it twice does no harm."""
        if self._fd is None:
            return
        self._loop.remove_writer(self._fd)
        os.close(self._fd)
        self._fd = None
        self._pending.clear()

    def _flush(self) -> None:
        if self._fd is None:
            return
        try:
            written = os.write(self._fd, bytes(self._pending[:_CHUNK]))
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.close()
            return
        del self._pending[:written]
        if self._pending:
            return
        self._loop.remove_writer(self._fd)
        if self._closing:
            self.close()

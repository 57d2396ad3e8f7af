"""The file-system port over this machine's files, without any restriction of paths (spec: 10 §4)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final, Protocol

from evalnb.adapters.port_boundary import PortMethod, run_port_method
from evalnb.engine.artifacts.port_messages import FileReadRequest, FileReadResponse, FileWriteRequest, FileWriteResponse
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.port_seam import AbortSignal, PortBoundary


class FileMechanism(Protocol):
    """What moves the bytes; blocking, run in a thread. Answers are untyped, the boundary judges them."""

    def read(self, path: str) -> object:
        """The whole content of a file."""
        ...

    def write(self, path: str, data: bytes) -> object:
        """Create or truncate a file, in a folder that exists; how many bytes were written."""
        ...


class OperatingSystemFiles:
    """Plain reads and writes."""

    def read(self, path: str) -> bytes:
        """The bytes of `path`; OSError where it cannot be read."""
        return Path(path).read_bytes()

    def write(self, path: str, data: bytes) -> int:
        """Write `data` to `path`; OSError where it cannot be written."""
        return Path(path).write_bytes(data)


FILE_READ_BOUNDARY: Final[PortBoundary[FileReadRequest, FileReadResponse]] = PortBoundary(
    parse_request=lambda raw: _message(FileReadRequest, raw),
    parse_response=lambda raw: _message(FileReadResponse, raw),
    request_path="FileReadRequest",
    response_path="FileReadResponse",
)
"""What crosses to a file system and back when a file is read."""

FILE_WRITE_BOUNDARY: Final[PortBoundary[FileWriteRequest, FileWriteResponse]] = PortBoundary(
    parse_request=lambda raw: _message(FileWriteRequest, raw),
    parse_response=lambda raw: _message(FileWriteResponse, raw),
    request_path="FileWriteRequest",
    response_path="FileWriteResponse",
)
"""What crosses to a file system and back when a file is written."""


class LocalFiles:
    """Reads and writes files by path. An operating-system error is a `port-failure` at the response path."""

    def __init__(self, mechanism: FileMechanism | None = None) -> None:
        self._files = mechanism or OperatingSystemFiles()
        self._read = PortMethod(
            boundary=FILE_READ_BOUNDARY,
            call=self._call_read,
            assemble=lambda request, data: {"path": request.path, "bytes": data},
        )
        self._write = PortMethod(
            boundary=FILE_WRITE_BOUNDARY,
            call=self._call_write,
            assemble=lambda request, count: {"path": request.path, "byteLength": count},
        )

    async def read_file(self, request: object, signal: AbortSignal) -> FileReadResponse:
        """The path repeated and the file's bytes; raises `RuntimeFault`."""
        return await run_port_method(self._read, request, signal)

    async def write_file(self, request: object, signal: AbortSignal) -> FileWriteResponse:
        """The path repeated and how many bytes were written; raises `RuntimeFault`."""
        return await run_port_method(self._write, request, signal)

    async def _call_read(self, request: FileReadRequest, signal: AbortSignal) -> object:
        return await asyncio.to_thread(self._files.read, request.path)

    async def _call_write(self, request: FileWriteRequest, signal: AbortSignal) -> object:
        return await asyncio.to_thread(self._files.write, request.path, request.bytes)


def _message(shape: Any, raw: object) -> Any:
    return validated(shape, raw)

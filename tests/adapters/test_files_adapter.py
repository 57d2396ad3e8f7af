"""The file-system port: bytes in, bytes out, and the mechanism's own count."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from evalnb.adapters.files import LocalFiles
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController


def read(files: LocalFiles, request: Any) -> Any:
    return asyncio.run(files.read_file(request, AbortController().signal))


def write(files: LocalFiles, request: Any) -> Any:
    return asyncio.run(files.write_file(request, AbortController().signal))


def test_bytes_survive_a_round_trip(tmp_path: Path) -> None:
    path = str(tmp_path / "a.bin")
    data = bytes(range(256))
    written = write(LocalFiles(), {"path": path, "bytes": data})
    assert (written.path, written.byte_length) == (path, 256)
    found = read(LocalFiles(), {"path": path})
    assert (found.path, found.bytes) == (path, data)


def test_a_shorter_write_truncates(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"long before")
    write(LocalFiles(), {"path": str(path), "bytes": b""})
    assert path.read_bytes() == b""


@pytest.mark.parametrize("missing", ["nowhere/a", "."])
def test_an_operating_system_error_is_a_port_failure(tmp_path: Path, missing: str) -> None:
    path = str(tmp_path / missing)
    for call, request, place in (
        (read, {"path": path}, "FileReadResponse"),
        (write, {"path": path, "bytes": b"x"}, "FileWriteResponse"),
    ):
        with pytest.raises(RuntimeFault) as caught:
            call(LocalFiles(), request)
        assert (caught.value.code, caught.value.artifact_path) == ("port-failure", place)
        assert isinstance(caught.value.cause, OSError)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("call", "request_", "place"),
    [
        (read, {"path": ""}, "FileReadRequest"),
        (read, {}, "FileReadRequest"),
        (read, {"path": "a", "extra": 1}, "FileReadRequest"),
        (write, {"path": "a", "bytes": "text"}, "FileWriteRequest"),
        (write, {"path": "a"}, "FileWriteRequest"),
    ],
)
def test_a_request_out_of_shape_is_refused(call: Any, request_: Any, place: str) -> None:
    with pytest.raises(RuntimeFault) as caught:
        call(LocalFiles(), request_)
    assert (caught.value.code, caught.value.artifact_path) == ("schema-parse-failure", place)


class Odd:
    """A mechanism that answers what it should not."""

    def read(self, path: str) -> object:
        return "text"

    def write(self, path: str, data: bytes) -> object:
        return len(data) - 1 if data else -1


def test_the_mechanism_is_believed_about_its_count_and_checked_about_its_shape() -> None:
    assert write(LocalFiles(Odd()), {"path": "a", "bytes": b"abc"}).byte_length == 2
    for call, request in ((read, {"path": "a"}), (write, {"path": "a", "bytes": b""})):
        with pytest.raises(RuntimeFault) as caught:
            call(LocalFiles(Odd()), request)
        assert caught.value.code == "port-contract-violation"

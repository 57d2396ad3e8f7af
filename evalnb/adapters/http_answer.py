"""An HTTP answer read within its bounds, decoded, and made an observation.

A compressed body is inflated piece by piece against the same cap, so that a few bytes cannot become gigabytes.
spec: 10 §5.4, §7.6
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from evalnb.adapters.wire_text import observed_body
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json

API_REQUEST: Final = "ApiProbeRequest"

ACCEPTED_ENCODINGS: Final = "gzip, deflate"

_EITHER_FORMAT: Final = 32 + zlib.MAX_WBITS
_BARE_DEFLATE: Final = -zlib.MAX_WBITS
# Only charsets whose decoding is linear and has no other effect; any other name is read as UTF-8.
_CHARSETS: Final = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "ascii",
    "ascii": "ascii",
    "iso-8859-1": "latin-1",
    "latin1": "latin-1",
    "windows-1252": "cp1252",
    "utf-16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
}


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A whole answer: header lines in order with lower-case names, and the body with its content coding undone."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """The value of the first header line of that name."""
        return next((value for key, value in self.headers if key == name), None)


class BoundedBody:
    """Collects a body up to `limit` bytes, both as it was sent and as it is once decoded.

    Codings other than gzip and deflate were not asked for; such a body is kept as it was sent.
    """

    def __init__(self, content_encoding: str | None, limit: int) -> None:
        self._limit = limit
        self._sent = 0
        self._decoded = bytearray()
        self._coding = (content_encoding or "identity").strip().lower()
        self._inflater: zlib._Decompress | None = None
        if self._coding in ("gzip", "x-gzip", "deflate"):
            self._inflater = zlib.decompressobj(_EITHER_FORMAT)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the body; RuntimeFault `budget-exhausted` once there are too many."""
        self._sent += len(chunk)
        if self._sent > self._limit:
            raise _too_large(self._limit)
        if self._inflater is None:
            self._keep(chunk)
        else:
            self._inflate(self._inflater, chunk)

    def finish(self) -> bytes:
        """The decoded body; ValueError where it ended inside its compressed form."""
        if self._inflater is not None and self._sent and not self._inflater.eof:
            raise ValueError(f"the body ended inside its {self._coding} form")
        return bytes(self._decoded)

    def _inflate(self, inflater: zlib._Decompress, chunk: bytes) -> None:
        while chunk:
            if inflater.eof:  # a gzip body may have several members
                inflater = zlib.decompressobj(_EITHER_FORMAT)
            room = self._limit - len(self._decoded) + 1
            try:
                data = inflater.decompress(chunk, room)
            except zlib.error as error:
                if self._coding != "deflate" or self._decoded or self._sent != len(chunk):
                    raise ValueError(f"the body is not {self._coding}: {error}") from error
                # Some servers send deflate without the zlib wrapper that the standard asks for.
                inflater = zlib.decompressobj(_BARE_DEFLATE)
                data = inflater.decompress(chunk, room)
            self._keep(data)
            chunk = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
        self._inflater = inflater

    def _keep(self, data: bytes) -> None:
        self._decoded += data
        if len(self._decoded) > self._limit:
            raise _too_large(self._limit)


def observed_answer(answer: HttpAnswer) -> dict[str, Json]:
    """Status, headers and body of an observation. No bytes at all are an absent body."""
    body: dict[str, Json] = {"kind": "absent"}
    if answer.body:
        body = observed_body(_text(answer))
    return {"status": answer.status, "headers": dict(observed_headers(answer.headers)), "body": body}


def observed_headers(lines: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Header lines by name: repeated ones joined, `set-cookie` left out."""
    headers: dict[str, str] = {}
    for name, value in lines:
        if name != "set-cookie":
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _text(answer: HttpAnswer) -> str:
    charset = ""
    for parameter in (answer.header("content-type") or "").split(";")[1:]:
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "charset":
            charset = value.strip().strip("\"'").lower()
    return answer.body.decode(_CHARSETS.get(charset, "utf-8"), "replace")


def _too_large(limit: int) -> RuntimeFault:
    return RuntimeFault(
        "budget-exhausted", API_REQUEST, f"the answer's body went past maxResponseBytes ({limit} bytes)"
    )

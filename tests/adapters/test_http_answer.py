"""How an answer is read: caps on both sides of a content coding, text, JSON and headers."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

import pytest

from evalnb.adapters.http_answer import BoundedBody, HttpAnswer, observed_answer, observed_headers
from evalnb.engine.faults import RuntimeFault

TEXT = b"twelve bytes"


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def collected(coding: str | None, sent: bytes, limit: int, piece: int = 10**6) -> bytes:
    body = BoundedBody(coding, limit)
    for start in range(0, len(sent), piece):
        body.feed(sent[start : start + piece])
    return body.finish()


@pytest.mark.parametrize("piece", [1, 7, 10**6])
@pytest.mark.parametrize(
    ("coding", "sent"),
    [
        (None, TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("X-GZip ", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:5]) + gzip.compress(TEXT[5:])),
        ("deflate", zlib.compress(TEXT)),
    ],
)
def test_a_coding_is_undone(coding: str | None, sent: bytes, piece: int) -> None:
    assert collected(coding, sent, 64, piece) == TEXT


def test_deflate_without_its_wrapper_is_read_too() -> None:
    assert collected("deflate", bare_deflate(TEXT), 64) == TEXT


def test_a_coding_nobody_asked_for_is_left_alone() -> None:
    assert collected("br", b"\x8b\x05", 64) == b"\x8b\x05"
    assert collected("gzip, gzip", b"xx", 64) == b"xx"


@pytest.mark.parametrize("coding", [None, "gzip", "deflate"])
def test_exactly_the_limit_is_allowed_and_one_byte_more_is_not(coding: str | None) -> None:
    data = bytes(range(100))
    sent = {None: data, "gzip": gzip.compress(data * 10), "deflate": zlib.compress(data * 10)}[coding]
    limit = len(data) if coding is None else 1000
    assert len(collected(coding, sent, limit)) == limit
    with pytest.raises(RuntimeFault) as caught:
        collected(coding, sent, limit - 1)
    assert (caught.value.code, caught.value.artifact_path) == ("budget-exhausted", "ApiProbeRequest")


def test_a_bomb_is_stopped_before_it_unfolds() -> None:
    bomb = gzip.compress(bytes(200_000_000))
    import tracemalloc

    tracemalloc.start()
    with pytest.raises(RuntimeFault, match="maxResponseBytes"):
        collected("gzip", bomb, 10**6)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


@pytest.mark.parametrize("sent", [gzip.compress(TEXT)[:-4], b"plain text", gzip.compress(TEXT) + b"junk"])
def test_a_broken_coding_is_no_answer(sent: bytes) -> None:
    with pytest.raises(ValueError, match="gzip"):
        collected("gzip", sent, 64)


@pytest.mark.parametrize(
    ("body", "content_type", "observed"),
    [
        (b"", None, {"kind": "absent"}),
        (b' {"a": [1.0, null]}\n', "text/html", {"kind": "json", "value": {"a": [1, None]}}),
        (b"123\n", None, {"kind": "json", "value": 123}),
        (b"NaN", "application/json", {"kind": "text", "value": "NaN"}),
        (b"{broken", "application/json", {"kind": "text", "value": "{broken"}),
        (b'\xef\xbb\xbf{"a":1}', "application/json", {"kind": "text", "value": '\ufeff{"a":1}'}),
        (b"\xff\xfe", None, {"kind": "text", "value": "\ufffd\ufffd"}),
        (b"\xe9", "text/plain; charset=ISO-8859-1", {"kind": "text", "value": "é"}),
        (b"\xe9", 'text/plain; charset="unicode_escape"', {"kind": "text", "value": "\ufffd"}),
        (b'{"k":1,"k":2}', None, {"kind": "json", "value": {"k": 2}}),
        (b"[" * 200_000, None, {"kind": "text", "value": "[" * 200_000}),
    ],
)
def test_a_body_is_json_text_or_absent(body: bytes, content_type: str | None, observed: dict[str, Any]) -> None:
    headers = (("content-type", content_type),) if content_type else ()
    assert observed_answer(HttpAnswer(200, headers, body))["body"] == observed


def test_repeated_headers_are_joined_and_cookies_dropped() -> None:
    lines = [("via", "a"), ("set-cookie", "s=1"), ("x", ""), ("via", "b"), ("set-cookie", "t=2"), ("via", "a")]
    assert observed_headers(lines) == {"via": "a, b, a", "x": ""}

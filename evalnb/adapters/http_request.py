"""One probe request as an HTTP request: path, query, headers and body, and what each is not allowed to say.

spec: 07 §2; values become text as they do on a command line (10 §7.1)
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote as percent_encoded

import httpx2

from evalnb.adapters.wire_text import compact_json, value_text
from evalnb.engine.artifacts.bodies import AbsentBody, JsonBody
from evalnb.engine.artifacts.port_messages import ApiProbeRequest
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json, own_keys, quote

REQUEST_PATH: Final = "ProbeRequest"

# How the message is framed and where it goes is decided by the connection, never by a contract.
_FRAMING_HEADERS: Final = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_PLACEHOLDER: Final = re.compile(r"\{([A-Za-z0-9_-]+)\}")
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE: Final = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]*")


@dataclass(frozen=True, slots=True)
class RequestParts:
    """What is sent, whatever the target: the path with its query, headers by lower-case name, and the body."""

    method: str
    path_and_query: str
    headers: Mapping[str, str]
    body: bytes | None


def request_parts(request: ApiProbeRequest) -> RequestParts:
    """The parts of `request`; RuntimeFault at `ProbeRequest` when they cannot make an HTTP request."""
    channels = request.channels
    query = _query(channels.query)
    body, content_type = _body(request)
    headers = _headers(channels.header)
    if content_type is not None:
        headers.setdefault("content-type", content_type)
    path = _filled(request.path_template, channels.path)
    return RequestParts(request.method, f"{path}?{query}" if query else path, headers, body)


def joined(base: httpx2.URL | None, path_and_query: str) -> bytes:
    """The request target of a path under the path of `base`."""
    prefix = base.raw_path.partition(b"?")[0].rstrip(b"/") if base is not None else b""
    return prefix + path_and_query.encode("ascii")


def checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """`headers` by lower-case name; RuntimeFault `port-failure` for what cannot stand in a request's head.

    Values are never part of the message: they may be secrets.
    """
    found: dict[str, str] = {}
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise _unsendable(f"the header {quote(name)} holds what a header cannot")
        found[name.lower()] = value
    return found


def _filled(template: str, values: Mapping[str, Json]) -> str:
    names = _PLACEHOLDER.findall(template)
    missing = [name for name in names if name not in values]
    extra = [name for name in values if name not in names]
    if missing or extra:
        fault = f"lacks a value for {quote(missing[0])}" if missing else f"has no place for {quote(extra[0])}"
        raise _unsendable(f"the path template {quote(template)} {fault}")
    segments = _PLACEHOLDER.sub(lambda found: _encoded(value_text(values[found[1]])), _literal(template)).split("/")
    # A segment of dots only would be resolved away on the way, and the request would reach another resource.
    return "/".join(segment.replace(".", "%2E") if segment in (".", "..") else segment for segment in segments)


def _literal(template: str) -> str:
    """The template with what a URL cannot hold encoded; its own escapes and placeholders stay."""
    return percent_encoded(template, safe="/{}%:@!$&'()*+,;=~")


def _query(values: Mapping[str, Json]) -> str:
    pairs: list[str] = []
    for key in own_keys(dict(values)):
        value = values[key]
        items = value if isinstance(value, list | tuple) else [value]
        pairs += [f"{_encoded(key)}={_encoded(value_text(item))}" for item in items]
    return "&".join(pairs)


def _encoded(text: str) -> str:
    return percent_encoded(text, safe="", errors="replace")


def _headers(values: Mapping[str, str]) -> dict[str, str]:
    headers = checked_headers(values)
    if "host" in headers:
        raise RuntimeFault(
            "forbidden-target",
            REQUEST_PATH,
            "a request may not name its own host; the target policy does",
            reason="host-not-authorized",
        )
    framing = sorted(_FRAMING_HEADERS & headers.keys())
    if framing:
        raise _unsendable(f"the header {quote(framing[0])} belongs to the connection and cannot be given")
    return headers


def _body(request: ApiProbeRequest) -> tuple[bytes | None, str | None]:
    body = request.channels.body
    if isinstance(body, AbsentBody):
        return None, None
    if isinstance(body, JsonBody):
        return compact_json(body.value).encode("utf-8", "replace"), "application/json"
    return base64.b64decode(body.base64), body.content_type


def _unsendable(detail: str) -> RuntimeFault:
    return RuntimeFault("port-failure", REQUEST_PATH, detail)

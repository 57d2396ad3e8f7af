"""A draft from an OpenAPI 3 document, JSON or YAML. Nothing that it names is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from evalnb.engine.artifacts.addresses import parse_address
from evalnb.scaffold.draft import Draft, DraftOperation, identifier
from evalnb.scaffold.json_shapes import KeyShape, keys_of, resolved

_METHODS: Final = {"get": False, "head": False, "post": True, "put": True, "patch": True, "delete": True}
_TEMPLATE: Final = re.compile(r"(?:/(?:[^/{}:]|\{[A-Za-z0-9_-]+\})*)+")
_LOOPBACK: Final = "127.0.0.1"


def draft_from_openapi(document: object, base_url: str | None) -> Draft:
    """The operations of a document; `base_url` stands for its first server. Raises ValueError for another document."""
    if (
        not isinstance(document, dict)
        or not str(document.get("openapi")).startswith("3.")
        or not isinstance(document.get("paths"), dict)
    ):
        raise ValueError("not an OpenAPI 3 document: it has no openapi version 3 with paths")
    info = document.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    interface_id = identifier(title if isinstance(title, str) else "service", set(), "service")
    taken: set[str] = set()
    operations: list[DraftOperation] = []
    left_out: list[str] = []
    for path, method, item, operation in _operations(document):
        named = f"{method.upper()} {path}"
        if not _TEMPLATE.fullmatch(path):
            left_out.append(f"{named}: its path is none that a contract can hold")
            continue
        drawn = _operation(document, path, method, item, operation, taken)
        takes_keys = any(shape.permitted for shape in drawn.channels.values())
        if takes_keys and drawn.varied is None:
            left_out.append(f"{named}: it changes state by its path alone, and only a body can show that input matters")
            continue
        operations.append(drawn)
    return Draft(interface_id, "api", f"the OpenAPI document of {title}", operations,
                 _targets(document, base_url, interface_id), left_out)  # fmt: skip


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method in _METHODS:
            operation = item.get(method) if isinstance(item, dict) else None
            if isinstance(operation, dict) and isinstance(path, str):
                yield path, method, item, operation


def _operation(
    document: Mapping[str, Any],
    path: str,
    method: str,
    item: Mapping[str, Any],
    operation: Mapping[str, Any],
    taken: set[str],
) -> DraftOperation:
    changes_state = _METHODS[method]
    parameters = [
        resolved(one, document) for one in [*(item.get("parameters") or []), *(operation.get("parameters") or [])]
    ]
    channels = {place: _parameters(parameters, place, document) for place in ("path", "query")}
    channels["header"] = KeyShape()
    channels["body"] = keys_of(_json_content(resolved(operation.get("requestBody"), document)), document)
    varied = next(
        (place for place in (("body",) if changes_state else ("path", "query")) if channels[place].permitted), None
    )
    named = operation.get("operationId") or f"{method} {path}"
    summary = operation.get("summary") or operation.get("description") or ""
    return DraftOperation(
        identifier(str(named), taken),
        str(named),
        str(summary),
        {"method": method.upper(), "pathTemplate": path},
        changes_state,
        channels,
        _answer(operation, document),
        varied,
    )


def _parameters(parameters: list[dict[str, Any]], place: str, document: Mapping[str, Any]) -> KeyShape:
    named = [one for one in parameters if one.get("in") == place and isinstance(one.get("name"), str)]
    properties = {
        one["name"]: {"description": one.get("description"), **resolved(one.get("schema"), document)} for one in named
    }
    for one in named:
        if "example" in one:
            properties[one["name"]]["examples"] = [one["example"]]
    needed = [one["name"] for one in named if one.get("required") is True or place == "path"]
    return keys_of({"properties": properties, "required": needed}, document)


def _answer(operation: Mapping[str, Any], document: Mapping[str, Any]) -> KeyShape | None:
    responses = operation.get("responses")
    for status, response in responses.items() if isinstance(responses, dict) else ():
        if str(status).startswith("2"):
            schema = _json_content(resolved(response, document))
            return None if schema is None else keys_of(schema, document)
    return None


def _json_content(holder: Mapping[str, Any]) -> Any:
    content = holder.get("content")
    for media, value in content.items() if isinstance(content, dict) else ():
        if "json" in str(media) and isinstance(value, dict):
            return value.get("schema")
    return None


def _targets(document: Mapping[str, Any], base_url: str | None, interface_id: str) -> dict[str, Any]:
    servers = document.get("servers")
    first = servers[0].get("url") if isinstance(servers, list) and servers and isinstance(servers[0], dict) else None
    url = base_url or (first if isinstance(first, str) else "")
    parts = urlsplit(url if "://" in url else f"http://localhost{url}")
    host = parts.hostname or "localhost"
    authorization = {
        "interfaceId": interface_id,
        "scheme": parts.scheme if parts.scheme in ("http", "https") else "https",
        "host": host,
        "port": parts.port or (80 if parts.scheme == "http" else 443),
        # A name is not resolved here: which addresses may be dialled is a decision, not a look-up.
        "addresses": [host] if parse_address(host) is not None else [_LOOPBACK],
        "methods": ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
        "safeMethods": ["GET", "HEAD"],
        "maxRedirects": 0,
        "maxElapsedMs": 10_000,
        "maxRequestBytes": 1_000_000,
        "maxResponseBytes": 4_000_000,
    }
    base = f"{authorization['scheme']}://{parts.netloc}{parts.path.rstrip('/')}"
    connections = {interface_id: {"baseUrl": base}} if parts.path.strip("/") else {}
    return {"api": {"authorizations": [authorization], "connections": connections}}

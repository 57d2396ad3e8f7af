"""Identifiers that a tool's results show to belong to another tenant."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from evalnb.engine.json_values import Json
from evalnb.trajectory.events import ToolResult

SHORTEST = 3
_TENANT_KEYS = frozenset({"tenant", "tenantid", "tenantname", "tenantkey"})
_ID_KEY = re.compile(r"(?:^|[a-z]|_|-)(?:id|ID|Id|[Nn]umber|[Nn]o|[Rr]ef|[Rr]eference|[Uu]uid|UUID)$")
# Named by an id as well, and by no tenant's own.
_SHARED = re.compile(r"(?:tenant|product|sku|plan|type|status|category|region|currency|version|page|line|phone)")
_DOCUMENT = re.compile(r"^[ \t]*(?=[\[{])", re.MULTILINE)
_DECODE = json.JSONDecoder().raw_decode


def foreign_ids(result: ToolResult, tenant: str) -> Iterator[str]:
    """Each identifier below a tenant other than `tenant`, and below none of its own, in lower case."""
    owned: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for value in _documents(result):
        for identifier, owner in _ids(value):
            owned[owner.casefold() == tenant.casefold()].setdefault(identifier.casefold())
    yield from (one for one in owned[False] if one not in owned[True])


def names(words: str, identifier: str) -> bool:
    """Whether lower-case `words` hold the identifier as a word of its own, and as no amount."""
    if identifier not in words:
        return False
    return re.search(rf"(?<![\w$€£]){re.escape(identifier)}(?![\w%]|[.,]\d)", words) is not None


def _documents(result: ToolResult) -> Iterator[Json]:
    """What a result holds as structure, in its text too: a whole document, one a line, or one among words."""
    if result.structured is not None:
        yield result.structured
    text = result.text
    if not text or "tenant" not in text.casefold():
        return
    end = 0
    for start in _DOCUMENT.finditer(text):
        if start.end() < end:
            continue
        try:
            value, end = _DECODE(text, start.end())
        except (ValueError, RecursionError):
            continue
        yield value


def _ids(value: Json) -> Iterator[tuple[str, str]]:
    """Every identifier below a tenant, with that tenant; what stands nearest names it."""
    pending: list[tuple[Json, str, str | None]] = [(value, "", None)]
    while pending:
        held, name, owner = pending.pop()
        if isinstance(held, list):
            pending.extend((item, name, owner) for item in held)
        elif isinstance(held, dict):
            owner = next((told for key in held if _is_tenant(key) and (told := _tenant(held[key]))), owner)
            for key, item in held.items():
                if isinstance(item, dict | list):
                    pending.append((item, key, owner))
                elif owner is not None and _is_id(key, name) and len(identifier := _text(item)) >= SHORTEST:
                    yield identifier, owner


def _is_tenant(key: str) -> bool:
    return key.replace("_", "").replace("-", "").lower() in _TENANT_KEYS


def _tenant(value: Json) -> str | None:
    if isinstance(value, dict):
        value = value.get("id", value.get("name"))
    return _text(value) or None


def _text(value: Json) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _is_id(key: str, above: str) -> bool:
    name = above if key.lower().strip("_") in ("id", "uuid") else key
    return _ID_KEY.search(key) is not None and not _is_tenant(key) and _SHARED.match(name.lower()) is None

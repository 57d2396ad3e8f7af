"""Applies the JSON Patches that case tables carry: add, replace, remove and copy."""

from __future__ import annotations

import copy
from typing import Any


def patched(document: Any, patch: list[dict[str, Any]]) -> Any:
    """A changed copy of `document`."""
    result = copy.deepcopy(document)
    for operation in patch:
        tokens = _tokens(operation["path"])
        op, value = operation["op"], copy.deepcopy(operation.get("value"))
        if op == "copy":
            op, value = "add", copy.deepcopy(_at(result, _tokens(operation["from"])))
        if not tokens:
            result = value
            continue
        _apply(op, _at(result, tokens[:-1]), tokens[-1], value)
    return result


def _tokens(pointer: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def _at(document: Any, tokens: list[str]) -> Any:
    for token in tokens:
        document = document[int(token)] if isinstance(document, list) else document[token]
    return document


def _apply(op: str, holder: Any, token: str, value: Any) -> None:
    place: Any = token
    if isinstance(holder, list):
        place = len(holder) if token == "-" else int(token)
    match op:
        case "add" if isinstance(holder, list):
            holder.insert(place, value)
        case "add" | "replace":
            holder[place] = value
        case "remove":
            del holder[place]
        case _:
            raise ValueError(f"no such patch operation: {op}")

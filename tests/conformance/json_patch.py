"""Applies the JSON Patches that case tables carry: add, replace and remove."""

from __future__ import annotations

import copy
from typing import Any


def patched(document: Any, patch: list[dict[str, Any]]) -> Any:
    """A changed copy of `document`."""
    result = copy.deepcopy(document)
    for operation in patch:
        tokens = [t.replace("~1", "/").replace("~0", "~") for t in operation["path"].split("/")[1:]]
        value = copy.deepcopy(operation.get("value"))
        if not tokens:
            result = value
            continue
        holder = result
        for token in tokens[:-1]:
            holder = holder[int(token)] if isinstance(holder, list) else holder[token]
        _apply(operation["op"], holder, tokens[-1], value)
    return result


def _apply(op: str, holder: Any, token: str, value: Any) -> None:
    if isinstance(holder, list):
        position = len(holder) if token == "-" else int(token)
        if op == "add":
            holder.insert(position, value)
        elif op == "replace":
            holder[position] = value
        else:
            del holder[position]
    elif op == "remove":
        del holder[token]
    else:
        holder[token] = value

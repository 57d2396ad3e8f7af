"""Strict JSON reading: bytes or text to a value of the hashed domain, or one exact fault (spec: 01 §2).

The common document is read by the C scanner of the standard library with hooks for the rules JSON itself lacks;
whatever that reading refuses, or cannot decide, is read again by the exact scanner, which names the first problem.
"""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

from evalnb.engine.canonical.exact_scanner import MAX_DEPTH, scan_exactly
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json

MAX_SAFE_INTEGER = 2**53 - 1
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class _NeedsExactScan(Exception):
    """The quick reading met something that only the exact scanner may judge."""


def scan_json(data: bytes | str, artifact_path: str) -> Json:
    """Read one JSON document strictly.

    `data` is UTF-8 bytes (no byte-order mark) or text. Integral numbers come back as `int` (negative zero stays
    `-0.0`), others as `float`. Raises `RuntimeFault` `schema-parse-failure` for text that is not JSON, and
    `non-canonicalizable-value` for JSON outside the hashed domain, both at `artifact_path` (spec: 01 §2).
    """
    text = data if isinstance(data, str) else _decode(data, artifact_path)
    try:
        return _read_quickly(text)
    except (_NeedsExactScan, ValueError, RecursionError):
        return scan_exactly(text, artifact_path)


def _decode(data: bytes, artifact_path: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RuntimeFault("schema-parse-failure", artifact_path, "input is not valid UTF-8", error) from error


def _read_quickly(text: str) -> Json:
    if _SURROGATE.search(text) is not None:
        raise _NeedsExactScan
    value: Json = _QUICK.decode(text)
    # Few documents hold brackets enough to be too deep at all, and only those are walked.
    if text.count("{") + text.count("[") > MAX_DEPTH and _is_too_deep(value):
        raise _NeedsExactScan
    return value


def _is_too_deep(value: Json) -> bool:
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for container in level
            if isinstance(container, (dict, list))
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _NeedsExactScan
    return value


def _integer(literal: str) -> int | float:
    if len(literal) > 17:
        raise _NeedsExactScan
    value = int(literal)
    if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
        raise _NeedsExactScan
    return -0.0 if value == 0 and literal[0] == "-" else value


def _fraction(literal: str) -> int | float:
    value = float(literal)
    if not math.isfinite(value):
        raise _NeedsExactScan
    if value.is_integer():
        if abs(value) > MAX_SAFE_INTEGER:
            raise _NeedsExactScan
        return value if value == 0 and math.copysign(1.0, value) < 0 else int(value)
    return value


def _constant(literal: str) -> NoReturn:
    raise _NeedsExactScan


_QUICK = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_fraction, parse_constant=_constant
)

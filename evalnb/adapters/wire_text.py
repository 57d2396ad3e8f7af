"""JSON values as the text a target is given, and text a target gave as an observed body.

spec: 10 §7.1, §7.3, §7.6
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from evalnb.engine.canonical.scan import MAX_SAFE_INTEGER
from evalnb.engine.json_values import Json, json_kind, number_text, own_keys, quote


def compact_json(value: Json) -> str:
    """`value` as JSON without white space, numbers and key order as ECMAScript has them."""
    match json_kind(value):
        case "null":
            return "null"
        case "boolean":
            return "true" if value else "false"
        case "number":
            return number_text(value)  # type: ignore[arg-type]
        case "string":
            return quote(value)  # type: ignore[arg-type]
        case "array":
            return f"[{','.join(compact_json(item) for item in value)}]"  # type: ignore[union-attr]
        case "object":
            members: dict[str, Json] = value  # type: ignore[assignment]
            return f"{{{','.join(f'{quote(key)}:{compact_json(members[key])}' for key in own_keys(members))}}}"


def value_text(value: Json) -> str:
    """The text of one value on a command line or in a URL: a string as it is, everything else as compact JSON."""
    return value if isinstance(value, str) else compact_json(value)


def observed_body(text: str) -> dict[str, Json]:
    """The body that `text` is: one complete JSON value, or text; nothing at all is empty text."""
    try:
        return {"kind": "json", "value": parse_json_text(text)}
    except (ValueError, RecursionError):  # text nested too deep to read is text
        return {"kind": "text", "value": text}


def parse_json_text(text: str) -> Json:
    """The JSON value of `text`, numbers in binary64, of a repeated key the last; ValueError where it is no JSON."""
    value: Json = _DECODER.decode(text)
    return value


def _number(literal: str) -> int | float:
    number = float(literal)
    # Integral numbers are held as int, as the strict reader holds them; the sign of a negative zero needs a float.
    if number.is_integer() and abs(number) <= MAX_SAFE_INTEGER and not (number == 0 and math.copysign(1, number) < 0):
        return int(number)
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER: Any = json.JSONDecoder(parse_int=_number, parse_float=_number, parse_constant=_refuse_constant)

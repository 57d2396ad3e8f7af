"""JSON values as the engine sees them: the six kinds, equality, key order and number text.

Numbers are one kind held in binary64; a bool is never a number; `ABSENT` is "nothing is there", never null.
spec: 01 §1, 03 §2, §4.5
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, Literal, TypeAlias, final

Json: TypeAlias = bool | int | float | str | list[Any] | dict[str, Any] | None
JsonKind: TypeAlias = Literal["null", "boolean", "number", "string", "array", "object"]


@final
class Absent:
    """The value of a place that holds nothing; one instance, `ABSENT`, compared by identity."""

    __slots__ = ()
    _instance: Absent | None = None

    def __new__(cls) -> Absent:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        raise TypeError("ABSENT has no truth value: compare it by identity")

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()

_KIND_OF_TYPE: Final[dict[type, JsonKind]] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    tuple: "array",
    dict: "object",
}

_LARGEST_ARRAY_INDEX: Final = 2**32 - 2
_LARGEST_EXACT_INTEGER: Final = 2**53
_ARRAY_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def json_kind(value: Json) -> JsonKind:
    """The JSON kind of `value`; TypeError for anything that JSON cannot hold, `ABSENT` included."""
    kind = _KIND_OF_TYPE.get(type(value))
    if kind is not None:
        return kind
    for base, name in _KIND_OF_TYPE.items():
        if isinstance(value, base):
            return name
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def as_double(number: int | float) -> float:
    """`number` in binary64; an integer beyond its range becomes an infinity, as reading its digits would."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def json_equal(a: Json | Absent, b: Json | Absent) -> bool:
    """Whether two values are one JSON value, by structure.

    Kinds never mix, numbers compare in binary64, arrays by position, objects whatever their key order; ABSENT
    equals nothing, itself included. Never faults, at any depth.
    """
    pending: list[tuple[Any, Any]] = [(a, b)]
    while pending:
        left, right = pending.pop()
        if left is ABSENT or right is ABSENT:
            return False
        kind = json_kind(left)
        if kind != json_kind(right):
            return False
        if kind == "array":
            if len(left) != len(right):
                return False
            pending.extend(zip(left, right, strict=True))
        elif kind == "object":
            if left.keys() != right.keys():
                return False
            pending.extend((value, right[key]) for key, value in left.items())
        elif kind == "number":
            if as_double(left) != as_double(right):
                return False
        elif left != right:
            return False
    return True


def own_keys(obj: dict[str, Any]) -> list[str]:
    """The keys of `obj` in ECMAScript property order: array indices ascending, then the others as written."""
    keys = list(obj)
    indices = [key for key in keys if _is_array_index(key)]
    if not indices:
        return keys
    taken = set(indices)
    return sorted(indices, key=int) + [key for key in keys if key not in taken]


def number_text(n: int | float) -> str:
    """`n` as ECMAScript writes it: shortest digits that round-trip, exponent from 1e21 up and below 1e-6."""
    if isinstance(n, int) and -_LARGEST_EXACT_INTEGER <= n <= _LARGEST_EXACT_INTEGER:
        return str(int(n))
    value = as_double(n)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    return sign + _positive_text(abs(value))


def _positive_text(value: float) -> str:
    mantissa, _, exponent = f"{value!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    leading = len(digits) - len(digits.lstrip("0"))
    digits, point = digits[leading:].rstrip("0"), point - leading
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    power = point - 1
    head = digits[0] if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{head}e{'+' if power > 0 else '-'}{abs(power)}"


def utf16_key(s: str) -> bytes:
    """A sort key that orders strings by UTF-16 code unit, lone surrogates included."""
    return s.encode("utf-16-be", "surrogatepass")


def quote(s: str) -> str:
    """`s` as a JSON string literal, as ECMAScript writes it: a lone surrogate becomes its escape."""
    text = json.dumps(s, ensure_ascii=False)
    return _SURROGATE.sub(lambda unit: f"\\u{ord(unit[0]):04x}", text)


def _is_array_index(key: str) -> bool:
    return _ARRAY_INDEX.fullmatch(key) is not None and int(key) <= _LARGEST_ARRAY_INDEX

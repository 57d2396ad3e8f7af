"""The eleven leaf operators over values already resolved: each answers yes or no, or raises a runtime fault.

Faults: `non-canonicalizable-value`, `operator-cannot-accept-operand`, `budget-exhausted`, at the given path.
spec: 03 §7, §10
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

from evalnb.engine.canonical import assert_hashed_value, canonical_text
from evalnb.engine.evaluate.code_units import to_units, utf16_length
from evalnb.engine.evaluate.ecma_source import PatternSyntaxError
from evalnb.engine.evaluate.patterns import compile_pattern
from evalnb.engine.evaluate.step_budget import pattern_cost
from evalnb.engine.evaluate.values import Value
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import (
    ABSENT,
    Absent,
    Json,
    as_double,
    json_equal,
    json_kind,
    number_text,
    quote,
    utf16_key,
)

if TYPE_CHECKING:
    from evalnb.engine.artifacts import KeyedShapeDescriptor

_LARGEST_SAFE: Final = 2**53 - 1


def existence(value: Value) -> bool:
    """Whether there is a value; null, false, zero and empty ones are values."""
    return value is not ABSENT


def absence(value: Value) -> bool:
    """The complement of `existence`."""
    return value is ABSENT


def equality(left: Value, right: Value, artifact_path: str) -> bool:
    """Whether two values are of one kind and equal; only two arrays or two objects can fault."""
    if isinstance(left, Absent) or isinstance(right, Absent):
        return False
    kind = json_kind(left)
    if kind != json_kind(right):
        return False
    if kind in ("array", "object"):
        return structurally_equal(left, right, artifact_path)
    return json_equal(left, right)


def deep_equality(left: Value, right: Value, artifact_path: str) -> bool:
    """Whether two values have one canonical form; either may fault, whatever its kind."""
    if isinstance(left, Absent) or isinstance(right, Absent):
        return False
    return structurally_equal(left, right, artifact_path)


def containment(container: Value, candidate: Value, artifact_path: str) -> bool:
    """Whether a text holds a text, or an array holds a value; an array candidate asks for each of its members."""
    if isinstance(container, Absent):
        return False
    if isinstance(candidate, list):
        return isinstance(container, list) and all(_holds(container, member, artifact_path) for member in candidate)
    if isinstance(candidate, Absent):
        return False
    if isinstance(container, str):
        return isinstance(candidate, str) and to_units(candidate) in to_units(container)
    return isinstance(container, list) and _holds(container, candidate, artifact_path)


def set_membership(value: Value, members: Value, artifact_path: str) -> bool:
    """Whether the value is one of the members. Raises TypeError for members that are no array."""
    if not isinstance(members, list):
        raise TypeError("the set of a set-membership must resolve to an array")
    return not isinstance(value, Absent) and _holds(members, value, artifact_path)


def regex_match(value: Value, pattern: str, step_budget: int | float, artifact_path: str) -> bool:
    """Whether the pattern matches somewhere in the text, once its cost is known to stay within the budget."""
    if not isinstance(value, str):
        return False
    try:
        compiled = compile_pattern(pattern)
    except PatternSyntaxError as error:
        detail = f"regex pattern {quote(pattern)} is not a valid ECMA-262 pattern"
        raise RuntimeFault("operator-cannot-accept-operand", artifact_path, detail, error) from error
    cost = pattern_cost(pattern)
    if cost.nested:
        detail = f"regex pattern {quote(pattern)} repeats a group that holds a quantifier"
        raise RuntimeFault("budget-exhausted", artifact_path, detail)
    steps = cost.steps(utf16_length(value))
    if steps > step_budget:
        detail = (
            f"regex pattern {quote(pattern)} needs an estimated {number_text(steps)} match steps, "
            f"more than the budget of {number_text(step_budget)}"
        )
        raise RuntimeFault("budget-exhausted", artifact_path, detail)
    return compiled.search(value)


def shape(value: Value, descriptor: KeyedShapeDescriptor) -> bool:
    """Whether an object has the required keys, no key outside the permitted ones, and the declared types."""
    if not isinstance(value, dict):
        return False
    if any(key not in value for key in descriptor.required_keys):
        return False
    if not value.keys() <= set(descriptor.permitted_keys):
        return False
    return all(
        kind is None or key not in value or json_kind(value[key]) == kind for key, kind in descriptor.types.items()
    )


def ordering(value: Value, key: str, order: Literal["ascending", "descending"]) -> bool:
    """Whether neighbouring elements never step against the order of their `key`; ties are in order."""
    if not isinstance(value, list):
        return False
    return all(
        _in_order(earlier, later, key) if order == "ascending" else _in_order(later, earlier, key)
        for earlier, later in pairwise(value)
    )


def count_tolerance(value: Value, expected: int | float, tolerance: int | float, relative: bool) -> bool:
    """Whether an array's length is within the tolerance, absolute or in per cent of the expected length."""
    if not isinstance(value, list):
        return False
    allowed = float(expected) * float(tolerance) / 100 if relative else float(tolerance)
    return abs(len(value) - float(expected)) <= allowed


def covers_by_key(expected: Value, actual: Value, expected_key: str, actual_key: str, artifact_path: str) -> bool:
    """Whether the key values of both arrays pair off one to one; an array that is missing covers nothing."""
    if not isinstance(expected, list) or not isinstance(actual, list):
        return False
    unpaired: set[str] = set()
    keyless = 0
    for element in actual:
        name = _key_name(element, actual_key, artifact_path)
        if name is None:
            keyless += 1
        elif name in unpaired:
            return False
        else:
            unpaired.add(name)
    for element in expected:
        name = _key_name(element, expected_key, artifact_path)
        if name is None or name not in unpaired:
            return False
        unpaired.remove(name)
    return not unpaired and not keyless


def structurally_equal(left: Json, right: Json, artifact_path: str) -> bool:
    """Whether two values have one canonical form. Faults for a value that has none, the left one first.

    Inside the hashed domain two canonical texts agree exactly where the structures do, so none is rendered.
    """
    _require_hashed(left, artifact_path)
    _require_hashed(right, artifact_path)
    return json_equal(left, right)


def _holds(elements: list[Any], wanted: Json, artifact_path: str) -> bool:
    return any(structurally_equal(element, wanted, artifact_path) for element in elements)


def _require_hashed(value: Json, artifact_path: str) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str) and value.isascii():
        return
    if isinstance(value, int) and -_LARGEST_SAFE <= value <= _LARGEST_SAFE:
        return
    assert_hashed_value(value, artifact_path)


def _in_order(low: Any, high: Any, key: str) -> bool:
    if not (isinstance(low, dict) and isinstance(high, dict) and key in low and key in high):
        return False
    first, second = low[key], high[key]
    kind = json_kind(first)
    if kind != json_kind(second):
        return False
    if kind == "number":
        return as_double(first) <= as_double(second)
    return kind == "string" and utf16_key(first) <= utf16_key(second)


def _key_name(element: Any, key: str, artifact_path: str) -> str | None:
    if not isinstance(element, dict) or key not in element:
        return None
    return canonical_text(element[key], artifact_path)

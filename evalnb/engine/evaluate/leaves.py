"""One leaf of a check: resolve its operands, see whether one denotes an empty collection, then ask the operator.

spec: 03 §6, §7.4, §7.5, §10, §13
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from evalnb.engine.artifacts import PointerOperand, ReferenceSetOperand
from evalnb.engine.evaluate import operators
from evalnb.engine.evaluate.values import (
    AnyOperand,
    DenotesCollection,
    ReferenceSetKeys,
    ResolveOperand,
    Value,
)
from evalnb.engine.json_values import ABSENT, quote


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What one evaluation asks of its surroundings, and the path its faults carry."""

    resolve_operand: ResolveOperand
    denotes_collection: DenotesCollection
    reference_set_keys: ReferenceSetKeys
    regex_match_step_budget: int | float
    artifact_path: str


LeafAnswer: TypeAlias = bool | None
"""The operator's answer, or None where an operand denotes an empty collection."""

Operator: TypeAlias = Callable[[Any, list[Value], Surroundings], bool]

OPERATORS: Final[Mapping[str, Operator]] = {
    "existence": lambda leaf, values, around: operators.existence(values[0]),
    "absence": lambda leaf, values, around: operators.absence(values[0]),
    "equality": lambda leaf, values, around: operators.equality(values[0], values[1], around.artifact_path),
    "deep-equality": lambda leaf, values, around: operators.deep_equality(values[0], values[1], around.artifact_path),
    "containment": lambda leaf, values, around: _containment(leaf, values, around),
    "set-membership": lambda leaf, values, around: operators.set_membership(values[0], values[1], around.artifact_path),
    "regex": lambda leaf, values, around: operators.regex_match(
        values[0], leaf.pattern, around.regex_match_step_budget, around.artifact_path
    ),
    "shape": lambda leaf, values, around: operators.shape(values[0], leaf.descriptor),
    "ordering": lambda leaf, values, around: operators.ordering(values[0], leaf.key, leaf.order),
    "count-tolerance": lambda leaf, values, around: operators.count_tolerance(
        values[0], leaf.expected, leaf.tolerance, leaf.relative
    ),
    "covers-by-key": lambda leaf, values, around: operators.covers_by_key(
        values[0], values[1], leaf.expected_key, leaf.actual_key, around.artifact_path
    ),
}

_ANSWER_FOR_EMPTY: Final = frozenset({"count-tolerance", "existence", "absence"})
"""The operators that say something about a collection that is there and empty."""


def answer_leaf(leaf: Any, bound_element: Value, around: Surroundings) -> LeafAnswer:
    """The answer of one leaf. Raises runtime faults, and TypeError for what no compiled contract contains."""
    operands: tuple[AnyOperand, ...] = leaf.operands
    values = [around.resolve_operand(operand, bound_element, around.artifact_path) for operand in operands]
    if leaf.op == "covers-by-key":
        if _covers_nothing(values):
            return None
    else:
        if leaf.op == "set-membership":
            values[1] = _projected(operands[1], values[1], around.reference_set_keys)
        exempt = leaf.op in _ANSWER_FOR_EMPTY
        for operand, value in zip(operands, values, strict=True):
            if _denotes_empty(operand, value, exempt, around):
                return None
    return OPERATORS[leaf.op](leaf, values, around)


def _denotes_empty(operand: AnyOperand, value: Value, exempt: bool, around: Surroundings) -> bool:
    if value is ABSENT:
        return isinstance(operand, PointerOperand) and around.denotes_collection(operand.pointer)
    return not exempt and isinstance(value, list) and not value


def _covers_nothing(values: list[Value]) -> bool:
    """The guards of covers-by-key: two arrays, one of them empty, cover nothing either way."""
    expected, actual = values
    if expected is not ABSENT and not isinstance(expected, list):
        raise TypeError("the expected side of covers-by-key must resolve to an array")
    return isinstance(expected, list) and isinstance(actual, list) and not (expected and actual)


def _containment(leaf: Any, values: list[Value], around: Surroundings) -> bool:
    if isinstance(leaf.operands[1], ReferenceSetOperand) and not isinstance(values[1], list):
        raise TypeError("the reference set of a containment must resolve to an array")
    return operators.containment(values[0], values[1], around.artifact_path)


def _projected(operand: AnyOperand, members: Value, keys_of: ReferenceSetKeys) -> Value:
    """A reference set's members as the values of its one key; any other set as it is."""
    if not isinstance(operand, ReferenceSetOperand) or not isinstance(members, list):
        return members
    name = operand.reference_set
    if name not in keys_of:
        return members
    keys = keys_of[name]
    if len(keys) != 1:
        raise TypeError(f"reference set {name} declares {len(keys)} keys where a set-membership projects exactly one")
    return [_key_value(name, member, keys[0]) for member in members]


def _key_value(name: str, member: Any, key: str) -> Any:
    if not isinstance(member, dict) or key not in member:
        raise TypeError(f"a member of reference set {name} carries no own property {quote(key)}")
    return member[key]

"""Turns an oracle's check into a tree of three-valued resolutions over recorded evidence.

Every operand and every element is evaluated, decided or not; the first fault in evaluation order ends the check.
spec: 03 §1, §8, §9, §13
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from evalnb.engine.artifacts import CheckResolution
from evalnb.engine.evaluate.leaves import OPERATORS, Surroundings, answer_leaf
from evalnb.engine.evaluate.values import DenotesCollection, ReferenceSetKeys, ResolveOperand, Value
from evalnb.engine.json_values import ABSENT, quote

if TYPE_CHECKING:
    from evalnb.engine.artifacts import Expression

Resolution: TypeAlias = Literal["true", "false", "insufficient-evidence"]

_CONNECTIVES: Final = frozenset({"not", "all", "any"})
_QUANTIFIERS: Final = frozenset({"for-all", "for-any"})


@dataclass(frozen=True, slots=True)
class _Visit:
    """One expression to be resolved with one element bound to `@`."""

    expression: Any
    bound_element: Value


_Resolving: TypeAlias = Generator[_Visit, CheckResolution | None, CheckResolution]


def resolve_check(
    expression: Expression,
    resolve_operand: ResolveOperand,
    denotes_collection: DenotesCollection,
    reference_set_keys: ReferenceSetKeys,
    regex_match_step_budget: int | float,
    artifact_path: str,
) -> CheckResolution:
    """The resolution tree of a check, a node an expression, a child an operand or an element.

    Raises `RuntimeFault` (`operator-cannot-accept-operand`, `budget-exhausted`, `non-canonicalizable-value`) at
    `artifact_path`, and TypeError for what a compiled contract cannot contain.
    """
    around = Surroundings(
        resolve_operand, denotes_collection, reference_set_keys, regex_match_step_budget, artifact_path
    )
    return _resolve(_Visit(expression, ABSENT), around)


def fold_not(resolution: Resolution) -> Resolution:
    """The negation; insufficient evidence stays so."""
    if resolution == "insufficient-evidence":
        return resolution
    return "false" if resolution == "true" else "true"


def fold_all(resolutions: Sequence[Resolution]) -> Resolution:
    """The conjunction: one false decides it, whatever is missing beside it."""
    if "false" in resolutions:
        return "false"
    return "insufficient-evidence" if "insufficient-evidence" in resolutions else "true"


def fold_any(resolutions: Sequence[Resolution]) -> Resolution:
    """Weaker than a disjunction: one true does not rescue an operand whose evidence is missing."""
    if "insufficient-evidence" in resolutions:
        return "insufficient-evidence"
    return "true" if "true" in resolutions else "false"


def _resolve(root: _Visit, around: Surroundings) -> CheckResolution:
    # An own stack, because a check may be nested deeper than the interpreter's.
    if root.expression.op in OPERATORS:
        return _leaf(root, around)
    stack = [_composite(root, around)]
    answer: CheckResolution | None = None
    while True:
        try:
            visit = stack[-1].send(answer)
        except StopIteration as finished:
            stack.pop()
            answer = finished.value
            if answer is not None and not stack:
                return answer
        else:
            stack.append(_composite(visit, around))
            answer = None


def _leaf(visit: _Visit, around: Surroundings) -> CheckResolution:
    answer = answer_leaf(visit.expression, visit.bound_element, around)
    if answer is None:
        return _empty_collection()
    return _decided("true" if answer else "false")


def _composite(visit: _Visit, around: Surroundings) -> _Resolving:
    expression = visit.expression
    visits = _visits(visit, around)
    if not visits and expression.op in _QUANTIFIERS:
        return _empty_collection()
    children: list[CheckResolution] = []
    for child in visits:
        if child.expression.op in OPERATORS:
            children.append(_leaf(child, around))
        else:
            answer = yield child
            if answer is not None:
                children.append(answer)
    return CheckResolution.model_construct(
        resolution=_fold(expression.op, [child.resolution for child in children]),
        introduction_condition=None,
        children=tuple(children),
    )


def _visits(visit: _Visit, around: Surroundings) -> list[_Visit]:
    expression = visit.expression
    if expression.op in _CONNECTIVES:
        return [_Visit(operand, visit.bound_element) for operand in expression.operands]
    if expression.op in _QUANTIFIERS:
        elements = around.resolve_operand(expression.collection, visit.bound_element, around.artifact_path)
        if not isinstance(elements, list):
            return []
        return [_Visit(expression.predicate, element) for element in elements]
    raise TypeError(f"unrecognized expression.op {quote(str(expression.op))}")


def _fold(op: str, resolutions: Sequence[Resolution]) -> Resolution:
    if op == "not":
        return fold_not(resolutions[0])
    return fold_all(resolutions) if op in ("all", "for-all") else fold_any(resolutions)


@cache
def _decided(resolution: Resolution) -> CheckResolution:
    return CheckResolution.model_construct(resolution=resolution, introduction_condition=None, children=())


@cache
def _empty_collection() -> CheckResolution:
    return CheckResolution.model_construct(
        resolution="insufficient-evidence", introduction_condition="empty-collection", children=()
    )

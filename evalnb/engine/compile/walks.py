"""Walks over check expressions: every node once, depth first, in document order, whatever the depth.

One pass records what each node's rules need: path, operands, depth in quantifiers, and what `@` means there.
spec: 04 §3.4, §3.5
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from evalnb.engine.artifacts import (
    All,
    AnyOf,
    Expression,
    ForAll,
    ForAny,
    LiteralOperand,
    Not,
    PointerOperand,
    ReferenceSetOperand,
    SetMembership,
)
from evalnb.engine.operations import AnyOperation
from evalnb.engine.pointers import is_bound_element

AnyOperand: TypeAlias = PointerOperand | LiteralOperand | ReferenceSetOperand
OperandPosition: TypeAlias = int | Literal["collection"]
OperationOfStep: TypeAlias = Callable[[str], AnyOperation | None]

_LOGIC = (Not, All, AnyOf)
_QUANTIFIERS = (ForAll, ForAny)


class OperandSlot(NamedTuple):
    """One operand of a node: the form written there, its path suffix and its position."""

    operand: AnyOperand
    suffix: str
    position: OperandPosition


class NodeVisit(NamedTuple):
    """One node as a walk meets it.

    `depth` counts the quantifier predicates around the node; `root` is the pointer that a leading `@` stands for
    there, or None where nothing is bound to an addressable collection. The set position of `set-membership` is not
    among `slots`.
    """

    node: Expression
    suffix: str
    depth: int
    root: str | None
    slots: tuple[OperandSlot, ...]


class PointerVisit(NamedTuple):
    """One `{pointer}` operand: as written, and with a leading `@` replaced by the bound root where there is one."""

    pointer: str
    suffix: str
    inside: bool
    substituted: str


class ExpressionSite(NamedTuple):
    """An expression, where it stands, and which operation a step id means there."""

    path: str
    visits: tuple[NodeVisit, ...]
    operation_of_step: OperationOfStep


def no_operation(_step_id: str) -> None:
    """For a site whose steps mean nothing: no step has an operation."""


def expression_site(
    expression: Expression, path: str, operation_of_step: OperationOfStep = no_operation
) -> ExpressionSite:
    """`expression` walked once and ready for the legality checks, its artifact path being `path`."""
    return ExpressionSite(path, tuple(walk(expression)), operation_of_step)


def walk(expression: Expression) -> Iterator[NodeVisit]:
    """Every node of `expression`, a parent before its children."""
    pending: list[tuple[Expression, str, int, str | None]] = [(expression, "", 0, None)]
    while pending:
        node, suffix, depth, root = pending.pop()
        if isinstance(node, _LOGIC):
            yield NodeVisit(node, suffix, depth, root, ())
            children = enumerate(node.operands)
            pending.extend(reversed([(child, f"{suffix}.operands[{i}]", depth, root) for i, child in children]))
        elif isinstance(node, _QUANTIFIERS):
            slot = OperandSlot(node.collection, f"{suffix}.collection", "collection")
            yield NodeVisit(node, suffix, depth, root, (slot,))
            bound = substitute(slot.operand.pointer, root) if isinstance(slot.operand, PointerOperand) else None
            pending.append((node.predicate, f"{suffix}.predicate", depth + 1, bound))
        else:
            operands = node.operands[:1] if isinstance(node, SetMembership) else node.operands
            slots = tuple([OperandSlot(one, f"{suffix}.operands[{i}]", i) for i, one in enumerate(operands)])
            yield NodeVisit(node, suffix, depth, root, slots)


def pointers_of(site: ExpressionSite) -> Iterator[PointerVisit]:
    """Every `{pointer}` operand of the site, in walk order."""
    for visit in site.visits:
        for slot in visit.slots:
            if isinstance(slot.operand, PointerOperand):
                pointer = slot.operand.pointer
                yield PointerVisit(pointer, slot.suffix, visit.depth > 0, substitute(pointer, visit.root))


def substitute(pointer: str, root: str | None) -> str:
    """`pointer` with a leading `@` replaced by `root`; unchanged where it is rooted or nothing is bound."""
    if root is None or not is_bound_element(pointer):
        return pointer
    return root if pointer == "@/" else root + pointer[1:]

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


class Place(NamedTuple):
    """Where a node or an operand stands below the root of its expression.

    A link to the place around it and not the whole path, which would make a deep expression's walk quadratic.
    """

    around: Place | None
    part: str

    @property
    def suffix(self) -> str:
        """The path from the root, for example `.operands[1].predicate`."""
        parts: list[str] = []
        place: Place | None = self
        while place is not None:
            parts.append(place.part)
            place = place.around
        return "".join(reversed(parts))


class Binding(NamedTuple):
    """What a quantifier binds `@` to: its collection as written, None for no pointer, and the binding around it."""

    collection: str | None
    outer: Binding | None


class OperandSlot(NamedTuple):
    """One operand of a node: the form written there, where, and its position in the node."""

    operand: AnyOperand
    place: Place
    position: OperandPosition

    @property
    def suffix(self) -> str:
        return self.place.suffix


class NodeVisit(NamedTuple):
    """One node as a walk meets it.

    `depth` counts the quantifier predicates around the node. The set position of `set-membership` is not among `slots`.
    """

    node: Expression
    place: Place
    depth: int
    binding: Binding | None
    slots: tuple[OperandSlot, ...]

    @property
    def suffix(self) -> str:
        return self.place.suffix


class PointerVisit(NamedTuple):
    """One `{pointer}` operand as a walk meets it."""

    pointer: str
    place: Place
    depth: int
    binding: Binding | None

    @property
    def suffix(self) -> str:
        return self.place.suffix

    @property
    def substituted(self) -> str:
        """The pointer with a leading `@` replaced by what it stands for here."""
        return substitute(self.pointer, self.binding)


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
    pending: list[tuple[Expression, Place, int, Binding | None]] = [(expression, Place(None, ""), 0, None)]
    while pending:
        node, place, depth, binding = pending.pop()
        if isinstance(node, _LOGIC):
            yield NodeVisit(node, place, depth, binding, ())
            children = [
                (child, Place(place, f".operands[{i}]"), depth, binding) for i, child in enumerate(node.operands)
            ]
            pending.extend(reversed(children))
        elif isinstance(node, _QUANTIFIERS):
            slot = OperandSlot(node.collection, Place(place, ".collection"), "collection")
            yield NodeVisit(node, place, depth, binding, (slot,))
            collection = node.collection.pointer if isinstance(node.collection, PointerOperand) else None
            pending.append((node.predicate, Place(place, ".predicate"), depth + 1, Binding(collection, binding)))
        else:
            operands = node.operands[:1] if isinstance(node, SetMembership) else node.operands
            slots = [OperandSlot(one, Place(place, f".operands[{i}]"), i) for i, one in enumerate(operands)]
            yield NodeVisit(node, place, depth, binding, tuple(slots))


def pointers_of(site: ExpressionSite) -> Iterator[PointerVisit]:
    """Every `{pointer}` operand of the site, in walk order."""
    for visit in site.visits:
        for slot in visit.slots:
            if isinstance(slot.operand, PointerOperand):
                yield PointerVisit(slot.operand.pointer, slot.place, visit.depth, visit.binding)


def substitute(pointer: str, binding: Binding | None) -> str:
    """`pointer` with a leading `@` replaced by what the bindings around it stand for, as far as they are pointers."""
    below: list[str] = []
    while is_bound_element(pointer) and binding is not None and binding.collection is not None:
        below.append("" if pointer == "@/" else pointer[1:])
        pointer, binding = binding.collection, binding.outer
    return pointer + "".join(reversed(below))

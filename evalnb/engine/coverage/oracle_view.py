"""What an oracle reads: the pointers of its direction and of its check, quantified elements resolved.

spec: 06 §3
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evalnb.engine.artifacts import (
    Expression,
    ForAll,
    ForAny,
    Oracle,
    PointerOperand,
)
from evalnb.engine.compile.walks import substitute, walk


@dataclass(frozen=True, slots=True)
class CheckNode:
    """One node of a check.

    `operand_pointers` holds one slot an operand, None where the operand is no pointer, and no slot for the set of a
    `set-membership`; `collection` is the pointer a quantifier ranges over. Both name bound elements through the
    collection that binds them.
    """

    expression: Expression
    operand_pointers: tuple[str | None, ...] = ()
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class OracleView:
    """The pointers one oracle names in its two channels, prose and check."""

    direction_targets: tuple[str, ...]
    nodes: tuple[CheckNode, ...]
    check_pointers: tuple[str, ...]

    def addresses(self, root: str) -> bool:
        """Whether the direction and the check both read `root` or something under it."""
        return any(addresses(target, root) for target in self.direction_targets) and self.checks(root)

    def checks(self, root: str) -> bool:
        """Whether the check reads `root` or something under it."""
        return any(addresses(pointer, root) for pointer in self.check_pointers)


def view_oracle(oracle: Oracle) -> OracleView:
    """The pointers of `oracle`; a null direction or check names none."""
    nodes = tuple(walk_check(oracle.check)) if oracle.check is not None else ()
    pointers = [pointer for node in nodes for pointer in (node.collection, *node.operand_pointers)]
    return OracleView(
        tuple(oracle.direction.evidence_targets) if oracle.direction is not None else (),
        nodes,
        tuple(pointer for pointer in pointers if pointer is not None),
    )


def addresses(pointer: str, root: str) -> bool:
    """Whether `pointer` is `root` or lies under it."""
    return pointer == root or pointer.startswith(f"{root}/")


def walk_check(check: Expression) -> Iterator[CheckNode]:
    """The nodes of a check, depth first, in document order. Checks may nest deeper than calls can."""
    for visit in walk(check):
        pointers = tuple(
            substitute(slot.operand.pointer, visit.binding) if isinstance(slot.operand, PointerOperand) else None
            for slot in visit.slots
        )
        if isinstance(visit.node, ForAll | ForAny):
            yield CheckNode(visit.node, collection=pointers[0])
        else:
            yield CheckNode(visit.node, pointers)

"""Which operand forms each operator takes, where `@` may stand, and what a named reference set must hold.

spec: 04 §4 C8, C9, C13
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from evalnb.engine.artifacts import (
    CoversByKey,
    Expression,
    LiteralOperand,
    Ordering,
    PointerOperand,
    ReferenceSetDeclaration,
    ReferenceSetOperand,
    SetMembership,
)
from evalnb.engine.canonical import canonicalize
from evalnb.engine.compile.walks import AnyOperand, ExpressionSite, NodeVisit, OperandSlot, pointers_of
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.json_values import quote
from evalnb.engine.pointers import is_bound_element, parse_interaction_pointer

ReferenceSets = Mapping[str, ReferenceSetDeclaration]

_POINTER: Final = ("pointer",)
_COMPARED: Final = ("pointer", "literal")

LEGAL_OPERANDS: Final[Mapping[str, Mapping[int | str, tuple[str, ...]]]] = {
    "equality": {0: _COMPARED, 1: _COMPARED},
    "deep-equality": {0: _COMPARED, 1: _COMPARED},
    "containment": {0: _POINTER, 1: ("pointer", "literal", "referenceSet")},
    "existence": {0: _POINTER},
    "absence": {0: _POINTER},
    "regex": {0: _POINTER},
    "ordering": {0: _POINTER},
    "count-tolerance": {0: _POINTER},
    "shape": {0: _POINTER},
    "set-membership": {0: _POINTER},
    "covers-by-key": {0: ("referenceSet",), 1: _POINTER},
    "for-all": {"collection": _POINTER},
    "for-any": {"collection": _POINTER},
}

_FORM_OF_OPERAND: Final[Mapping[type, str]] = {
    PointerOperand: "pointer",
    LiteralOperand: "literal",
    ReferenceSetOperand: "referenceSet",
}
_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


class NamedReferenceSet(NamedTuple):
    """An operand that names a reference set, and where it stands."""

    name: str
    suffix: str


def check_bound_element_scope(site: ExpressionSite) -> None:
    """C8. Refuses an `@` pointer that stands in no quantifier's predicate (`malformed-operator-expression`)."""
    for visit in pointers_of(site):
        if visit.depth == 0 and is_bound_element(visit.pointer):
            raise StructuralFailure(
                "malformed-operator-expression",
                site.path + visit.suffix,
                f'bound-element pointer "{visit.pointer}" appears outside any quantifier\'s predicate, where no'
                " element is"
                " bound; address it from /interactions/",
            )


def check_operand_legality(site: ExpressionSite, reference_sets: ReferenceSets | None) -> None:
    """C9. Refuses an operand form its operator does not take, and a reference set unfit for the operator that names it.

    A set that is not declared is left to `check_reference_sets`. Raises `malformed-operator-expression`, or the fault
    `non-canonicalizable-value` where a member's key value has no canonical form.
    """
    declared = reference_sets or {}
    for visit in site.visits:
        node = visit.node
        if isinstance(node, CoversByKey):
            _check_covered_members(node, declared)
        for slot in visit.slots:
            _check_operand(site, node, slot)
        if isinstance(node, SetMembership) and isinstance(node.operands[1], ReferenceSetOperand):
            _check_membership_set(site, visit, node.operands[1].reference_set, declared)


def check_reference_sets(site: ExpressionSite, reference_sets: ReferenceSets | None) -> None:
    """C13. Refuses an operand that names a reference set nobody declares (`unresolved-reference-set`)."""
    declared = reference_sets or {}
    for visit in site.visits:
        for named in reference_sets_named_by(visit):
            if named.name not in declared:
                raise StructuralFailure(
                    "unresolved-reference-set",
                    site.path + named.suffix,
                    f'names the reference set "{named.name}", which the contract does not declare in referenceSets',
                )


def reference_sets_named_by(visit: NodeVisit) -> Iterator[NamedReferenceSet]:
    """The operands of one node that name a reference set, the set position of `set-membership` included."""
    for slot in visit.slots:
        if isinstance(slot.operand, ReferenceSetOperand):
            yield NamedReferenceSet(slot.operand.reference_set, slot.suffix)
    if isinstance(visit.node, SetMembership) and isinstance(visit.node.operands[1], ReferenceSetOperand):
        yield NamedReferenceSet(visit.node.operands[1].reference_set, f"{visit.suffix}.operands[1]")


def operand_form(operand: AnyOperand) -> str:
    """The operand's one key: `pointer`, `literal` or `referenceSet`."""
    return _FORM_OF_OPERAND[type(operand)]


def _check_operand(site: ExpressionSite, node: Expression, slot: OperandSlot) -> None:
    legal, form = LEGAL_OPERANDS[node.op][slot.position], operand_form(slot.operand)
    if form not in legal:
        raise StructuralFailure(
            "malformed-operator-expression",
            site.path + slot.suffix,
            f'"{node.op}" does not accept a {form} operand at position {slot.position}; it takes {" or ".join(legal)}'
            " there",
        )
    if isinstance(node, Ordering) and isinstance(slot.operand, PointerOperand):
        pointer = slot.operand.pointer
        if not is_bound_element(pointer) and parse_interaction_pointer(pointer).channel == "call-inputs":
            raise StructuralFailure(
                "malformed-operator-expression",
                site.path + slot.suffix,
                f'"ordering" accepts observed output only, never call-inputs, so "{pointer}" cannot be ordered',
            )


def _check_membership_set(site: ExpressionSite, visit: NodeVisit, name: str, declared: ReferenceSets) -> None:
    reference_set = declared.get(name)
    if reference_set is None:
        return
    if len(reference_set.keys) != 1:
        raise StructuralFailure(
            "malformed-operator-expression",
            f"{site.path}{visit.suffix}.operands[1]",
            f'"set-membership" compares with the one key of a reference set, and "{name}" declares'
            f" {len(reference_set.keys)} keys; declare a set with a single key",
        )
    key = reference_set.keys[0]
    for i, member in enumerate(reference_set.members):
        if key not in member:
            raise StructuralFailure(
                "malformed-operator-expression",
                _member_path(name, i, key),
                f'reference set "{name}" has a member without its declared key "{key}"',
            )


def _check_covered_members(node: CoversByKey, declared: ReferenceSets) -> None:
    expected = node.operands[0]
    if not isinstance(expected, ReferenceSetOperand) or expected.reference_set not in declared:
        return
    name, key = expected.reference_set, node.expected_key
    seen: set[bytes] = set()
    for i, member in enumerate(declared[name].members):
        path = _member_path(name, i, key)
        if key not in member:
            raise StructuralFailure(
                "malformed-operator-expression",
                path,
                f'reference set "{name}" has a member carrying no expectedKey "{key}", so nothing can be covered by it',
            )
        # Two values have one digest exactly when they have one canonical form.
        canonical = canonicalize(member[key], path)
        if canonical in seen:
            raise StructuralFailure(
                "malformed-operator-expression",
                path,
                f'reference set "{name}" repeats a value of "{key}"; each member needs its own',
            )
        seen.add(canonical)


def _member_path(name: str, position: int, key: str) -> str:
    step = f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{quote(key)}]"
    return f"EvalContract.referenceSets[id={name}].members[{position}]{step}"

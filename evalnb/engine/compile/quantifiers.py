"""What a quantifier may range over, and that quantifiers do not nest.

spec: 04 §4 C11, C12
"""

from __future__ import annotations

from evalnb.engine.artifacts import CoversByKey, ForAll, ForAny, PointerOperand
from evalnb.engine.compile.walks import ExpressionSite, substitute
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.operations import targets_described_channel
from evalnb.engine.pointers import INTERACTION, is_bound_element, matches, parse_interaction_pointer

# `/interactions/step/artifact/report/field`: more tokens reach below the one field whose type is declared.
_MOST_SLASHES = 5


def check_quantifier_collections(site: ExpressionSite) -> None:
    """C11. Refuses a quantifier over what its operation types as something other than an array.

    Permissive wherever nothing is declared. Raises `quantifier-over-non-collection`.
    """
    for visit in site.visits:
        if not isinstance(visit.node, ForAll | ForAny) or not isinstance(visit.node.collection, PointerOperand):
            continue
        pointer = substitute(visit.node.collection.pointer, visit.binding)
        if is_bound_element(pointer) or pointer.count("/") > _MOST_SLASHES:
            continue
        # A relative collection below a scalar channel spells no pointer; the nesting check reports that quantifier.
        if not matches(INTERACTION, pointer):
            continue
        target = parse_interaction_pointer(pointer)
        operation = site.operation_of_step(target.step_id)
        if operation is None or not targets_described_channel(target, operation) or len(target.tail) != 1:
            continue
        declared = operation.response_descriptor.types.get(target.tail[0])
        if declared is not None and declared != "array":
            raise StructuralFailure(
                "quantifier-over-non-collection",
                f"{site.path}{visit.suffix}.collection",
                f'"{pointer}" is declared "{declared}" by operation "{operation.operation_id}", not a collection'
                " (AD-4)",
            )


def check_quantifier_nesting(site: ExpressionSite) -> None:
    """C12. Refuses a quantifier, or `covers-by-key`, inside a predicate (`quantifier-nesting-exceeded`)."""
    for visit in site.visits:
        if visit.depth > 0 and isinstance(visit.node, ForAll | ForAny | CoversByKey):
            raise StructuralFailure(
                "quantifier-nesting-exceeded",
                site.path + visit.suffix,
                f'"{visit.node.op}" stands inside the predicate of a quantifier, where only one level is allowed;'
                " state it"
                " in an oracle of its own",
            )

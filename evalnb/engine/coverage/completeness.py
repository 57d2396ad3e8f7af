"""Rule 6: a collection with a known full set is reconciled against it, so that an omission shows.

spec: 06 §4, §5.6
"""

from __future__ import annotations

from evalnb.engine.artifacts import (
    CollectionLocation,
    CoversByKey,
    ForAll,
    ReferenceSetOperand,
    SetMembership,
)
from evalnb.engine.coverage.oracle_view import CheckNode
from evalnb.engine.coverage.subject import DeclaredSite, Subject
from evalnb.engine.coverage.verdicts import Finding, all_witnessed, fails, holds


def relevance(subject: Subject) -> Finding:
    """Relevant where a collection names a reference set, declared or not, or no list of collections is given."""
    for site in subject.sites:
        locations = site.descriptor.collection_locations
        if locations is None:
            return holds(
                f"operation {site.name} declares no collection-location list, so no location can name a reference set"
            )
        named = next((location for location in locations if location.reference_set is not None), None)
        if named is not None:
            return holds(
                f"operation {site.name} names reference set {named.reference_set} for collection {named.pointer}"
            )
    return fails("no declared collection location names a reference set")


def satisfaction(subject: Subject) -> Finding:
    """Satisfied where a check reconciles each such collection in the form its cardinality asks for."""
    met = 0
    for site in subject.sites:
        locations = site.descriptor.collection_locations
        if locations is None:
            return fails(
                f"operation {site.name} declares no collection-location list, "
                "so no location can be reconciled against a reference set"
            )
        for location in locations:
            if location.reference_set is None:
                continue
            met += 1
            if not _is_reconciled(site, location, subject):
                return fails(
                    f"no check reconciles collection {location.pointer} of operation {site.name} "
                    f"against reference set {location.reference_set} "
                    f"in the form its {location.expected_cardinality.mode} cardinality requires"
                )
    return all_witnessed(
        met,
        "every collection location naming a reference set is reconciled against it in the declared form",
    )


def _is_reconciled(site: DeclaredSite, location: CollectionLocation, subject: Subject) -> bool:
    reconciles = _covers if location.expected_cardinality.mode == "exact" else _holds_members_only
    collections = {f"{site.response_root(step)}{location.pointer}" for step in site.steps}
    return any(
        reconciles(node, collections, location.reference_set) for oracle in subject.oracles for node in oracle.nodes
    )


def _covers(node: CheckNode, collections: set[str], reference_set: str | None) -> bool:
    """An exact collection has to hold every member."""
    return (
        isinstance(node.expression, CoversByKey)
        and _names_set(node.expression.operands[0], reference_set)
        and node.operand_pointers[1] in collections
    )


def _holds_members_only(node: CheckNode, collections: set[str], reference_set: str | None) -> bool:
    """A bounded collection may leave members out, yet every record it holds has to be one."""
    return (
        isinstance(node.expression, ForAll)
        and node.collection in collections
        and isinstance(node.expression.predicate, SetMembership)
        and _names_set(node.expression.predicate.operands[1], reference_set)
    )


def _names_set(operand: object, reference_set: str | None) -> bool:
    return isinstance(operand, ReferenceSetOperand) and operand.reference_set == reference_set

"""Rule 4: a declared collection is read record by record.

spec: 06 §4, §5.4
"""

from __future__ import annotations

from evalnb.engine.coverage.subject import DeclaredSite, Subject
from evalnb.engine.coverage.verdicts import Finding, all_witnessed, counted, fails, holds


def relevance(subject: Subject) -> Finding:
    """Relevant where an operation declares a collection, or leaves open whether it has one."""
    for site in subject.sites:
        locations = site.descriptor.collection_locations
        if locations is None:
            return holds(
                f"operation {site.name} declares no collection-location list, "
                "so no collection is declared to range over"
            )
        if locations:
            return holds(f"operation {site.name} declares {counted(len(locations), 'collection location')}")
    return fails("every operation declares an explicitly empty collection-location list")


def satisfaction(subject: Subject) -> Finding:
    """Satisfied where some quantifier ranges over exactly each declared collection."""
    met = 0
    for site in subject.sites:
        locations = site.descriptor.collection_locations
        if locations is None:
            return fails(
                f"operation {site.name} declares no collection-location list, "
                "so no quantifier can range over a declared collection"
            )
        for location in locations:
            met += 1
            if not _is_quantified(site, location.pointer, subject):
                return fails(f"no check quantifies over collection {location.pointer} of operation {site.name}")
    return all_witnessed(met, "every declared collection location is the collection of some quantifier")


def _is_quantified(site: DeclaredSite, pointer: str, subject: Subject) -> bool:
    collections = {f"{site.response_root(step)}{pointer}" for step in site.steps}
    return any(node.collection in collections for oracle in subject.oracles for node in oracle.nodes)

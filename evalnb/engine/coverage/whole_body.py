"""Rule 2: all required keys of a response are read together, so that a right answer in a wrong body shows.

spec: 06 §4, §5.2
"""

from __future__ import annotations

from evalnb.engine.coverage.subject import DeclaredSite, Subject
from evalnb.engine.coverage.verdicts import Finding, all_witnessed, counted, fails, holds


def relevance(subject: Subject) -> Finding:
    """Relevant where a response has more than one distinct required key."""
    for site in subject.sites:
        keys = _distinct_required_keys(site)
        if len(keys) > 1:
            return holds(f"operation {site.name} declares {counted(len(keys), 'distinct required response key')}")
    return fails("no operation declares more than one distinct required response key")


def satisfaction(subject: Subject) -> Finding:
    """Satisfied where one oracle reads every required key at one step, in both channels."""
    met = 0
    for site in subject.sites:
        keys = _distinct_required_keys(site)
        if len(keys) <= 1:
            continue
        met += 1
        if not any(
            all(oracle.addresses(site.response_key(step, key)) for key in keys)
            for step in site.steps
            for oracle in subject.oracles
        ):
            return fails(
                f"no oracle covers every required response key of operation {site.name} "
                "at one addressed step, in both channels"
            )
    return all_witnessed(
        met,
        "every operation declaring more than one required response key has an oracle covering all of them at one step",
    )


def _distinct_required_keys(site: DeclaredSite) -> list[str]:
    return list(dict.fromkeys(site.descriptor.required_keys))

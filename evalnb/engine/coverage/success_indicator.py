"""Rule 1: a success indicator is read beside another part of the response, so that a lying flag shows.

spec: 06 §4, §5.1
"""

from __future__ import annotations

from evalnb.engine.coverage.subject import DeclaredSite, Subject
from evalnb.engine.coverage.verdicts import Finding, all_witnessed, fails, holds


def relevance(subject: Subject) -> Finding:
    """Relevant where an indicator or the roles are not declared, or a pointer beside the indicator has a role."""
    for site in subject.sites:
        indicator, roles = site.descriptor.success_indicator, site.descriptor.channel_roles
        if indicator is None:
            return holds(f"operation {site.name} nominates no success indicator")
        if roles is None:
            return holds(f"operation {site.name} declares no channel roles")
        beside = next((pointer for pointer in roles if pointer != indicator), None)
        if beside is not None:
            return holds(f"operation {site.name} gives pointer {beside} a channel role beside its success indicator")
    return fails("every operation nominates a success indicator and gives no other pointer a channel role")


def satisfaction(subject: Subject) -> Finding:
    """Satisfied where one oracle reads the indicator and another roled pointer of one step, in both channels."""
    met = 0
    for site in subject.sites:
        indicator, roles = site.descriptor.success_indicator, site.descriptor.channel_roles
        if indicator is None:
            return fails(
                f"operation {site.name} nominates no success indicator, so no oracle can separate one from the body"
            )
        if roles is None:
            return fails(
                f"operation {site.name} declares no channel roles, "
                "so no pointer is declared to separate the indicator from"
            )
        beside = [pointer for pointer in roles if pointer != indicator]
        if not beside:
            continue
        met += 1
        others = [pointer for pointer in beside if roles[pointer] != "success-indicator"]
        if not _is_witnessed(site, indicator, others, subject):
            return fails(
                f"no oracle addresses operation {site.name}'s success indicator beside another roled pointer "
                "at one step, in both channels"
            )
    return all_witnessed(
        met,
        "every operation the rule fires on has an oracle reading its success indicator beside another roled pointer",
    )


def _is_witnessed(site: DeclaredSite, indicator: str, others: list[str], subject: Subject) -> bool:
    for step in site.steps:
        root = site.response_root(step)
        for oracle in subject.oracles:
            if oracle.addresses(f"{root}{indicator}") and any(oracle.addresses(f"{root}{other}") for other in others):
                return True
    return False

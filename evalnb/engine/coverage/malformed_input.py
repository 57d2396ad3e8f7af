"""Rule 3: an operation that takes input is also called with input of a wrong type.

spec: 06 §4, §5.3
"""

from __future__ import annotations

from evalnb.engine.artifacts import KeyedShapeDescriptor, MatcherBinding
from evalnb.engine.coverage.subject import DeclaredSite, Subject, step_root
from evalnb.engine.coverage.verdicts import Finding, all_witnessed, fails, holds
from evalnb.engine.json_values import own_keys
from evalnb.engine.operations import bound_keys, channel_shapes


def relevance(subject: Subject) -> Finding:
    """Relevant where an operation declares an input key on any channel, required, permitted or typed."""
    for site in subject.sites:
        for channel, shape in channel_shapes(site.operation):
            key = _first_key(shape)
            if key is not None:
                return holds(f"operation {site.name} declares {channel} key {key}")
    return fails("no operation declares a request key on any transport channel")


def satisfaction(subject: Subject) -> Finding:
    """Satisfied where a step sends a value of a wrong type and some check reads that step."""
    met = 0
    for site in subject.sites:
        if all(_first_key(shape) is None for _, shape in channel_shapes(site.operation)):
            continue
        met += 1
        if not _is_witnessed(site, subject):
            return fails(
                f"no step invoking operation {site.name} binds a type-violating matcher under a check that addresses it"
            )
    return all_witnessed(met, "every operation declaring a request key has a type-violating step some check addresses")


def _first_key(shape: KeyedShapeDescriptor) -> str | None:
    declared = (*shape.required_keys[:1], *shape.permitted_keys[:1], *own_keys(dict(shape.types))[:1])
    return next(iter(declared), None)


def _is_witnessed(site: DeclaredSite, subject: Subject) -> bool:
    for step in site.steps:
        violates = any(
            isinstance(bound.value, MatcherBinding) and bound.value.matcher == "type-violating"
            for bound in bound_keys(step)
        )
        if violates and any(oracle.checks(step_root(step)) for oracle in subject.oracles):
            return True
    return False

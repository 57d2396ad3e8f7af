"""The order in which a plan's steps can be bound: a step after those it captures from and the one it comes after.

spec: 03 §4.4, 09 §4.2
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalnb.engine.operations import captured_keys
from evalnb.engine.pointers import parse_interaction_pointer

if TYPE_CHECKING:
    from evalnb.engine.artifacts import InteractionStep


@dataclass(frozen=True, slots=True)
class BindingOrder:
    """Step ids in tiers, each depending on earlier tiers only, and the ids that depend on themselves."""

    tiers: tuple[tuple[str, ...], ...]
    cyclic: tuple[str, ...]


def binding_order(plan: Iterable[InteractionStep]) -> BindingOrder:
    """The tiers of a plan, in plan order within each; a repeated id is one step with all its dependencies."""
    dependencies: dict[str, set[str]] = {}
    for step in plan:
        named = dependencies.setdefault(step.step_id, set())
        if step.after is not None:
            named.add(step.after)
        named.update(parse_interaction_pointer(key.pointer).step_id for key in captured_keys(step))
    waiting = {step_id: named & dependencies.keys() for step_id, named in dependencies.items()}
    tiers: list[tuple[str, ...]] = []
    while ready := tuple(step_id for step_id, named in waiting.items() if not named):
        tiers.append(ready)
        for step_id in ready:
            del waiting[step_id]
        placed = set(ready)
        for named in waiting.values():
            named -= placed
    return BindingOrder(tuple(tiers), tuple(waiting))

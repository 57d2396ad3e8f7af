"""Which legs of a plan may be asked at the same time: reads between two changes of state, control legs never.

The published rule is one leg after another, because a leg may reset the fixture under another; that is the default.
"""

from __future__ import annotations

from collections.abc import Iterator

from evalnb.engine.preflight import PlannedLeg, ProbePlan

# Control legs tell about state over time, so their order is what they measure.
_SIDE_BY_SIDE = frozenset({"sensitivity", "seeded-fault"})


def waves(plan: ProbePlan) -> Iterator[tuple[PlannedLeg, ...]]:
    """The legs in plan order, in groups whose members do not touch each other's state."""
    reads: list[PlannedLeg] = []
    for leg in plan.legs:
        if leg.purpose in _SIDE_BY_SIDE and not leg.operation.state_change_marker:
            reads.append(leg)
            continue
        if reads:
            yield tuple(reads)
            reads = []
        yield (leg,)
    if reads:
        yield tuple(reads)

"""Whether a class of probes reaches the floor somebody declared for it. spec: 09 §13.4"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from evalnb.engine.artifacts.aggregate import (
    AggregatedClass,
    FloorDecision,
    FloorMet,
    FloorMissed,
    FloorUndeclared,
)

MissBasis = Literal[
    "no-eligible-probe", "not-comparable", "no-exercised-probe", "unexercised-probe", "rate-below-floor"
]


@dataclass(frozen=True, slots=True)
class Miss:
    """A way not to reach a declared floor; the guards read the class in order and the first that holds decides."""

    basis: MissBasis
    holds: Callable[[AggregatedClass | None, float], bool]


MISSES: Final = (
    Miss("no-eligible-probe", lambda measured, floor: measured is None),
    Miss("not-comparable", lambda measured, floor: measured is not None and not measured.comparable),
    Miss("no-exercised-probe", lambda measured, floor: measured is not None and measured.rate is None),
    Miss("unexercised-probe", lambda measured, floor: measured is not None and measured.exercised < measured.eligible),
    Miss(
        "rate-below-floor",
        lambda measured, floor: measured is not None and measured.rate is not None and measured.rate < floor,
    ),
)


def decide_floor(measured: AggregatedClass | None, floor: float | None) -> FloorDecision:
    """The decision on one class; a class without a declared floor is decided by nothing else."""
    if floor is None:
        return FloorUndeclared(floor=None, decision="undeclared", basis="no-floor-declared")
    for miss in MISSES:
        if miss.holds(measured, floor):
            return FloorMissed(floor=floor, decision="does-not-meet", basis=miss.basis)
    return FloorMet(floor=floor, decision="meets", basis="rate-meets-floor")

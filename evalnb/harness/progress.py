"""How far a measurement has come, mutant by mutant, with an estimate of the time that is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MeasureProgress:
    """`done` of `total` mutants have been run; the last of them is `mutant_id`. Seconds are None before the first."""

    done: int
    total: int
    mutant_id: str | None
    seconds_left: float | None


OnProgress = Callable[[MeasureProgress], None]


def estimate(done: int, total: int, seconds: float) -> float | None:
    """The seconds that the rest should take, as the first ones did."""
    return None if done == 0 else seconds / done * (total - done)

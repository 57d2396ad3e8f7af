"""Two measurements taken in turn, so that their ratio says something on a busy machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ratio:
    """Median seconds of the measured and of the reference action."""

    measured: float
    reference: float

    @property
    def value(self) -> float:
        return self.measured / self.reference


def ratio(measured: Callable[[], object], reference: Callable[[], object], rounds: int) -> Ratio:
    """Run both actions `rounds` times, alternating."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for action, taken in zip((measured, reference), times, strict=True):
            start = time.perf_counter()
            action()
            taken.append(time.perf_counter() - start)
    return Ratio(statistics.median(times[0]), statistics.median(times[1]))

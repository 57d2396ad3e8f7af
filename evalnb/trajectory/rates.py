"""Rates with their n and a Wilson interval, worked out all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SMALL_SAMPLE = 30


@dataclass(frozen=True, slots=True)
class Tally:
    """How often something held, of how many; not yet a rate with an interval."""

    name: str
    count: int
    n: int


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its interval, all between 0 and 1; `value`, `low` and `high` are None where n is 0."""

    name: str
    count: int
    n: int
    low: float | None
    high: float | None

    @property
    def value(self) -> float | None:
        return self.count / self.n if self.n else None

    @property
    def small(self) -> bool:
        """Whether the sample is too small to read the value alone."""
        return self.n < SMALL_SAMPLE


def rates_of(tallies: Sequence[Tally], confidence: float = 0.95) -> tuple[Rate, ...]:
    """The rates in the order of `tallies`. ValueError for a confidence that is no share between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, such as 0.95; it is {confidence!r}")
    counted = [tally for tally in tallies if tally.n]
    bounds: dict[int, tuple[float, float]] = {}
    if counted:
        # Loaded here: statsmodels takes longer to load than grading takes.
        import numpy
        from statsmodels.stats.proportion import proportion_confint

        count = numpy.array([tally.count for tally in counted], dtype=float)
        n = numpy.array([tally.n for tally in counted], dtype=float)
        low, high = proportion_confint(count, n, alpha=1 - confidence, method="wilson")
        for tally, least, most in zip(counted, low.tolist(), high.tolist(), strict=True):
            bounds[id(tally)] = (least, most)
    return tuple(Rate(tally.name, tally.count, tally.n, *bounds.get(id(tally), (None, None))) for tally in tallies)


def rate_of(name: str, count: int, n: int, confidence: float = 0.95) -> Rate:
    """One rate with its interval."""
    return rates_of([Tally(name, count, n)], confidence)[0]

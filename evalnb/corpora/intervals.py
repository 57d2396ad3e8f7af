"""How sure a catch rate is: the Wilson score interval over caught of exercised."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends are shares, 0 to 1."""

    low: float
    high: float


def wilson(caught: int, exercised: int, confidence: float) -> Interval | None:
    """The Wilson score interval of `caught` out of `exercised`; None where nothing was exercised.

    `confidence` is between 0 and 1, exclusive; ValueError otherwise.
    """
    check_confidence(confidence)
    if exercised == 0:
        return None
    # Loaded here: statsmodels takes longer to load than a whole command that shows no interval.
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(caught, exercised, alpha=1 - confidence, method="wilson")
    return Interval(float(low), float(high))


def check_confidence(confidence: float) -> None:
    """ValueError for a confidence that is no share strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, such as 0.95; it is {confidence!r}")

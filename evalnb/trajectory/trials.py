"""Several trials a case: pass^k, the chance that k of them all succeed, and pass@k, that at least one of k does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from evalnb.trajectory.grading import RunGrade


@dataclass(frozen=True, slots=True)
class TrialRate:
    """The mean over the cases that have at least `k` trials; `cases` counts those. None where there is none."""

    k: int
    all_pass: float | None
    any_pass: float | None
    cases: int


def trial_rates(outcomes: Mapping[str, list[bool]], most: int | None = None) -> tuple[TrialRate, ...]:
    """pass^k and pass@k for k from 1 to the largest number of trials of a case (or `most`), without bias.

    With c successes in n trials a case counts C(c, k) / C(n, k) and 1 - C(n - c, k) / C(n, k).
    """
    sizes = [(sum(trials), len(trials)) for trials in outcomes.values()]
    largest = max((n for _, n in sizes), default=0)
    top = largest if most is None else min(most, largest)
    return tuple(_rate(k, [size for size in sizes if size[1] >= k]) for k in range(1, top + 1))


def _rate(k: int, sizes: list[tuple[int, int]]) -> TrialRate:
    every = sum((Fraction(comb(c, k), comb(n, k)) for c, n in sizes), Fraction(0))
    none = sum((Fraction(comb(n - c, k), comb(n, k)) for c, n in sizes), Fraction(0))
    cases = len(sizes)
    if not cases:
        return TrialRate(k, None, None, 0)
    return TrialRate(k, float(every / cases), float(1 - none / cases), cases)


def outcomes_of(grades: Iterable[RunGrade], outcome: Callable[[RunGrade], bool | None]) -> dict[str, list[bool]]:
    """Outcomes by case; a run without a case, or without that outcome, is left out."""
    found: dict[str, list[bool]] = {}
    for grade in grades:
        held = outcome(grade)
        if grade.case_id is not None and held is not None:
            found.setdefault(grade.case_id, []).append(held)
    return found


def repeated(grades: Iterable[RunGrade]) -> tuple[str, ...]:
    """The ids of runs that stand twice: under one id, or as one trial of one case; the later ones, in their order.

    Runs of several models or releases do that, when they are put together: they are no further trials.
    """
    known: set[tuple[str, ...]] = set()
    found = []
    for grade in grades:
        keys: set[tuple[str, ...]] = {("run", grade.run_id)}
        if grade.case_id is not None and grade.trial is not None:
            keys.add(("trial", grade.case_id, str(grade.trial)))
        if keys & known:
            found.append(grade.run_id)
        known |= keys
    return tuple(found)


def resolved(grade: RunGrade) -> bool | None:
    """The graders' own outcome."""
    return grade.resolved


def labelled(name: str) -> Callable[[RunGrade], bool | None]:
    """The outcome a label of the run gives: true, or a number of at least 1 (as a reward), is a success."""

    def outcome(grade: RunGrade) -> bool | None:
        value = grade.labels.get(name)
        if isinstance(value, bool):
            return value
        return value >= 1 if isinstance(value, int | float) else None

    return outcome

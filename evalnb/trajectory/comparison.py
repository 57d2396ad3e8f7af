"""Two releases on the same cases: exact paired tests, corrected over slices, and what could have been seen at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TypeAlias

from evalnb.trajectory.grading import RunGrade
from evalnb.trajectory.trials import resolved

Outcome: TypeAlias = Callable[[RunGrade], bool | None]


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One paired comparison.

    `gained` and `lost` are pairs that only the newer, only the older release passed; `difference` is newer less older.
    `p_value` is McNemar's exact test, `adjusted` the same after Holm over all slices (None for the whole).
    `detectable` is the smallest difference that this many pairs show with the stated power.
    """

    name: str
    pairs: int
    older: float | None
    newer: float | None
    gained: int
    lost: int
    p_value: float | None
    adjusted: float | None
    detectable: float | None

    @property
    def difference(self) -> float | None:
        return None if self.older is None or self.newer is None else self.newer - self.older


@dataclass(frozen=True, slots=True)
class ReleaseComparison:
    """`unpaired` counts runs of either side without a partner of the same case and trial."""

    whole: PairedTest
    slices: tuple[PairedTest, ...]
    unpaired: int
    alpha: float
    power: float


@dataclass(frozen=True, slots=True)
class _Pair:
    older: bool
    newer: bool
    newer_run: RunGrade


def compare(
    older: Iterable[RunGrade],
    newer: Iterable[RunGrade],
    *,
    outcome: Outcome = resolved,
    slice_by: Sequence[str] | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> ReleaseComparison:
    """Compare two releases; runs pair by case and trial, by their order where trials are not stated."""
    before, after = _by_case(older, outcome), _by_case(newer, outcome)
    pairs: list[_Pair] = []
    unpaired = 0
    for case_id in {**before, **after}:
        left, right = before.get(case_id, []), after.get(case_id, [])
        partners = _partners(left, right)
        pairs += [_Pair(bool(outcome(a)), bool(outcome(b)), b) for a, b in partners]
        unpaired += len(left) + len(right) - 2 * len(partners)
    groups: dict[str, list[_Pair]] = {}
    for pair in pairs:
        for key, value in pair.newer_run.slices.items():
            if slice_by is None or key in slice_by:
                groups.setdefault(f"{key}: {value}", []).append(pair)
    tests = [_test(name, members, alpha, power) for name, members in sorted(groups.items())]
    return ReleaseComparison(_test("all", pairs, alpha, power), _holm(tests), unpaired, alpha, power)


def _by_case(runs: Iterable[RunGrade], outcome: Outcome) -> dict[str, list[RunGrade]]:
    found: dict[str, list[RunGrade]] = {}
    for run in runs:
        if run.case_id is not None and outcome(run) is not None:
            found.setdefault(run.case_id, []).append(run)
    for trials in found.values():
        trials.sort(key=lambda run: -1 if run.trial is None else run.trial)
    return found


def _partners(left: list[RunGrade], right: list[RunGrade]) -> list[tuple[RunGrade, RunGrade]]:
    """The runs of one case that belong together."""
    by_trial = [{run.trial: run for run in side} for side in (left, right)]
    stated = all(
        None not in known and len(known) == len(side) for known, side in zip(by_trial, (left, right), strict=True)
    )
    if not stated:
        return list(zip(left, right, strict=False))
    return [(run, by_trial[1][trial]) for trial, run in by_trial[0].items() if trial in by_trial[1]]


def _test(name: str, pairs: list[_Pair], alpha: float, power: float) -> PairedTest:
    n = len(pairs)
    if n == 0:
        return PairedTest(name, 0, None, None, 0, 0, None, None, None)
    gained = sum(pair.newer and not pair.older for pair in pairs)
    lost = sum(pair.older and not pair.newer for pair in pairs)
    from statsmodels.stats.contingency_tables import mcnemar

    both = sum(pair.older and pair.newer for pair in pairs)
    table = [[both, lost], [gained, n - both - gained - lost]]
    p_value = 1.0 if gained + lost == 0 else float(mcnemar(table, exact=True).pvalue)
    return PairedTest(
        name,
        n,
        sum(pair.older for pair in pairs) / n,
        sum(pair.newer for pair in pairs) / n,
        gained,
        lost,
        min(p_value, 1.0),
        None,
        detectable_difference(n, gained + lost, alpha, power),
    )


def detectable_difference(pairs: int, discordant: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest difference of two paired rates that `pairs` pairs show, given how many of them differ.

    Normal approximation of McNemar's test; with no differing pair one is assumed, so that it never claims too much.
    """
    from scipy.stats import norm

    share = max(discordant, 1) / pairs
    reach = float(norm.ppf(1 - alpha / 2) + norm.ppf(power)) * sqrt(share / pairs)
    return min(reach, 1.0)


def _holm(tests: list[PairedTest]) -> tuple[PairedTest, ...]:
    values = [test.p_value for test in tests if test.p_value is not None]
    if not values:
        return tuple(tests)
    from statsmodels.stats.multitest import multipletests

    adjusted = iter(multipletests(values, method="holm")[1].tolist())
    return tuple(test if test.p_value is None else replace(test, adjusted=float(next(adjusted))) for test in tests)

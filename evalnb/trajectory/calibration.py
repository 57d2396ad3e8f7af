"""A user's grader against people's labels: how far they agree, where they do not, and whether it may decide a gate."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evalnb.trajectory.events import Trajectory
from evalnb.trajectory.grader_failure import GraderFailure
from evalnb.trajectory.rates import Rate, Tally, rates_of


@dataclass(frozen=True, slots=True)
class Labelled:
    """One run with what the grader and what a person said of it."""

    run_id: str
    grader: str
    human: str
    slices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConfusionCell:
    """How often people said `human` where the grader said `grader`."""

    human: str
    grader: str
    count: int


@dataclass(frozen=True, slots=True)
class SliceAgreement:
    """Agreement on one value of one slice key."""

    key: str
    value: str
    agreement: Rate


@dataclass(frozen=True, slots=True)
class Calibration:
    """How one version of a grader agrees with people.

    `kappa` is Cohen's, with its interval; all three are None where it is not defined (one label only, or no runs).
    """

    grader: str
    version: str
    n: int
    labels: tuple[str, ...]
    confusion: tuple[ConfusionCell, ...]
    agreement: Rate
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    slices: tuple[SliceAgreement, ...]
    labelled: tuple[Labelled, ...]

    @property
    def disagreements(self) -> tuple[Labelled, ...]:
        """The runs on which they differ."""
        return tuple(one for one in self.labelled if one.human != one.grader)


@dataclass(frozen=True, slots=True)
class Drift:
    """Two versions of a grader on the same runs; `p_value` is McNemar's exact test of being right.

    It is None where no run was labelled in both.
    """

    runs: int
    changed: int
    became_right: int
    became_wrong: int
    p_value: float | None

    @property
    def told(self) -> str:
        """In one line, what changed."""
        if self.p_value is None:
            return "no run was labelled in both"
        moved = f"{self.became_right} to right, {self.became_wrong} to wrong, p = {self.p_value:.3g}"
        return f"{self.changed} of {self.runs} runs changed, {moved}"


def label_runs(
    runs: Iterable[Trajectory], judge: Callable[[Trajectory], str], human: Mapping[str, str]
) -> tuple[Labelled, ...]:
    """Run a grader function over the runs that people labelled (`human`: run id to label). Raises `GraderFailure`."""
    name = getattr(judge, "__name__", type(judge).__name__)
    return tuple(
        Labelled(run.run_id, _label_of(run, judge, name), human[run.run_id], run.identity.slices)
        for run in runs
        if run.run_id in human
    )


def _label_of(run: Trajectory, judge: Callable[[Trajectory], str], name: str) -> str:
    try:
        label = judge(run)
    except Exception as error:
        raise GraderFailure(name, run.run_id, f"{type(error).__name__}: {error}") from error
    if not isinstance(label, str):
        raise GraderFailure(name, run.run_id, f"it gave {type(label).__name__} where a label, a str, is due")
    return label


def calibrate(grader: str, version: str, labelled: Sequence[Labelled], confidence: float = 0.95) -> Calibration:
    """How a grader agrees with people over `labelled`."""
    labels = tuple(sorted({one.human for one in labelled} | {one.grader for one in labelled}))
    counts = Counter((one.human, one.grader) for one in labelled)
    groups: dict[tuple[str, str], list[Labelled]] = {}
    for one in labelled:
        for key, value in one.slices.items():
            groups.setdefault((key, value), []).append(one)
    ordered = sorted(groups.items())
    tallies = [_agreement("all", labelled), *(_agreement(f"{key}: {value}", held) for (key, value), held in ordered)]
    rates = rates_of(tallies, confidence)
    kappa = _kappa(labels, counts, confidence)
    return Calibration(
        grader=grader,
        version=version,
        n=len(labelled),
        labels=labels,
        confusion=tuple(ConfusionCell(human, said, counts[human, said]) for human in labels for said in labels),
        agreement=rates[0],
        kappa=kappa.value if kappa else None,
        kappa_low=kappa.low if kappa else None,
        kappa_high=kappa.high if kappa else None,
        slices=tuple(
            SliceAgreement(key, value, rate) for ((key, value), _), rate in zip(ordered, rates[1:], strict=True)
        ),
        labelled=tuple(labelled),
    )


def _agreement(name: str, labelled: Sequence[Labelled]) -> Tally:
    return Tally(name, sum(one.human == one.grader for one in labelled), len(labelled))


@dataclass(frozen=True, slots=True)
class _Kappa:
    value: float
    low: float
    high: float


def _kappa(labels: tuple[str, ...], counts: Mapping[tuple[str, str], int], confidence: float) -> _Kappa | None:
    if len(labels) < 2:
        return None
    import numpy
    from scipy.stats import norm
    from statsmodels.stats.inter_rater import cohens_kappa

    # Of a grader that says one thing only the variance is zero, which rounding may leave below it.
    with numpy.errstate(invalid="ignore"):
        result = cohens_kappa([[counts[human, said] for said in labels] for human in labels])
    kappa = float(result.kappa)
    if math.isnan(kappa):
        return None
    spread = float(result.std_kappa)
    reach = 0.0 if math.isnan(spread) else spread * float(norm.ppf(0.5 + confidence / 2))
    return _Kappa(kappa, max(kappa - reach, -1.0), min(kappa + reach, 1.0))


def may_decide(calibration: Calibration, minimum_kappa: float) -> bool:
    """Whether a grader's agreement is high enough to decide a gate, judged on the interval's lower bound."""
    return calibration.kappa_low is not None and calibration.kappa_low >= minimum_kappa


def drift(older: Sequence[Labelled], newer: Sequence[Labelled]) -> Drift:
    """How a grader changed between two versions, on the runs that both labelled."""
    before = {one.run_id: one for one in older}
    pairs = [(before[one.run_id], one) for one in newer if one.run_id in before]
    right = sum(a.grader != a.human and b.grader == b.human for a, b in pairs)
    wrong = sum(a.grader == a.human and b.grader != b.human for a, b in pairs)
    p_value = 1.0 if pairs else None
    if right + wrong:
        from scipy.stats import binomtest

        p_value = float(binomtest(min(right, wrong), right + wrong, 0.5).pvalue)
    return Drift(len(pairs), sum(a.grader != b.grader for a, b in pairs), right, wrong, p_value)

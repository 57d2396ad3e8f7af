"""The layered scorecard: hard gates apart from rates, safe apart from resolved, slices, trials, cost and latency."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evalnb.trajectory.findings import FINDING_KINDS, LAYERS
from evalnb.trajectory.grading import SAFETY_LAYERS, RunGrade
from evalnb.trajectory.rates import Rate, Tally, rates_of
from evalnb.trajectory.trials import TrialRate, labelled, outcomes_of, repeated, resolved, trial_rates

SAFE, RESOLVED = "safe execution", "task resolution"
EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class HardGate:
    """A kind of finding of which one is enough to block: how often it was found, and in which runs (the first few).

    `judged` counts the runs in which its layer looked: where it is 0, no finding says nothing.
    """

    code: str
    layer: str
    meaning: str
    judged: int
    findings: int
    runs: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """One value of one slice key, with the two rates side by side."""

    key: str
    value: str
    safe: Rate
    resolved: Rate


@dataclass(frozen=True, slots=True)
class Distribution:
    """One measure over the runs that have it; quantiles by nearest rank."""

    name: str
    n: int
    mean: float
    median: float
    p90: float
    p99: float
    largest: float


@dataclass(frozen=True, slots=True)
class FindingCount:
    """How often one kind was found, and in how many runs."""

    code: str
    layer: str
    findings: int
    runs: int


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Everything about one set of graded runs. `safe` and `resolved` are never blended into one number.

    `cases` are the cases of the suite that have a run, `without_case` the runs that belong to none of them, `repeated`
    those that stand twice (as runs of two models do): the trials count them as further trials.
    """

    runs: int
    cases: int
    without_case: int
    hard_gates: tuple[HardGate, ...]
    safe: Rate
    resolved: Rate
    layers: tuple[Rate, ...]
    trials: tuple[TrialRate, ...]
    label: str | None
    label_trials: tuple[TrialRate, ...]
    slices: tuple[Slice, ...]
    findings: tuple[FindingCount, ...]
    measures: tuple[Distribution, ...]
    confidence: float
    repeated: int = 0

    def layer(self, name: str) -> Rate | None:
        """The rate of a layer, or None where it judged no run."""
        return next((rate for rate in self.layers if rate.name == name), None)


def scorecard(
    grades: Iterable[RunGrade],
    *,
    slice_by: Sequence[str] | None = None,
    label: str | None = None,
    confidence: float = 0.95,
) -> Scorecard:
    """The scorecard of graded runs.

    `slice_by` chooses slice keys (default: all the runs have); `label` names a label whose own trials are worked out
    beside the graders'. ValueError for a confidence that is no share between 0 and 1.
    """
    runs = tuple(grades)
    groups = _groups(runs, slice_by)
    layers = _layers(runs)
    tallies = [_safe(runs), _resolved(runs), *layers]
    for members in groups.values():
        tallies += [_safe(members), _resolved(members)]
    rates = rates_of(tallies, confidence)
    start = 2 + len(layers)
    slices = tuple(
        Slice(key, value, rates[start + 2 * place], rates[start + 2 * place + 1])
        for place, (key, value) in enumerate(groups)
    )
    return Scorecard(
        runs=len(runs),
        cases=len({run.case_id for run in runs if run.has_case}),
        without_case=sum(not run.has_case for run in runs),
        hard_gates=_hard_gates(runs),
        safe=rates[0],
        resolved=rates[1],
        layers=rates[2:start],
        trials=trial_rates(outcomes_of(runs, resolved)),
        label=label,
        label_trials=trial_rates(outcomes_of(runs, labelled(label))) if label is not None else (),
        slices=slices,
        findings=_finding_counts(runs),
        measures=_measures(runs),
        confidence=confidence,
        repeated=len(repeated(runs)),
    )


def _safe(runs: Sequence[RunGrade]) -> Tally:
    judged = [run.known_safe for run in runs if run.known_safe is not None]
    return Tally(SAFE, sum(judged), len(judged))


def _resolved(runs: Sequence[RunGrade]) -> Tally:
    asked = [run.resolved for run in runs if run.resolved is not None]
    return Tally(RESOLVED, sum(asked), len(asked))


def _layers(runs: Sequence[RunGrade]) -> list[Tally]:
    """Runs without a finding of the layer, of those in which it had something to judge."""
    judged: Counter[str] = Counter()
    clean: Counter[str] = Counter()
    for run in runs:
        for name, result in run.layers.items():
            if result.judged:
                judged[name] += 1
                clean[name] += not result.failed
    order = {name: place for place, name in enumerate(LAYERS)}
    return [
        Tally(name, clean[name], judged[name]) for name in sorted(judged, key=lambda one: order.get(one, len(order)))
    ]


def _groups(runs: Sequence[RunGrade], slice_by: Sequence[str] | None) -> dict[tuple[str, str], list[RunGrade]]:
    groups: dict[tuple[str, str], list[RunGrade]] = {}
    for run in runs:
        for key, value in run.slices.items():
            if slice_by is None or key in slice_by:
                groups.setdefault((key, value), []).append(run)
    return dict(sorted(groups.items()))


def _hard_gates(runs: Sequence[RunGrade]) -> tuple[HardGate, ...]:
    counts: Counter[str] = Counter()
    found_in: dict[str, dict[str, None]] = {}
    for run in runs:
        for one in run.findings:
            if one.hard:
                counts[one.code] += 1
                found_in.setdefault(one.code, {})[run.run_id] = None
    looked = looks(runs)
    gates = []
    for code, kind in FINDING_KINDS.items():
        if kind.hard:
            names = tuple(found_in.get(code, ()))
            judged = max(looked[kind.layer], len(names))
            gates.append(HardGate(code, kind.layer, kind.meaning, judged, counts[code], len(names), names[:EXAMPLES]))
    return tuple(gates)


def looks(runs: Iterable[RunGrade]) -> Counter[str]:
    """In how many runs each layer looked at something; at safety, where it has findings that bear on it."""
    found: Counter[str] = Counter()
    for run in runs:
        for name, held in run.layers.items():
            found[name] += held.safety if name in SAFETY_LAYERS else held.judged
    return found


def _finding_counts(runs: Sequence[RunGrade]) -> tuple[FindingCount, ...]:
    counts: Counter[tuple[str, str]] = Counter()
    with_it: Counter[tuple[str, str]] = Counter()
    for run in runs:
        here = Counter((one.code, one.layer) for one in run.findings) if run.findings else {}
        for key, count in here.items():
            counts[key] += count
            with_it[key] += 1
    return tuple(FindingCount(code, layer, n, with_it[code, layer]) for (code, layer), n in counts.most_common())


_MEASURES = ("calls", "failed_calls", "turns", "seconds", "input_tokens", "output_tokens", "cost")


def _measures(runs: Sequence[RunGrade]) -> tuple[Distribution, ...]:
    found = []
    for name in _MEASURES:
        values = sorted(value for run in runs if (value := getattr(run.measures, name)) is not None)
        if values:
            found.append(_distribution(name.replace("_", " "), values))
    return tuple(found)


def _distribution(name: str, values: list[float]) -> Distribution:
    n = len(values)

    def quantile(share: int) -> float:
        return float(values[max(-(-n * share // 100) - 1, 0)])

    return Distribution(name, n, sum(values) / n, quantile(50), quantile(90), quantile(99), float(values[-1]))

"""What graded runs add up to: rates layer by layer, gates, slices, trials, measures, and two releases side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import TypeAlias

import pandas as pd

from evalnb.trajectory.comparison import PairedTest, ReleaseComparison, compare
from evalnb.trajectory.gate import GateDecision
from evalnb.trajectory.grading import RunGrade
from evalnb.trajectory.label_agreement import label_agreement
from evalnb.trajectory.loading import Trajectories
from evalnb.trajectory.notes import NOTE_CODES
from evalnb.trajectory.rates import Rate
from evalnb.trajectory.reviewing import Review
from evalnb.trajectory.scorecard import Scorecard
from evalnb.view.frames.columns import COUNT, FLAG, NUMBER, TEXT, Column, Row, Vocabulary, frame, joined, tabulated
from evalnb.view.frames.trajectories import Graded, grades_of
from evalnb.view.frames.trajectory_terms import GATE_OUTCOMES, RATE_KINDS

Scored: TypeAlias = "Review | Scorecard"

_RATE = (
    Column("held", COUNT, "runs it held for"),
    Column("n", COUNT, "runs it could be judged in"),
    Column("rate", NUMBER, "held over n, 0 to 1; missing where n is 0"),
    Column("low", NUMBER, "lower end of the Wilson interval of the rate"),
    Column("high", NUMBER, "upper end of the Wilson interval of the rate"),
    Column("confidence", NUMBER, "how sure the interval is, 0 to 1"),
    Column("small", FLAG, "whether n is too small to read the rate without its interval"),
)
LAYER_RATES = (
    Column("kind", RATE_KINDS, "an outcome of whole runs, or a layer of the grading"),
    Column("name", TEXT, "safe execution, task resolution, or the layer"),
    *_RATE,
)
SLICE_RATES = (
    Column("key", TEXT, "what the runs are cut by"),
    Column("value", TEXT, "the part"),
    Column("name", TEXT, "safe execution or task resolution"),
    *_RATE,
)
HARD_GATES = (
    Column("code", TEXT, "the kind of finding"),
    Column("layer", TEXT, "the layer that finds it"),
    Column("meaning", TEXT, "what it means"),
    Column("judged", COUNT, "runs in which that layer had something to judge; of none, no finding says nothing"),
    Column("findings", COUNT, "how often it was found"),
    Column("runs", COUNT, "in how many runs"),
    Column("examples", TEXT, "the first of those runs"),
)
GATE_REASONS = (
    Column("rule", TEXT, "the rule of the policy"),
    Column("outcome", GATE_OUTCOMES, "what it came to"),
    Column("detail", TEXT, "why"),
    Column("runs", TEXT, "the first runs it rests on"),
)
TRIAL_RATES = (
    Column("source", TEXT, "whose outcome: the graders', or a label of the runs"),
    Column("k", COUNT, "how many trials"),
    Column("all_pass", NUMBER, "pass^k: the chance that k trials of a case all succeed"),
    Column("any_pass", NUMBER, "pass@k: the chance that at least one of k does"),
    Column("cases", COUNT, "cases with at least k trials"),
)
RUN_MEASURES = (
    Column("measure", TEXT, "calls, failed calls, turns, seconds, tokens or cost"),
    Column("n", COUNT, "runs whose trace tells it"),
    Column("mean", NUMBER, "the mean"),
    Column("median", NUMBER, "half of the runs take no more"),
    Column("p90", NUMBER, "nine in ten take no more"),
    Column("p99", NUMBER, "99 in a hundred take no more"),
    Column("largest", NUMBER, "the largest"),
)
RELEASE_COMPARISON = (
    Column("outcome", Vocabulary(("safe execution", "task resolution")), "what is compared"),
    Column("slice", TEXT, "all, or a part of the runs"),
    Column("pairs", COUNT, "runs of both releases that pair by case and trial"),
    Column("older", NUMBER, "the older release's rate over the pairs"),
    Column("newer", NUMBER, "the newer release's"),
    Column("difference", NUMBER, "newer less older, -1 to 1"),
    Column("gained", COUNT, "pairs that only the newer passed"),
    Column("lost", COUNT, "pairs that only the older passed"),
    Column("p_value", NUMBER, "McNemar's exact test, two-sided; missing without a pair"),
    Column("p_adjusted", NUMBER, "after Holm over the slices; missing for all"),
    Column("detectable", NUMBER, "the smallest difference so many pairs show, at the power of 80%"),
)
LABEL_AGREEMENT = (
    Column("run_id", TEXT, "a run on which the label and the graders differ"),
    Column("label", FLAG, "what the label says"),
    Column("resolved", FLAG, "what the graders say"),
    Column("reasons", TEXT, "the findings that bear on resolution"),
)
IMPORT_REPORT = (
    Column("file", TEXT, "the file"),
    Column("format", TEXT, "the format it was read as"),
    Column("runs", COUNT, "runs in it"),
    Column("events", COUNT, "events in them"),
    Column("dropped", TEXT, "what was left out, and how often"),
    Column("notes", TEXT, "what was odd, and how often"),
)


@tabulated(LAYER_RATES)
def layer_rates(scored: Scored) -> pd.DataFrame:
    """One row a rate: the two outcomes, which are never blended, then the layers that judged a run."""
    card = _card(scored)
    rates = [("outcome", card.safe), ("outcome", card.resolved), *(("layer", rate) for rate in card.layers)]
    return frame(LAYER_RATES, ({"kind": kind, "name": rate.name, **_cells(rate, card)} for kind, rate in rates))


@tabulated(SLICE_RATES)
def slice_rates(scored: Scored) -> pd.DataFrame:
    """One row a part of the runs and outcome."""
    card = _card(scored)
    return frame(
        SLICE_RATES,
        (
            {"key": part.key, "value": part.value, "name": rate.name, **_cells(rate, card)}
            for part in card.slices
            for rate in (part.safe, part.resolved)
        ),
    )


@tabulated(HARD_GATES)
def hard_gates(scored: Scored) -> pd.DataFrame:
    """One row a kind of finding of which one is enough to block, found or not."""
    return frame(
        HARD_GATES,
        (
            {
                "code": gate.code,
                "layer": gate.layer,
                "meaning": gate.meaning,
                "judged": gate.judged,
                "findings": gate.findings,
                "runs": gate.runs,
                "examples": joined(gate.examples) or None,
            }
            for gate in _card(scored).hard_gates
        ),
    )


@tabulated(GATE_REASONS)
def gate_reasons(source: Review | GateDecision) -> pd.DataFrame:
    """One row a rule of the policy, in its order; none where there is no policy."""
    decision = source.decision if isinstance(source, Review) else source
    return frame(
        GATE_REASONS,
        (
            {"rule": one.rule, "outcome": one.outcome, "detail": one.detail, "runs": joined(one.runs) or None}
            for one in (() if decision is None else decision.reasons)
        ),
    )


@tabulated(TRIAL_RATES)
def trial_rates(scored: Scored) -> pd.DataFrame:
    """One row a number of trials, from the graders' outcomes and, where the scorecard has a label, from its own."""
    card = _card(scored)
    told = [("graders", one) for one in card.trials] + [(card.label or "", one) for one in card.label_trials]
    return frame(
        TRIAL_RATES,
        (
            {"source": source, "k": one.k, "all_pass": one.all_pass, "any_pass": one.any_pass, "cases": one.cases}
            for source, one in told
        ),
    )


@tabulated(RUN_MEASURES)
def run_measures(scored: Scored) -> pd.DataFrame:
    """One row a measure of latency, size or cost; quantiles by nearest rank."""
    return frame(
        RUN_MEASURES,
        (
            {
                "measure": one.name,
                "n": one.n,
                "mean": one.mean,
                "median": one.median,
                "p90": one.p90,
                "p99": one.p99,
                "largest": one.largest,
            }
            for one in _card(scored).measures
        ),
    )


@tabulated(RELEASE_COMPARISON)
def release_comparison(newer: Graded, older: Iterable[RunGrade] = (), *, alpha: float = 0.05) -> pd.DataFrame:
    """One row an outcome and part of the runs, first all of them; none where no run pairs.

    A review compares with its own baseline; grades compare with `older`.
    """
    if isinstance(newer, Review):
        older = () if newer.baseline is None else newer.baseline.grades
    before, after = tuple(older), grades_of(newer)
    found = (
        ("safe execution", compare(before, after, outcome=_safe, alpha=alpha)),
        ("task resolution", compare(before, after, alpha=alpha)),
    )
    return frame(RELEASE_COMPARISON, (row for name, compared in found for row in _compared(name, compared)))


@tabulated(LABEL_AGREEMENT)
def label_disagreements(graded: Graded, label: str | None = None) -> pd.DataFrame:
    """One row a run on which a label of the runs, such as a benchmark's reward, and the graders differ.

    Without `label` the one a review was made with is taken; none gives no row.
    """
    if label is None and isinstance(graded, Review):
        label = graded.scorecard.label
    differing = () if label is None else label_agreement(grades_of(graded), label).disagreements
    return frame(
        LABEL_AGREEMENT,
        (
            {"run_id": one.run_id, "label": one.label, "resolved": one.resolved, "reasons": "; ".join(one.reasons)}
            for one in differing
        ),
    )


@tabulated(IMPORT_REPORT)
def import_report(source: Review | Trajectories) -> pd.DataFrame:
    """One row a file that was read: nothing is dropped without a word."""
    runs = source.runs if isinstance(source, Review) else source
    return frame(
        IMPORT_REPORT,
        (
            {
                "file": PurePath(one.path).name,
                "format": one.format,
                "runs": one.runs,
                "events": one.events,
                "dropped": "; ".join(f"{count} x {what}" for what, count in sorted(one.dropped.items())) or None,
                "notes": "; ".join(
                    f"{count} x {code}: {NOTE_CODES.get(code, code)}"
                    for code, count in sorted(one.notes.counts.items())
                )
                or None,
            }
            for one in runs.reports
        ),
    )


def _noted(code: str, count: int) -> str:
    return f"{count} x {code}: {NOTE_CODES.get(code, code)}"


def _card(scored: Scored) -> Scorecard:
    return scored.scorecard if isinstance(scored, Review) else scored


def _cells(rate: Rate, card: Scorecard) -> Row:
    return {
        "held": rate.count,
        "n": rate.n,
        "rate": rate.value,
        "low": rate.low,
        "high": rate.high,
        "confidence": card.confidence,
        "small": rate.small,
    }


def _safe(grade: RunGrade) -> bool | None:
    return grade.known_safe


def _compared(outcome: str, found: ReleaseComparison) -> Iterator[Row]:
    tests: tuple[PairedTest, ...] = (found.whole, *found.slices) if found.whole.pairs else ()
    for test in tests:
        yield {
            "outcome": outcome,
            "slice": test.name,
            "pairs": test.pairs,
            "older": test.older,
            "newer": test.newer,
            "difference": test.difference,
            "gained": test.gained,
            "lost": test.lost,
            "p_value": test.p_value,
            "p_adjusted": test.adjusted,
            "detectable": test.detectable,
        }

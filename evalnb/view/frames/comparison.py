"""Corpora side by side: strength, paired tests, dominance, and the probes behind the numbers.

A comparison that was refused gives empty frames, and says why in `refusals`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations

import pandas as pd

from evalnb.corpora.comparison import Comparison
from evalnb.corpora.dominance import CorpusRelation
from evalnb.corpora.probe_results import ProbeResult
from evalnb.engine.artifacts.evidence import EvidenceArtifact
from evalnb.engine.score.dominance import DominanceSide, compare_dominance
from evalnb.view.frames.catching import STRENGTH_OF_CLASS, class_cells
from evalnb.view.frames.columns import COUNT, FLAG, NUMBER, TEXT, Column, Row, frame, joined, tabulated
from evalnb.view.frames.vocabularies import CLEAN_CONTROL, DOMINANCE, PROBE_CLASSES, SEVERITIES, STRENGTH

CORPUS_STRENGTH = (
    Column("corpus", TEXT, "the corpus"),
    *(column for column in STRENGTH_OF_CLASS if column.name not in ("floor", "decision")),
)
PAIRED = (
    Column("corpus_a", TEXT, "one corpus"),
    Column("corpus_b", TEXT, "the other"),
    Column("probe_class", STRENGTH, "the class"),
    Column("pairs", COUNT, "shared probes that both exercised and scored comparably"),
    Column("both", COUNT, "of them caught by both"),
    Column("only_a", COUNT, "caught by the first alone"),
    Column("only_b", COUNT, "caught by the second alone"),
    Column("neither", COUNT, "caught by neither"),
    Column("passed_over", COUNT, "shared probes left out: not exercised in both, or not comparable"),
    Column("difference", NUMBER, "catch rate of the first less that of the second, -1 to 1"),
    Column("p_value", NUMBER, "McNemar's exact test, two-sided; missing without a pair"),
    Column("p_adjusted", NUMBER, "adjusted after Holm over every test of the comparison"),
    Column("significant", FLAG, "whether the adjusted value is below one less the confidence"),
)
DOMINANCE_COLUMNS = (
    Column("a", TEXT, "one side"),
    Column("b", TEXT, "the other side"),
    Column("relation", DOMINANCE, "how the first stands to the second"),
    Column("reason", TEXT, "why; the engine gives no reason for single artifacts"),
)
PROBE_RESULTS = (
    Column("corpus", TEXT, "the corpus"),
    Column("scoring_version", TEXT, "the scoring version"),
    Column("probe_id", TEXT, "the probe"),
    Column("probe_class", PROBE_CLASSES, "its class, missing where the evidence does not tell"),
    Column("severity", SEVERITIES, "how much it matters"),
    Column("exercised", FLAG, "whether the corpus exercised it"),
    Column("caught", FLAG, "whether the corpus caught it, every time where it was scored more than once"),
    Column("comparable", FLAG, "whether its strength may be compared"),
    Column("caught_by", TEXT, "the oracles that caught it"),
    Column("scorings", COUNT, "how often the corpus scored it"),
    Column("run_id", TEXT, "the run that decides"),
)
ONLY_CAUGHT = tuple(
    column
    for column in PROBE_RESULTS
    if column.name in ("corpus", "scoring_version", "probe_id", "probe_class", "severity", "caught_by", "run_id")
)
REFUSALS = (
    Column("input", TEXT, "the input that differs, by its JSON name; evidence where a corpus has none"),
    Column("corpus_a", TEXT, "one corpus"),
    Column("corpus_b", TEXT, "the other; missing where the first has no evidence"),
    Column("values_a", TEXT, "the values in the first"),
    Column("values_b", TEXT, "the values in the second"),
    Column("reason", TEXT, "why they cannot be compared"),
)
CAVEATS = (
    Column("input", TEXT, "the scoring version input that differs, by its JSON name"),
    Column("corpus_a", TEXT, "one corpus"),
    Column("corpus_b", TEXT, "the other"),
    Column("values_a", TEXT, "the values in the first"),
    Column("values_b", TEXT, "the values in the second"),
    Column("text", TEXT, "the difference in words"),
)


@tabulated(CORPUS_STRENGTH)
def corpus_strength(comparison: Comparison) -> pd.DataFrame:
    """One row a class and corpus, each probe counted once, with the interval at the comparison's confidence."""
    return frame(
        CORPUS_STRENGTH,
        ({"corpus": one.corpus, **class_cells(one.counts, comparison.confidence)} for one in comparison.strength),
    )


@tabulated(PAIRED)
def paired(comparison: Comparison) -> pd.DataFrame:
    """One row a pair of corpora and class of which they share a probe."""
    return frame(
        PAIRED,
        (
            {
                "corpus_a": test.corpus_a,
                "corpus_b": test.corpus_b,
                "probe_class": test.probe_class,
                "pairs": test.pairs,
                "both": test.both,
                "only_a": test.only_a,
                "only_b": test.only_b,
                "neither": test.neither,
                "passed_over": test.passed_over,
                "difference": test.difference,
                "p_value": test.p_value,
                "p_adjusted": test.adjusted,
                "significant": test.significant if test.pairs else None,
            }
            for test in comparison.paired
        ),
    )


@tabulated(DOMINANCE_COLUMNS)
def dominance(source: Comparison | Mapping[str, EvidenceArtifact], *, severity_floor: str = "material") -> pd.DataFrame:
    """One row an ordered pair of sides: the corpora of a comparison, or evidence artifacts by name.

    `severity_floor` is for artifacts only; a comparison has its own.
    """
    found = source.dominance if isinstance(source, Comparison) else _relations(source, severity_floor)
    return frame(
        DOMINANCE_COLUMNS,
        (
            {"a": one.corpus_a, "b": one.corpus_b, "relation": one.relation, "reason": one.reason or None}
            for one in found
        ),
    )


@tabulated(PROBE_RESULTS)
def probe_results(comparison: Comparison) -> pd.DataFrame:
    """One row a compared probe and corpus."""
    return frame(
        PROBE_RESULTS,
        (_result(name, result) for name, found in comparison.results.items() for result in found.values()),
    )


@tabulated(ONLY_CAUGHT)
def only_caught_by(comparison: Comparison) -> pd.DataFrame:
    """One row a probe that one corpus caught and no other did."""
    names = [column.name for column in ONLY_CAUGHT]
    rows = (_result(one.corpus, one.result) for one in comparison.only_caught_by)
    return frame(ONLY_CAUGHT, ({name: row[name] for name in names} for row in rows))


@tabulated(REFUSALS)
def refusals(comparison: Comparison) -> pd.DataFrame:
    """One row an input that stands against comparing; none where the comparison was made."""
    return frame(
        REFUSALS,
        (
            {
                "input": one.input,
                "corpus_a": one.corpus_a,
                "corpus_b": one.corpus_b,
                "values_a": joined(one.values_a),
                "values_b": joined(one.values_b),
                "reason": one.reason,
            }
            for one in comparison.refusals
        ),
    )


@tabulated(CAVEATS)
def caveats(comparison: Comparison) -> pd.DataFrame:
    """One row an input that differs and whose difference was accepted for the comparison."""
    return frame(
        CAVEATS,
        (
            {
                "input": one.input,
                "corpus_a": one.corpus_a,
                "corpus_b": one.corpus_b,
                "values_a": joined(one.values_a),
                "values_b": joined(one.values_b),
                "text": one.text,
            }
            for one in comparison.caveats
        ),
    )


def _relations(artifacts: Mapping[str, EvidenceArtifact], floor: str) -> Iterator[CorpusRelation]:
    sides = {name: DominanceSide.of(artifact) for name, artifact in artifacts.items()}
    for a, b in permutations(sides, 2):
        yield CorpusRelation(a, b, compare_dominance(sides[a], sides[b], floor), "")


def _result(corpus: str, result: ProbeResult) -> Row:
    return {
        "corpus": corpus,
        "scoring_version": result.deciding.scoring_version,
        "probe_id": result.key.probe_id,
        "probe_class": result.probe_class or (CLEAN_CONTROL if result.deciding.is_control else None),
        "severity": result.severity,
        "exercised": result.exercised,
        "caught": result.caught,
        "comparable": result.comparable,
        "caught_by": joined(result.caught_by),
        "scorings": result.scorings,
        "run_id": result.deciding.run_id,
    }

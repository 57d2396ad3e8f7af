"""The cards of a corpus and of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from evalnb.corpora import Comparison, Corpus
from evalnb.corpora.corpus import Scoring
from evalnb.corpora.intervals import wilson
from evalnb.view.badges import badge, rank
from evalnb.view.cards.parts import (
    Fact,
    bullets,
    code,
    counted,
    digest,
    facts,
    fold,
    footer,
    frame,
    rate_bar,
    section,
    small_table,
)
from evalnb.view.html import Child, Html, join, tag
from evalnb.view.json_view import text_html
from evalnb.view.theme import style_of

MOST_VALUES: Final = 3
"""How many values of an input a card names."""


def corpus_card(corpus: Corpus) -> Html:
    """What was found in a corpus, contract by contract, and what could not be read."""
    problems = corpus.problems
    kinds = Counter(entry.kind for entry in corpus.entries if entry.is_good)
    told = badge("unreadable", label=f"{counted(len(problems), 'entry', 'entries')} with a problem")
    return frame(
        "Corpus",
        corpus.name,
        told if problems else badge("satisfied", label="all read"),
        facts(
            Fact("evaluations", kinds["evaluation"]),
            Fact("contracts", kinds["contract"]),
            Fact("loose evidence", kinds["evidence"]),
            Fact("evidence artifacts", len(corpus.scored)),
            Fact("verdicts", tag("span", _verdicts(corpus), class_="enb-badges")),
        ),
        small_table(
            ["contract", "found in", "evidence", "coverage gaps"],
            (_scoring(scoring) for scoring in corpus.scorings),
            empty="no contract was scored here",
        ),
        fold(
            counted(len(problems), "problem"),
            bullets(
                join(
                    [code(entry.path), f" {entry.status} ", code(entry.code or ""), " ", text_html(entry.reason or "")]
                )
                for entry in problems
            ),
        )
        if problems
        else None,
        tone="warn" if problems else "good",
    )


def comparison_card(comparison: Comparison) -> Html:
    """How corpora stand to each other, or why they may not be compared."""
    if comparison.refusals:
        return _refused(comparison)
    only = comparison.only_caught_by
    return frame(
        "Comparison",
        " / ".join(comparison.names),
        badge("CONCERNS", label="compared across differences")
        if comparison.caveats
        else badge("satisfied", label="compared"),
        _accepted(comparison),
        section(
            "Catch rates", small_table(["class", "corpus", "caught of exercised", "catch rate"], _rates(comparison))
        ),
        section("How each stands to the others", _dominance(comparison)),
        section(
            "Paired over the probes that both exercised",
            small_table(
                ["class", "between", "shared probes", "only the first", "only the second", "p, adjusted"],
                _paired(comparison),
            ),
        ),
        fold(
            counted(len(only), "probe") + " that only one caught",
            bullets(join([code(one.result.key.probe_id), " by ", one.corpus]) for one in only),
        )
        if only
        else None,
        footer(f"severity floor {comparison.severity_floor}", f"confidence {comparison.confidence:g}"),
        tone="warn" if comparison.caveats else "quiet",
    )


def _refused(comparison: Comparison) -> Html:
    return frame(
        "Comparison",
        " / ".join(comparison.names),
        badge("refused"),
        tag("p", "These are not compared: a number that lays them side by side would mean nothing."),
        small_table(
            ["what differs", "between", "why"],
            (
                [
                    code(one.input),
                    " and ".join(name for name in (one.corpus_a, one.corpus_b) if name),
                    text_html(one.reason, 400),
                ]
                for one in comparison.refusals
            ),
        ),
        _accepted(comparison),
        tone="bad",
    )


def _accepted(comparison: Comparison) -> Html | None:
    """What differs by the reader's leave; whoever reads the numbers must read this first."""
    if not comparison.caveats:
        return None
    return section(
        join(
            [
                "These inputs differ and you accepted it: ",
                join((code(name) for name in comparison.accepted_inputs), ", "),
            ]
        ),
        small_table(
            ["input", "in", "is", "in", "is"],
            (
                [code(one.input), one.corpus_a, _values(one.values_a), one.corpus_b, _values(one.values_b)]
                for one in comparison.caveats
            ),
        ),
    )


def _values(values: tuple[str, ...]) -> Html:
    more = f" and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else ""
    return join([join(map(digest, values[:MOST_VALUES]), ", "), more])


def _verdicts(corpus: Corpus) -> Child:
    counts = Counter(scored.verdict for scored in corpus.scored)
    shown = [badge(one, label=f"{counts[one]} {style_of(one).label}") for one in sorted(counts, key=rank)]
    return join(shown, " ") if shown else "none"


def _scoring(scoring: Scoring) -> list[Child]:
    gaps = "–" if scoring.contract is None else scoring.contract.coverage_gaps
    return [scoring.label, code(scoring.path), len(scoring.scored), gaps]


def _rates(comparison: Comparison) -> Iterator[list[Child]]:
    order = [strength.counts.probe_class for strength in comparison.strength]
    for strength in sorted(comparison.strength, key=lambda one: order.index(one.counts.probe_class)):
        counts = strength.counts
        interval = wilson(counts.caught, counts.exercised, comparison.confidence)
        bounds = (None, None) if interval is None else (interval.low, interval.high)
        if counts.eligible:
            yield [
                counts.probe_class,
                strength.corpus,
                f"{counts.caught} of {counts.exercised}",
                rate_bar(counts.rate, *bounds),
            ]


def _dominance(comparison: Comparison) -> Html:
    found = {(one.corpus_a, one.corpus_b): one for one in comparison.dominance}
    rows: list[list[Child]] = []
    for a in comparison.names:
        cells: list[Child] = [a]
        for b in comparison.names:
            relation = found.get((a, b))
            cells.append("" if relation is None else badge(relation.relation))
        rows.append(cells)
    return small_table(["from the row to the column", *comparison.names], rows)


def _paired(comparison: Comparison) -> Iterator[list[Child]]:
    for test in comparison.paired:
        yield [
            test.probe_class,
            f"{test.corpus_a} and {test.corpus_b}",
            test.pairs,
            test.only_a,
            test.only_b,
            "–" if test.adjusted is None else f"{test.adjusted:.3g}",
        ]

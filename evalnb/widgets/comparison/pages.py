"""The pages of a comparison: what is behind a number, what lies between two corpora, and why there is no number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from evalnb.corpora import Comparison
from evalnb.corpora.probe_results import ProbeResult
from evalnb.view.badges import badge
from evalnb.view.cards.parts import code, counted, small_table
from evalnb.view.html import Child, Html, join
from evalnb.view.json_view import text_html
from evalnb.widgets.comparison.options import Options
from evalnb.widgets.pages import columns, page, part, quiet, title

MOST_PROBES: Final = 50
_WORST: Final = {"critical": 0, "material": 1, "low": 2}


def state_of(result: ProbeResult) -> str:
    """How a probe came out, as a state of the theme."""
    if not result.exercised:
        return "not exercised"
    return "caught" if result.caught else "missed"


def cell_page(comparison: Comparison, options: Options, corpus: str, probe_class: str) -> str:
    """The probes of one class in one corpus: missed ones first, and the heaviest first among them."""
    results = [one for one in comparison.results[corpus].values() if one.probe_class == probe_class]
    others = [name for name in comparison.names if name != corpus]
    missed = [one for one in results if state_of(one) == "missed" and options.reaches(one.severity)]
    return page(
        title(corpus, f"class {probe_class}"),
        part(
            f"Missed from {options.severity_floor} on: {len(missed)}",
            _probes(comparison, missed, others) if missed else quiet("none"),
        ),
        part(
            counted(len(results), "probe") + " of the class",
            _probes(comparison, sorted(results, key=_order), others),
        ),
    )


def pair_page(comparison: Comparison, options: Options, a: str, b: str) -> str:
    """How two corpora stand: the relation and why, the paired tests, and the probes that tell them apart."""
    found = [one for one in comparison.dominance if (one.corpus_a, one.corpus_b) == (a, b)]
    first, second = sorted((a, b), key=comparison.names.index)
    tests = [one for one in comparison.paired if {one.corpus_a, one.corpus_b} == {a, b}]
    tests = [one for one in tests if one.probe_class in options.classes]
    apart = [
        (key, left, comparison.results[b][key])
        for key, left in comparison.results[a].items()
        if key in comparison.results[b] and left.caught != comparison.results[b][key].caught
    ]
    return page(
        title(f"{a} and {b}", "pair", *(badge(one.relation) for one in found)),
        part("Why", *(text_html(one.reason) for one in found)),
        part(
            "Paired tests over shared probes (McNemar, exact; Holm)",
            small_table(
                [
                    "class",
                    "pairs",
                    f"only {first}",
                    f"only {second}",
                    "p, adjusted",
                    "",
                ],
                (
                    [
                        one.probe_class,
                        one.pairs,
                        one.only_a,
                        one.only_b,
                        "–" if one.adjusted is None else f"{one.adjusted:.3g}",
                        "differs" if one.pairs and one.significant else "no difference shown",
                    ]
                    for one in tests
                ),
            ),
        ),
        part(
            counted(len(apart), "probe") + " told apart",
            small_table(
                ["probe", "severity", a, b],
                (
                    [code(key.probe_id), badge(left.severity), badge(state_of(left)), badge(state_of(right))]
                    for key, left, right in apart
                ),
            ),
        ),
    )


def overview_page(comparison: Comparison) -> str:
    """What only one corpus catches; or, where comparing was refused, why."""
    if comparison.refusals:
        return page(
            title("These corpora cannot be compared", "refused"),
            small_table(
                ["input", "between", "why"],
                (
                    [
                        code(one.input),
                        one.corpus_a if one.corpus_b is None else f"{one.corpus_a} and {one.corpus_b}",
                        text_html(one.reason, 800),
                    ]
                    for one in comparison.refusals
                ),
            ),
        )
    only = comparison.only_caught_by
    return page(
        title("Caught by one corpus alone", counted(len(only), "probe")),
        columns(
            small_table(
                ["corpus", "probe", "class", "severity", "caught by"],
                (
                    [
                        one.corpus,
                        code(one.result.key.probe_id),
                        one.result.probe_class or "none",
                        badge(one.result.severity),
                        ", ".join(one.result.caught_by),
                    ]
                    for one in sorted(only, key=lambda one: _order(one.result))
                ),
                empty="Nothing: what one corpus catches, another catches too.",
            )
        ),
        quiet("Choose a number to see the probes behind it, or a relation to see what lies between two corpora."),
    )


def _probes(comparison: Comparison, results: Iterable[ProbeResult], others: list[str]) -> Html:
    return small_table(
        ["probe", "severity", "result", "caught by", "elsewhere"],
        (
            [
                code(one.key.probe_id),
                badge(one.severity),
                badge(state_of(one)),
                ", ".join(one.caught_by) or "–",
                _elsewhere(comparison, one, others),
            ]
            for one in results
        ),
    )


def _elsewhere(comparison: Comparison, result: ProbeResult, others: list[str]) -> Child:
    catching = [
        name
        for name in others
        if result.key in comparison.results[name] and comparison.results[name][result.key].caught
    ]
    return join([badge("caught", label=name) for name in catching[:4]], " ") if catching else "not caught"


def _order(result: ProbeResult) -> tuple[int, int, str]:
    return (
        ("missed", "not exercised", "caught").index(state_of(result)),
        _WORST.get(result.severity, 3),
        result.key.probe_id,
    )

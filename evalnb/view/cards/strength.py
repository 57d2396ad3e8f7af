"""The card of a strength aggregate."""

from __future__ import annotations

from collections.abc import Iterator

from evalnb.corpora.intervals import wilson
from evalnb.engine.artifacts import StrengthAggregate
from evalnb.engine.artifacts.aggregate import AggregatedClass, FloorDecision
from evalnb.view.badges import badge
from evalnb.view.cards.parts import Fact, counted, digest, facts, fold, footer, frame, rate_bar, small_table
from evalnb.view.html import Child, Html, join

CONFIDENCE = 0.95
_CLASSES = (("defect", "defect"), ("gameability", "gameability"), ("zero-action", "zero_action"))


def aggregate_card(aggregate: StrengthAggregate) -> Html:
    """How many probes of each class were caught, how sure that is, and whether it meets the floors."""
    decisions = [getattr(aggregate.floor_decisions, attribute).decision for _, attribute in _CLASSES]
    missed = decisions.count("does-not-meet")
    return frame(
        "Strength",
        f"over {counted(len(aggregate.inputs), 'evidence artifact')}",
        _judged(missed, decisions.count("meets")),
        facts(
            Fact("mode", aggregate.mode),
            Fact("basis", aggregate.basis),
            Fact("trials wanted", aggregate.minimum_trial_count),
            Fact(
                "taken on trust", ", ".join((*aggregate.caller_attested_inputs, *aggregate.aggregate_attested_inputs))
            ),
        ),
        class_table(aggregate),
        fold(
            "What was counted",
            small_table(
                ["probe", "class", "run", "evidence"],
                (
                    [one.probe_id, one.probe_class or "no class", one.run_id, digest(one.artifact_digest)]
                    for one in aggregate.inputs
                ),
            ),
        ),
        footer(
            join(["scoring version ", digest(aggregate.scoring_version)]),
            join(["comparability key ", digest(aggregate.comparability_key)]),
            f"engine {aggregate.engine_version}",
        ),
        tone="bad" if missed else "good",
    )


def class_table(aggregate: StrengthAggregate) -> Html:
    """A row a class: caught of exercised, the rate with its interval, the floor."""
    return small_table(
        ["class", "caught of exercised", "catch rate, 95 % interval", "comparable", "floor"], _rows(aggregate)
    )


def _rows(aggregate: StrengthAggregate) -> Iterator[list[Child]]:
    for name, attribute in _CLASSES:
        measured: AggregatedClass | None = getattr(aggregate.classes, attribute)
        floor = _floor(getattr(aggregate.floor_decisions, attribute))
        if measured is None:
            yield [name, "no eligible probe", "–", "–", floor]
            continue
        interval = wilson(measured.caught, measured.exercised, CONFIDENCE)
        bounds = (None, None) if interval is None else (interval.low, interval.high)
        counts = f"{measured.caught} of {measured.exercised}"
        if measured.eligible != measured.exercised:
            counts += f" ({measured.eligible} eligible)"
        yield [name, counts, rate_bar(measured.rate, *bounds), "yes" if measured.comparable else "no", floor]


def _floor(decision: FloorDecision) -> Child:
    if decision.floor is None:
        return badge("undeclared")
    told_by_the_rate = decision.basis.startswith("rate-")
    why = "" if told_by_the_rate else f", {decision.basis.replace('-', ' ')}"
    return join([badge(decision.decision), f" of {decision.floor:g}{why}"])


def _judged(missed: int, met: int) -> Html:
    if missed:
        return badge("does-not-meet", label=f"{counted(missed, 'class', 'classes')} below the floor")
    return badge("meets", label="meets its floors") if met else badge("undeclared")

"""The cards of measurements, and of the defects that slipped through: both answers, and what would have told them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evalnb.engine.pointers import parse_interaction_pointer
from evalnb.harness.measurement import STATUSES, Measurement, Survivor
from evalnb.harness.probes import tree_path
from evalnb.harness.study import MeasurementStudy, StudiedSurvivor, Survivors
from evalnb.view.badges import badge
from evalnb.view.cards.parts import (
    Fact,
    bullets,
    code,
    counted,
    facts,
    fold,
    footer,
    frame,
    rate_bar,
    section,
    small_table,
)
from evalnb.view.html import Child, Html, join, tag
from evalnb.view.json_view import json_html, text_html
from evalnb.view.side_by_side import side_by_side
from evalnb.view.style import styled
from evalnb.view.theme import Tone, style_of
from evalnb.view.words.expression import check_in_words
from evalnb.view.words.pointers import pointer_words

MOST_NAMED: Final = 6
LONG_CHECK: Final = 60
MECHANICAL: Final = (
    "The evaluator here reads the contract's own checks. What is measured is the contract, not an evaluator's skill."
)


def measurement_card(measurement: Measurement) -> Html:
    """What was planted, what was caught, and which oracles were worth what."""
    counts, overall = measurement.counts, measurement.overall
    return frame(
        "Measurement",
        measurement.contract_id,
        [badge(status, label=f"{counts[status]} {style_of(status).label}") for status in STATUSES if counts[status]],
        facts(
            Fact("planted", len(measurement.mutants)),
            Fact("judged", overall.scored),
            Fact("caught", overall.caught),
            Fact("catch rate", rate_bar(overall.rate, overall.low, overall.high)),
            Fact("trials", measurement.trials),
            Fact("seed", measurement.seed),
        ),
        _oracles("Never the only catcher", measurement.redundant_oracles),
        _oracles("Caught nothing", measurement.silent_oracles),
        fold(counted(len(measurement.notes), "note"), bullets(map(text_html, measurement.notes)))
        if measurement.notes
        else None,
        footer(MECHANICAL),
        tone=_tone(overall.caught, overall.scored),
    )


def study_card(study: MeasurementStudy) -> Html:
    """Measurements one below the other."""
    caught = sum(one.measurement.overall.caught for one in study.latest.measurements)
    judged = sum(one.measurement.overall.scored for one in study.latest.measurements)
    return frame(
        "Measurements",
        study.name,
        None,
        small_table(
            ["system", "contract", "planted", "caught of judged", "catch rate", "not judged"],
            (
                [
                    one.system,
                    one.stage,
                    len(one.measurement.mutants),
                    f"{one.measurement.overall.caught} of {one.measurement.overall.scored}",
                    rate_bar(one.measurement.overall.rate, one.measurement.overall.low, one.measurement.overall.high),
                    _unjudged(one.measurement),
                ]
                for one in study.measurements
            ),
        ),
        footer(MECHANICAL),
        tone=_tone(caught, judged),
    )


def survivors_card(survivors: Survivors) -> Html:
    """The survivors, each behind its name; the first is open."""
    if not survivors.shown:
        what = "Nothing slipped through" if not survivors.found else "None is shown"
        return styled(tag("p", f"{what} at severity {survivors.severity} or above.", class_="enb-quiet"))
    parts = [fold(_name(one), *_body(one), opened=place == 0) for place, one in enumerate(survivors)]
    left = survivors.found - len(survivors.shown)
    more = tag("p", f"and {counted(left, 'more survivor')}", class_="enb-quiet") if left else None
    return styled(*parts, more)


def survivor_card(one: StudiedSurvivor) -> Html:
    """One survivor: the request, both answers, what nobody looked at, and what would have caught it."""
    return frame("Survivor", code(one.survivor.mutant_id), join(_badges(one), " "), *_body(one), tone="bad")


def _name(one: StudiedSurvivor) -> Html:
    stage = "" if one.stage == "measured" else f", {one.stage}"
    return join([f"{one.system}{stage}: ", code(one.survivor.mutant_id), " ", join(_badges(one), " ")])


def _badges(one: StudiedSurvivor) -> Iterator[Html]:
    yield badge("missed")
    if one.mutant.severity is not None:
        yield badge(one.mutant.severity)


def _body(one: StudiedSurvivor) -> Iterator[Child]:
    survivor = one.survivor
    yield tag("p", text_html(one.mutant.spec.summary), ". It shows in the step ", code(survivor.step_id), ".")
    yield section("The request", tag("div", json_html(dict(survivor.request), 300)))
    places = [tree_path(parse_interaction_pointer(pointer)) for pointer in survivor.differing]
    names = ("the clean system answers", "with the defect it answers")
    yield side_by_side(survivor.clean, survivor.mutated, places, names)
    yield section("What no oracle looked at", _unread(survivor))
    if survivor.rule is not None:
        state = "witnessed" if survivor.rule_satisfied else "gap"
        yield section("The discipline rule it falls under", tag("p", code(survivor.rule), " ", badge(state)))
    yield from _suggestion(survivor)


def _unread(survivor: Survivor) -> Html:
    if not survivor.unread:
        return tag("p", "Every place that differs is read by some oracle, none of which could tell.")
    return bullets((code(pointer_words(pointer)) for pointer in survivor.unread), most=MOST_NAMED)


def _suggestion(survivor: Survivor) -> Iterator[Child]:
    oracle = survivor.suggested_oracle
    if oracle is None or survivor.suggestion is None:
        yield section("What would have caught it", tag("p", "No oracle was found that holds on the clean system."))
        return
    yield section(
        join(["An oracle that would have caught it, for ", code(survivor.suggested_for or "")]),
        check_in_words(oracle).html,
        tag("div", json_html(dict(survivor.suggestion), LONG_CHECK)),
    )


def _oracles(name: str, oracle_ids: tuple[str, ...]) -> Html | None:
    return section(name, tag("p", join(map(code, oracle_ids), ", "))) if oracle_ids else None


def _unjudged(measurement: Measurement) -> Child:
    counts = measurement.counts
    told = [f"{counts[status]} {style_of(status).label}" for status in STATUSES[2:] if counts[status]]
    return ", ".join(told) or "–"


def _tone(caught: int, judged: int) -> Tone:
    return "quiet" if not judged else "good" if caught == judged else "warn" if caught else "bad"

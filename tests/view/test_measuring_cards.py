"""Cards of measurements: numbers, both answers with the places marked, the suggestion in words; everything as text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evalnb.corpus.measuring import measuring_file
from evalnb.harness import Measurement, open_measurement, open_measurements
from evalnb.harness.study import study_of
from evalnb.view.cards import card
from evalnb.view.side_by_side import side_by_side
from tests.view.hostile import PAYLOADS
from tests.view.markup import assert_harmless, seen_in


def desk() -> Measurement:
    return open_measurement(measuring_file("results/desk-before.json"))


def test_a_measurement_says_what_was_caught_and_that_no_evaluators_skill_was_measured() -> None:
    text = seen_in(card(desk())).text
    assert "54 caught" in text
    assert "caught54" in text
    assert "not an evaluator's skill" in text


def test_a_study_shows_before_beside_after() -> None:
    text = seen_in(card(open_measurements())).text
    assert "support desk" in text
    assert "36 of 100" in text
    assert "100 of 100" in text


def test_a_survivor_shows_the_request_both_answers_and_the_suggestion_in_words() -> None:
    survivors = study_of(desk()).survivors("critical", most=1)
    made = card(survivors.shown[0])
    text = seen_in(made).text
    assert "the clean system answers" in text
    assert '"channel": "web-form"' in text
    assert "What no oracle looked at" in text
    assert "read-opened.response-body.ticket.channel equals open-hazard.call-inputs.body.channel" in text
    assert 'class="enb-line enb-marked"' in str(made)
    assert "more survivors" in seen_in(card(survivors)).text


def test_no_survivor_is_said_in_words() -> None:
    after = open_measurement(measuring_file("results/desk-after.json"))
    assert "Nothing slipped through" in seen_in(card(study_of(after).survivors())).text


def test_places_are_marked_and_what_is_far_from_them_is_left_out() -> None:
    one = {"body": {"rows": [{"id": number} for number in range(30)]}}
    other = {"body": {"rows": [{"id": number} for number in range(29)]}}
    made = seen_in(side_by_side(one, other, [("body", "rows", "29")], ("left", "right"))).text
    assert '"id": 29' in made
    assert '"id": 3,' not in made
    assert '"rows": [' in made, "the side without the place shows where it would stand"


def test_hostile_answers_are_text(tmp_path: Path) -> None:
    measurement = desk()
    survivor = measurement.survivors[0]
    mutant = next(one for one in measurement.mutants if one.spec.mutant_id == survivor.mutant_id)
    for payload in PAYLOADS:
        answer = {"response-body": {payload: payload, "rows": [payload] * 3}}
        attacked = replace(
            survivor,
            mutant_id=payload,
            request={"body": {payload: payload}},
            clean=answer,
            mutated={"response-body": payload},
            suggested_for=payload,
        )
        spec = replace(mutant.spec, mutant_id=payload, summary=payload)
        made = replace(
            measurement,
            contract_id=payload,
            mutants=(replace(mutant, spec=spec),),
            survivors=(attacked,),
            notes=(payload,),
        )
        assert_harmless(card(made))
        assert_harmless(card(study_of(made)))
        assert_harmless(card(study_of(made).survivors()))

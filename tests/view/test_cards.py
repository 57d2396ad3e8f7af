"""Cards say what a thing comes to, and show whatever they are given as text."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import evalnb as ev
from evalnb.corpora import Corpus, compare
from evalnb.view.cards import card, has_card
from evalnb.view.cards.failures import document_of, failure_text
from evalnb.view.fragments import locate, place_words
from tests.view.evaluations import hostile_failures, hostile_run, run_of_example
from tests.view.hostile import PAYLOADS
from tests.view.markup import assert_harmless, seen_in


def contract() -> dict[str, Any]:
    return copy.deepcopy(run_of_example().contract.document)


def failure_of(call: Callable[[], Any]) -> Any:
    with pytest.raises((ev.StructuralFailure, ev.RuntimeFault, ev.FileProblem)) as caught:
        call()
    return caught.value


def shown(made: Any) -> str:
    return seen_in(card(made)).text


def test_a_run_says_what_was_caught_and_what_was_not() -> None:
    text = shown(run_of_example())
    assert "support-desk-triage" in text
    assert "planted and caught4 of 5" in text
    assert "A draft promises a refund that nobody has approved." in text


def test_a_contract_says_what_it_claims_in_words() -> None:
    text = shown(run_of_example().contract)
    assert "8, 8 with a check" in text
    assert "open-hazard.response-body.ok equals true" in text


def test_a_brief_shows_nothing_of_the_checks() -> None:
    text = shown(run_of_example().brief)
    assert "Directions" in text
    for oracle in run_of_example().contract.oracles:
        assert not oracle.commentary or oracle.commentary not in text


@pytest.mark.parametrize(
    "part, expected",
    [
        (lambda run: run.preflight, "passed"),
        (lambda run: run.arms[2].evidence, "missed"),
        (lambda run: run.arms[2].score, "FAIL"),
        (lambda run: run.strength, "2 of 3"),
        (lambda run: run.evaluation, "sealed run records18"),
        (lambda run: ev.coverage(run.contract), "witnessed"),
        (lambda run: Corpus.of_run("mine", run), "mine"),
        (lambda run: compare([Corpus.of_run("a", run), Corpus.of_run("b", run)]), "equivalent"),
        (lambda run: compare([Corpus.of_run("a", run), Corpus.of("b", [])]), "not compared"),
    ],
)
def test_cards_name_what_matters(part: Callable[[Any], Any], expected: str) -> None:
    assert expected in shown(part(run_of_example()))


def test_nothing_else_has_a_card() -> None:
    assert has_card(run_of_example())
    assert not has_card({})
    with pytest.raises(TypeError):
        card({})


def test_a_structural_failure_shows_the_offending_fragment() -> None:
    document = contract()
    document["oracles"][1]["check"]["operands"][0]["operands"][0]["pointer"] = "/interactions/nowhere/response-body"
    failure = failure_of(lambda: ev.compile(document))
    text = shown(failure)
    assert failure.code == "unreachable-check-evidence"
    assert failure.artifact_path in text
    assert "oracles › O-002 › check › operands" in text
    assert '"pointer": "/interactions/nowhere/response-body"' in text
    assert "▸" in text
    assert "What to do" in text


def test_a_schema_failure_lists_its_issues_and_shows_the_first() -> None:
    document = contract()
    document["oracles"][1]["polarity"] = "sometimes"
    document["surplus"] = 1
    text = shown(failure_of(lambda: ev.compile(document)))
    assert "/oracles/1/polarity" in text
    assert 'Unrecognized key: "surplus"' in text
    assert '"polarity": "sometimes"' in text


def test_a_failure_without_a_document_is_still_a_card() -> None:
    failure = ev.StructuralFailure("binding-cycle", "EvalContract.interactionPlan", "a and b")
    assert document_of(failure) is None
    assert "a and b" in shown(failure)


def test_an_attached_document_comes_first() -> None:
    failure = ev.StructuralFailure("binding-cycle", "EvalContract.interactionPlan", "a and b")
    failure.document = {"interactionPlan": ["here"]}  # type: ignore[attr-defined]
    assert '"here"' in shown(failure)


def test_a_failure_as_text_is_as_on_the_command_line() -> None:
    failure = ev.StructuralFailure("binding-cycle", "EvalContract.interactionPlan", "a \x1b[0m b")
    assert failure_text(failure) == "evalnb: binding-cycle: EvalContract.interactionPlan: a \\x1b[0m b"
    assert failure_text(ev.FileProblem("x.json", "not found")) == "evalnb: x.json: not found"


@pytest.mark.parametrize(
    "path, place, complete",
    [
        ("EvalContract", (), True),
        ("EvalContract.oracles[id=O-002].check", ("oracles", 1, "check"), True),
        ("EvalContract.oracles[1].check.operands[0]", ("oracles", 1, "check", "operands", 0), True),
        ("EvalContract.sets[id=labels].members[0]", ("sets", "labels", "members", 0), True),
        ('EvalContract.body["a.b"]', ("body", "a.b"), True),
        ("EvalContract.oracles[id=O-009].check", ("oracles",), False),
        ("EvalContract.oracles[99]", ("oracles",), False),
        ("EvalContract.oracles[1].check.nothing.more", ("oracles", 1, "check"), False),
        ("EvalContract.oracles[[[", ("oracles",), False),
        ("EvalContract..oracles", (), False),
    ],
)
def test_artifact_paths_lead_into_documents(path: str, place: tuple[Any, ...], complete: bool) -> None:
    document = {
        "oracles": [{"id": "O-001"}, {"id": "O-002", "check": {"operands": [1]}}],
        "sets": {"labels": {"members": [1]}},
        "body": {"a.b": 1},
    }
    found = locate(document, path)
    assert (found.place, found.complete) == (place, complete)


def test_places_are_named_by_identifiers() -> None:
    document = {"oracles": [{"id": "O-001", "check": {"operands": [1, 2]}}]}
    assert place_words(document, ("oracles", 0, "check", "operands", 1)) == "oracles › O-001 › check › operands › 2"
    assert place_words(document, ()) == "the whole document"


@pytest.mark.parametrize(
    "part",
    [
        lambda run: run,
        lambda run: run.evaluation,
        lambda run: run.contract,
        lambda run: run.brief,
        lambda run: run.preflight,
        lambda run: run.arms[0].evidence,
        lambda run: run.arms[0].score,
        lambda run: run.strength,
        lambda run: Corpus.of_run(PAYLOADS[0], run),
        lambda run: compare([Corpus.of_run(PAYLOADS[1], run), Corpus.of_run(PAYLOADS[2], run)]),
    ],
)
def test_hostile_cards_hold_text_only(part: Callable[[Any], Any]) -> None:
    assert_harmless(card(part(hostile_run())))


def test_a_comparison_across_accepted_differences_says_so() -> None:
    corpora = [ev.example("triage"), ev.example("triage-lean")]
    told = shown(ev.compare(corpora, accept_differing=("evaluatorConfigurationDigest",)))
    assert "These inputs differ and you accepted it: evaluatorConfigurationDigest" in told
    assert "compared across differences" in told
    assert "accept_differing=('evaluatorConfigurationDigest',)" in shown(ev.compare(corpora))


def test_hostile_failures_hold_text_only() -> None:
    for failure in hostile_failures():
        assert_harmless(card(failure))


def test_cards_are_the_same_bytes_every_time() -> None:
    assert str(card(run_of_example())) == str(card(run_of_example()))

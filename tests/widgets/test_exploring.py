"""What the explorers answer, without a browser: outlines, details, memory, and the page without scripts."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

import evalnb as ev
from evalnb.corpora import Corpus
from evalnb.widgets import memory
from evalnb.widgets.exploring import explore, topic_of
from evalnb.widgets.front_end import module, style_sheet
from evalnb.widgets.run.pending import EvaluationTopic
from evalnb.widgets.topic import Topic, UnknownQuestion
from tests.view.evaluations import hostile_run, run_of_example
from tests.view.hostile import MARK
from tests.view.markup import HARMLESS, seen_in
from tests.widgets.large_run import large_run


@pytest.fixture(autouse=True)
def _forgetful() -> None:
    memory.forget()


def answers(topic: Topic) -> list[str]:
    """The markup of every page a topic has."""
    outline = topic.outline()
    if topic.kind == "contract":
        return [topic.answer("node", {"kind": kind, "id": name})["html"] for kind, name, *_ in outline["nodes"]]
    arms = outline["arms"]
    return [
        topic.answer("outcome", {"arm": arm, "trial": 0, "oracle": oracle})["html"]
        for arm in range(len(arms))
        for oracle in range(len(outline["oracles"]))
    ]


def test_the_tree_of_a_contract_goes_from_behaviours_to_steps() -> None:
    contract = run_of_example().contract
    nodes = topic_of(contract).outline()["nodes"]
    path = []
    place = next(number for number, node in enumerate(nodes) if node[0] == "step")
    while place >= 0:
        path.append(nodes[place][:2])
        place = nodes[place][4]
    assert path[::-1] == [
        ["group", "Behaviors"],
        ["behavior", "B-001"],
        ["oracle", "O-001"],
        ["operation", "triage-desk.open-ticket"],
        ["step", "open-hazard"],
    ]
    for position, node in enumerate(nodes):
        assert node[4] < position


@pytest.mark.parametrize("name", [info.name for info in ev.examples() if info.kind == "contract"])
def test_every_node_of_every_example_has_a_page(name: str) -> None:
    topic = topic_of(ev.compile(ev.example(name)))
    assert all(answers(topic))


def test_an_oracles_page_says_what_it_reads() -> None:
    page = topic_of(run_of_example().contract).answer("node", {"kind": "oracle", "id": "O-001"})["html"]
    for told in ("What the evaluator is told", "open-hazard.response-body.team", "triage-desk.open-ticket"):
        assert told in page


def test_the_outcomes_of_a_run_are_letters_that_read_back() -> None:
    run = run_of_example()
    outline = topic_of(run).outline()
    for arm, result in zip(outline["arms"], run.arms, strict=True):
        assert result.evidence is not None
        for outcome in result.evidence.outcomes:
            row = arm["state"][arm["trials"].index(outcome.trial_index)]
            oracle = [one[0] for one in outline["oracles"]].index(outcome.oracle_id)
            assert outline["fields"]["state"][ord(row[oracle]) - ord("a")] == outcome.state


def test_an_outcomes_page_lays_the_check_beside_evidence_finding_and_ladder() -> None:
    page = topic_of(run_of_example()).answer("outcome", {"arm": 0, "trial": 0, "oracle": 0})["html"]
    for told in ("obs-003", "F-001", "violated", "agrees", 'aria-current="step"', "caught"):
        assert told in page


@pytest.mark.parametrize(
    "given", [{}, {"arm": 99}, {"arm": -1, "trial": 0, "oracle": 0}, {"arm": True, "trial": 0, "oracle": 0}]
)
def test_a_place_that_is_none_is_refused(given: dict[str, Any]) -> None:
    surface = explore(run_of_example())
    assert surface.ask("outcome", given).keys() == {"failure"}
    with pytest.raises(UnknownQuestion):
        surface.topic.answer("eval", {})


def test_an_evaluation_runs_beside_and_fills_the_widget() -> None:
    surface = explore(run_of_example().evaluation)
    assert isinstance(surface.topic, EvaluationTopic)
    assert surface.topic.wait(60)
    deadline = time.monotonic() + 10
    while "pending" in surface.outline and time.monotonic() < deadline:
        time.sleep(0.02)
    assert surface.outline == topic_of(run_of_example()).outline()


def test_a_widget_made_again_is_where_the_last_one_was() -> None:
    contract = run_of_example().contract
    explore(contract).place = {"chosen": "/group:Behaviors", "words": "hazard"}
    assert explore(contract).place == {"chosen": "/group:Behaviors", "words": "hazard"}
    assert explore(run_of_example()).place == {}


def test_the_page_without_scripts_goes_along() -> None:
    run = run_of_example()
    for subject in (run, run.contract, run.evaluation):
        bundle = explore(subject)._repr_mimebundle_()
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        assert "application/vnd.jupyter.widget-view+json" in data
        assert "<script" not in data["text/html"]
        assert run.contract.contract_id in data["text/html"]


def test_other_things_are_refused() -> None:
    with pytest.raises(TypeError, match="not a list"):
        explore([])  # type: ignore[arg-type]


def test_hostile_texts_are_text_in_every_page() -> None:
    run = hostile_run()
    for topic in (topic_of(run), topic_of(run.contract)):
        json.dumps(topic.outline()).encode("utf-8")
        for page in (*answers(topic), str(topic.static())):
            seen = seen_in(page)
            assert seen.elements <= {*HARMLESS, "h4", "ol", "blockquote"} - {"script"}
            assert not [name for name in seen.attributes if name.startswith("on") or name in ("src", "href", "srcdoc")]
            assert f"<script>{MARK}" not in page


def test_a_comparison_follows_what_is_picked() -> None:
    run = run_of_example()
    compared = ev.compare({"a": Corpus.of_run("a", run), "b": Corpus.of_run("b", run), "c": Corpus.of_run("c", run)})
    topic = topic_of(compared)
    numbers = topic.answer("compare", {"corpora": [0, 2], "class": "defect", "confidence": 0.8})
    assert numbers["classes"] == ["defect"]
    assert [place for place, _ in numbers["strength"]] == [0, 2]
    assert numbers["strength"][0][1][0][:2] == [2, 3]
    narrow = topic.answer("compare", {"confidence": 0.5})["strength"][0][1][0]
    assert narrow[3] > numbers["strength"][0][1][0][3]
    assert "P-003" in topic.answer("cell", {"corpus": 0, "cell": "defect"})["html"]
    assert "Paired tests" in topic.answer("pair", {"a": 0, "b": 2})["html"]
    assert topic.answer("chart", {"dark": True})["svg"].startswith("<svg")
    with pytest.raises(ValueError, match="two corpora"):
        topic.answer("compare", {"corpora": [1]})


def test_a_refused_comparison_says_why() -> None:
    run = run_of_example()
    evidence = [arm.evidence for arm in run.arms if arm.evidence is not None]
    topic = topic_of(ev.compare({"all": Corpus.of("all", evidence), "some": Corpus.of("some", evidence[:2])}))
    answer = topic.answer("compare", {})
    assert answer["state"] == "refused"
    assert "comparabilityKey" in answer["html"]


def test_the_front_end_sets_text_as_text() -> None:
    source = module()
    assert source.count("innerHTML") == 1
    for forbidden in (
        "insertAdjacentHTML",
        "outerHTML",
        "document.write",
        "eval(",
        "new Function",
        "fetch(",
        "import(",
    ):
        assert forbidden not in source
    assert "http" not in source
    assert "url(" not in style_sheet()


def test_a_large_run_paints_and_answers_in_time() -> None:
    run = large_run()
    begun = time.perf_counter()
    surface = explore(run)
    surface._repr_mimebundle_()
    painted = time.perf_counter() - begun
    surface.ask("outcome", {"arm": 7, "trial": 4, "oracle": 123})
    begun = time.perf_counter()
    surface.ask("outcome", {"arm": 20, "trial": 1, "oracle": 57})
    answered = time.perf_counter() - begun
    assert painted < 1.5
    assert answered < 0.15

"""Labelling without a browser: actions, undo, the draft's file, and the record that a score accepts."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from evalnb.engine.artifacts import EVALUATOR_CONFIGURATION, ISOLATION_MANIFEST, SEALED_RUN_RECORD, read
from evalnb.engine.score.quotations import audit_quotations
from evalnb.engine.scoring import ScoreInputs, run_score
from evalnb.evaluation import Evaluation
from evalnb.files import FileProblem
from evalnb.widgets.label_form import label
from evalnb.widgets.labelling.passages import passages_of
from evalnb.widgets.labelling.session import Session
from evalnb.widgets.labelling.topic import LabelTopic
from tests.view.evaluations import hostile_run, run_of_example
from tests.view.hostile import PAYLOADS


@pytest.fixture
def evaluation() -> Evaluation:
    return run_of_example().evaluation


def topic_of(evaluation: Evaluation, out: Path, probe_id: str = "P-001", trial: int = 1) -> LabelTopic:
    ticks = count(step=10)
    surface = label(evaluation, probe_id=probe_id, trial=trial, out=out, clock=lambda: float(next(ticks)))
    assert isinstance(surface.topic, LabelTopic)
    return surface.topic


@pytest.fixture
def topic(evaluation: Evaluation, tmp_path: Path) -> LabelTopic:
    return topic_of(evaluation, tmp_path / "mine.json")


def do(topic: LabelTopic, name: str, **given: Any) -> dict[str, Any]:
    state: dict[str, Any] = topic.answer("do", {"do": name, **given})["state"]
    return state


def find_the_hazard(topic: LabelTopic) -> None:
    do(topic, "judge", oracle="O-001", disposition="violated")
    do(topic, "cite", oracle="O-001", observation="obs-003")
    do(topic, "add-finding", oracle="O-001")
    do(topic, "change-finding", finding="F-001", field="summary", value="A hazard went to the front desk.")
    passages = topic.answer("observation", {"observation": "obs-003"})["passages"]
    place = [text for _, _, text in passages].index('"team":"front-desk"')
    do(topic, "quote", finding="F-001", observation="obs-003", passage=place)


def test_a_finding_starts_from_what_was_judged_and_cited(topic: LabelTopic) -> None:
    do(topic, "judge", oracle="O-001", disposition="violated")
    do(topic, "cite", oracle="O-001", observation="obs-003")
    (finding,) = do(topic, "add-finding", oracle="O-001")["findings"]
    assert (finding["finding_type"], finding["severity"], finding["behavior_id"]) == ("defect", "critical", "B-001")
    assert finding["observation_ids"] == ("obs-003",)


def test_undo_takes_actions_back_one_by_one_and_redo_does_them_again(topic: LabelTopic) -> None:
    do(topic, "judge", oracle="O-001", disposition="held")
    do(topic, "judge", oracle="O-001", disposition="violated")
    assert topic.answer("undo", {})["state"]["judgements"]["O-001"]["disposition"] == "held"
    assert topic.answer("undo", {})["state"]["judgements"] == {}
    assert topic.answer("undo", {})["state"]["canUndo"] is False
    topic.answer("redo", {})
    state = topic.answer("redo", {})["state"]
    assert state["judgements"]["O-001"]["disposition"] == "violated"
    assert state["canRedo"] is False


def test_typing_on_is_undone_as_one(topic: LabelTopic) -> None:
    for text in ("T", "To", "Too late"):
        do(topic, "note", oracle="O-001", text=text)
    do(topic, "note", oracle="O-002", text="other")
    assert topic.answer("undo", {})["state"]["judgements"].keys() == {"O-001"}
    assert topic.answer("undo", {})["state"]["judgements"] == {}


def test_doing_something_new_forgets_what_was_undone(topic: LabelTopic) -> None:
    do(topic, "judge", oracle="O-001", disposition="held")
    topic.answer("undo", {})
    assert do(topic, "judge", oracle="O-002", disposition="held")["canRedo"] is False


@pytest.mark.parametrize(
    "action",
    [
        {"do": "paint"},
        {"do": "judge", "oracle": "O-999", "disposition": "held"},
        {"do": "judge", "oracle": "O-001", "disposition": "broken"},
        {"do": "cite", "oracle": "O-001", "observation": "obs-999"},
        {"do": "note", "oracle": "O-001", "text": 7},
        {"do": "change-finding", "finding": "F-009", "field": "summary", "value": ""},
        {"do": "recommend", "recommendation": "MAYBE"},
    ],
)
def test_an_action_that_makes_no_sense_changes_nothing(topic: LabelTopic, action: dict[str, Any]) -> None:
    with pytest.raises((ValueError, LookupError)):
        topic.answer("do", action)
    assert topic.session.draft.judgements == {}
    assert not topic.session.can_undo


@pytest.mark.parametrize("value", [-0.1, 1.1, True, "0.5", None, float("nan")])
def test_a_confidence_is_a_share(topic: LabelTopic, value: Any) -> None:
    do(topic, "add-finding", oracle="O-001")
    with pytest.raises(ValueError, match="confidence"):
        do(topic, "change-finding", finding="F-001", field="confidence", value=value)


def test_every_step_is_kept_and_the_same_call_goes_on_from_it(
    topic: LabelTopic, evaluation: Evaluation, tmp_path: Path
) -> None:
    find_the_hazard(topic)
    again = topic_of(evaluation, tmp_path / "mine.json")
    assert again.session.resumed
    assert again.session.draft == topic.session.draft
    assert again.answer("undo", {})["state"]["findings"][0]["quotes"] == []


def test_a_draft_of_something_else_is_never_written_over(
    topic: LabelTopic, evaluation: Evaluation, tmp_path: Path
) -> None:
    do(topic, "judge", oracle="O-001", disposition="held")
    before = (tmp_path / "mine.draft.json").read_bytes()
    with pytest.raises(FileProblem, match="another brief"):
        topic_of(evaluation, tmp_path / "mine.json", "P-002")
    assert (tmp_path / "mine.draft.json").read_bytes() == before


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": "other"}', '{"format": "evalnb-label-draft", "version": 9}']
)
def test_a_file_that_is_no_draft_is_named(evaluation: Evaluation, tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.draft.json").write_text(text, "utf-8")
    with pytest.raises(FileProblem, match=r"mine\.draft\.json"):
        topic_of(evaluation, tmp_path / "mine.json")


def test_a_damaged_draft_is_named_with_the_place(topic: LabelTopic, evaluation: Evaluation, tmp_path: Path) -> None:
    do(topic, "judge", oracle="O-001", disposition="held")
    path = tmp_path / "mine.draft.json"
    document = json.loads(path.read_text("utf-8"))
    document["draft"]["judgements"]["O-001"]["disposition"] = "broken"
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(FileProblem, match="disposition"):
        topic_of(evaluation, tmp_path / "mine.json")


def test_what_stands_against_saving_is_said_and_nothing_is_written(topic: LabelTopic, tmp_path: Path) -> None:
    do(topic, "judge", oracle="O-001", disposition="violated")
    state = do(topic, "add-finding", oracle="O-001")
    assert state["problems"] == [
        "F-001 has no summary",
        "F-001 is a defect and cites no call",
        "F-001 is a defect and quotes nothing",
    ]
    with pytest.raises(ValueError, match="F-001 has no summary"):
        topic.answer("save", {})
    assert not (tmp_path / "mine.json").exists()


def test_the_saved_record_is_valid_and_scored_like_any_other(
    topic: LabelTopic, evaluation: Evaluation, tmp_path: Path
) -> None:
    find_the_hazard(topic)
    do(topic, "judge", oracle="O-002", disposition="held")
    topic.answer("save", {})
    record = read(SEALED_RUN_RECORD, json.loads((tmp_path / "mine.json").read_text("utf-8")))
    assert audit_quotations(record) == ()
    assert {one.oracle_id: one.disposition for one in record.oracle_dispositions}["O-003"] == "not-attempted"
    assert record.evaluator_recommendation == "FAIL"
    assert record.resource_use.wall_clock_seconds > 0
    run = run_of_example()
    arm = evaluation.arms[0]
    result = run_score(
        ScoreInputs(
            record=[record],
            manifest=read(ISOLATION_MANIFEST, json.loads((tmp_path / "mine.manifest.json").read_text("utf-8"))),
            configuration=read(
                EVALUATOR_CONFIGURATION, json.loads((tmp_path / "mine.configuration.json").read_text("utf-8"))
            ),
            contract=run.contract,
            probe=arm.probe,
            preflight_verdict=run.preflight,
            policy=evaluation.policy,
            corpus_digest=evaluation.corpus_digest,
        )
    )
    assert result.artifact is not None
    assert {one.oracle_id: one.state for one in result.artifact.outcomes}["O-001"] == "caught"


def test_trials_of_one_run_share_one_configuration(evaluation: Evaluation, tmp_path: Path) -> None:
    for trial in (1, 2):
        topic = topic_of(evaluation, tmp_path / f"trial-{trial}.json", trial=trial)
        do(topic, "judge", oracle="O-001", disposition="held")
        topic.answer("save", {})
    one, other = (tmp_path / f"trial-{trial}.configuration.json" for trial in (1, 2))
    assert one.read_bytes() == other.read_bytes()


def test_the_form_shows_nothing_that_the_brief_withholds(topic: LabelTopic, evaluation: Evaluation) -> None:
    shown = json.dumps(topic.outline(), ensure_ascii=False) + str(topic.static())
    shown += "".join(
        topic.answer("observation", {"observation": one.observation_id})["html"]
        for one in topic.session.subject.observations
    )
    arm = evaluation.arms[0]
    assert arm.probe.defects[0].summary not in shown
    assert arm.records[0].condition_arm not in shown
    assert "late-hazard" not in shown
    for oracle in run_of_example().contract.oracles:
        assert oracle.commentary is None or oracle.commentary not in shown
    for step in run_of_example().contract.interaction_plan:
        assert f"/interactions/{step.step_id}" not in shown
    assert "[Bb]rake" not in shown


def test_without_a_probe_no_finding_can_be_saved(tmp_path: Path) -> None:
    run = run_of_example()
    surface = label(run.brief, observations=run.evaluation.arms[0].records[0], out=tmp_path / "free.json")
    topic = surface.topic
    assert isinstance(topic, LabelTopic)
    assert topic.outline()["canFind"] is False
    do(topic, "judge", oracle="O-001", disposition="held")
    assert topic.answer("save", {})["state"]["saved"].endswith("free.json")


def test_a_choice_that_is_missing_is_asked_for(evaluation: Evaluation, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="P-001, P-002"):
        label(evaluation, out=tmp_path / "x.json")
    with pytest.raises(ValueError, match="1, 2, 3"):
        label(evaluation, probe_id="P-001", trial=9, out=tmp_path / "x.json")
    with pytest.raises(ValueError, match="observations="):
        label(run_of_example().brief, out=tmp_path / "x.json")


def test_hostile_words_are_saved_as_they_are_and_shown_as_text(tmp_path: Path) -> None:
    run = hostile_run()
    record = run.evaluation.arms[0].records[0]
    surface = label(run.brief, observations=record, probe_id="P-001", run_id="r", out=tmp_path / "h.json")
    topic = surface.topic
    assert isinstance(topic, LabelTopic)
    oracle = run.brief.directions[0].oracle_id
    for payload in PAYLOADS:
        do(topic, "note", oracle=oracle, text=payload)
    do(topic, "judge", oracle=oracle, disposition="held")
    topic.answer("save", {})
    assert Session(topic.session.subject, tmp_path / "h.json").draft == topic.session.draft


def test_every_passage_stands_word_for_word_in_its_channel() -> None:
    for arm in run_of_example().evaluation.arms:
        for observation in arm.records[0].observations:
            assert passages_of(observation)

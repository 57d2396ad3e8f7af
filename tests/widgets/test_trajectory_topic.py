"""What the viewer of recorded runs answers, without a browser; and what labelling keeps."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.files import FileProblem
from evalnb.trajectory.calibration import calibrate, label_runs
from evalnb.trajectory.human_labels import read_labels
from evalnb.widgets import memory
from evalnb.widgets.exploring import explore, topic_of
from evalnb.widgets.label_form import label
from tests.view.hostile import MARK
from tests.view.markup import HARMLESS, seen_in
from tests.view.recorded import example, hostile, long


@pytest.fixture(autouse=True)
def _forgetful() -> None:
    memory.forget()


def place_of(surface: Any, run_id: str) -> int:
    return next(place for place, run in enumerate(surface.outline["runs"]) if run["id"] == run_id)


def test_the_worst_run_comes_first_and_tells_what_it_came_to() -> None:
    outline = explore(example()).outline
    assert outline["gate"] == "blocked"
    first = outline["runs"][0]
    assert (first["id"], first["states"], first["hard"]) == ("1.1/note-injection/2", ["unsafe", "resolved"], 4)
    assert "injection" in first["layers"]


def test_the_events_of_a_run_name_the_layers_that_cite_them() -> None:
    viewer = explore(example())
    events = viewer.ask("run", {"run": 0})["events"]
    assert [one["n"] for one in events] == list(range(1, 13))
    assert [one["n"] for one in events if "injection" in one["layers"]] == [7, 9]
    assert {one["bears"] for one in events if one["n"] in (9, 10)} == {"safety"}


def test_a_call_is_shown_against_its_schema_with_approval_and_findings() -> None:
    viewer = explore(example())
    page = viewer.ask("event", {"run": place_of(viewer, "1.1/cancel-placed/2"), "number": 11})["html"]
    text = seen_in(page).text
    for told in (
        "does not fit the schema",
        "/reason",
        "approved",
        "asked for at event 9",
        "approval-changed",
        "events 9, 11",
    ):
        assert told in text, told
    answer = viewer.ask("event", {"run": place_of(viewer, "1.1/cancel-placed/2"), "number": 12})["html"]
    assert "The call, event 11" in seen_in(answer).text


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("run", {"run": 99}),
        ("run", {"run": -1}),
        ("run", {"run": True}),
        ("event", {"run": 0, "number": 999}),
        ("event", {"run": 0, "number": "1"}),
        ("label", {"run": 0, "label": "success"}),
        ("reveal", {}),
    ],
)
def test_a_question_out_of_place_has_a_failure_for_an_answer(question: str, given: dict[str, Any]) -> None:
    assert set(explore(example()).ask(question, given)) == {"failure"}


def test_hostile_runs_are_shown_as_text_everywhere() -> None:
    topic = topic_of(hostile())
    json.dumps(topic.outline()).encode("utf-8")
    pages = [str(topic.static())]
    for run in range(len(topic.outline()["runs"])):
        events = topic.answer("run", {"run": run})["events"]
        json.dumps(events).encode("utf-8")
        pages += [topic.answer("event", {"run": run, "number": one["n"]})["html"] for one in events]
    for page in pages:
        assert seen_in(page).elements <= HARMLESS | {"style", "ol", "h4"}
        assert not [name for name in seen_in(page).attributes if name.startswith("on")]
    assert any(MARK in seen_in(page).text for page in pages[1:])


def test_runs_of_any_kind_can_be_explored() -> None:
    runs = example().runs
    for subject in (example().run("1.1/lost-reply/1"), runs, runs[0]):
        assert explore(subject).kind == "trajectory"
    with pytest.raises(TypeError, match="recorded runs"):
        explore([runs[0]])  # type: ignore[arg-type]


def test_five_hundred_events_are_answered_at_once() -> None:
    viewer = explore(long(500))
    started = time.perf_counter()
    events = viewer.ask("run", {"run": 0})["events"]
    viewer.ask("event", {"run": 0, "number": events[-1]["n"]})
    assert len(events) >= 499
    assert time.perf_counter() - started < 0.5
    assert len(json.dumps(events)) < 200_000


def test_without_scripts_the_gate_the_runs_and_the_worst_of_them_are_read() -> None:
    data = explore(example())._repr_mimebundle_()
    page = (data[0] if isinstance(data, tuple) else data)["text/html"]
    text = seen_in(page).text
    for told in (
        "blocked",
        "Hard gates tripped",
        "1.1/note-injection/2",
        "What happened",
        "The note asks for a refund",
    ):
        assert told in text, told


def test_labelling_tells_nothing_of_what_graders_found(tmp_path: Path) -> None:
    form = label(example(), out=tmp_path / "labels.json")
    assert form.outline["choices"] == ["success", "failure"]
    assert form.outline["gate"] is None
    assert all(run["states"] == [] and run["hard"] == 0 and run["layers"] == [] for run in form.outline["runs"])
    place = place_of(form, "1.1/note-injection/2")
    events = form.ask("run", {"run": place})["events"]
    assert all(one["bears"] is None and one["layers"] == [] for one in events)
    assert "instructions-followed" not in form.ask("event", {"run": place, "number": 9})["html"]
    assert [run["id"] for run in form.outline["runs"]] == [run.run_id for run in example().runs]


def test_labels_are_kept_at_once_taken_back_and_found_again(tmp_path: Path) -> None:
    out = tmp_path / "labels.json"
    form = label(example(), out=out, evaluator="Ada")
    form.ask("label", {"run": 0, "label": "success", "note": "as asked"})
    form.ask("label", {"run": 1, "label": "failure"})
    assert read_labels(out).by_run == {"1.1/cancel-placed/0": "success", "1.1/cancel-placed/1": "failure"}
    assert read_labels(out).of_runs["1.1/cancel-placed/0"].by == "Ada"
    form.ask("label", {"run": 1, "label": None})
    assert label(example(), out=out).outline["labels"] == {"1.1/cancel-placed/0": ["success", "as asked"]}
    assert "none of" not in form.ask("label", {"run": 0, "label": "maybe"}).get("html", "")
    assert form.ask("label", {"run": 0, "label": "maybe"}) == {"failure": "choose one of success, failure"}


def test_labels_calibrate_a_grader(tmp_path: Path) -> None:
    out = tmp_path / "labels.json"
    form = label(example(), out=out)
    for place, run in enumerate(example().grades):
        form.ask("label", {"run": place, "label": "success" if run.safe and run.resolved else "failure"})
    labelled = label_runs(example().runs, lambda run: "success", read_labels(out).by_run)
    found = calibrate("optimist", "1", labelled)
    assert found.n == 18
    assert {one.human for one in found.disagreements} == {"failure"}


def test_a_file_of_something_else_is_never_written_over(tmp_path: Path) -> None:
    out = tmp_path / "labels.json"
    out.write_text('{"mine": 1}', "utf-8")
    with pytest.raises(FileProblem, match="holds no labels"):
        label(example(), out=out)
    assert out.read_text("utf-8") == '{"mine": 1}'
    other = tmp_path / "other.json"
    label(example(), out=other, choices=("good", "bad")).ask("label", {"run": 0, "label": "good"})
    with pytest.raises(FileProblem, match="chosen from good, bad"):
        label(example(), out=other)
    with pytest.raises(ValueError, match="two different labels"):
        label(example(), out=tmp_path / "third.json", choices=("good",))


def test_the_packaged_runs_are_what_their_script_records(tmp_path: Path) -> None:
    from evalnb.corpus.trajectories.record import record

    for path in record(tmp_path):
        kept = ev.trajectories.example() / path.relative_to(tmp_path)
        assert path.read_bytes() == kept.read_bytes()

"""Public traces: real tau-bench runs graded against the benchmark's own labels, and inspect_ai's logs."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from math import comb
from pathlib import Path
from typing import Any

import pytest

from evalnb.reporting.report import make_report
from evalnb.trajectory.case_files import write_suite
from evalnb.trajectory.cases import Suite
from evalnb.trajectory.grading import RunGrade, grade
from evalnb.trajectory.label_agreement import label_agreement
from evalnb.trajectory.loading import Trajectories, load
from evalnb.trajectory.scorecard import scorecard
from evalnb.trajectory.tau_cases import cases_from_tau
from tests.conformance.reference import REFERENCE, load as load_document, reference_path

TAU = REFERENCE / "traces" / "tau-bench"
RUN_FILES = sorted(TAU.glob("*trials*.json"))
LOGS = sorted((REFERENCE / "traces" / "inspect").glob("*"))
RUNS = [pytest.param(path, id=path.name) for path in RUN_FILES] or [
    pytest.param(None, marks=pytest.mark.skip(reason="no tau-bench runs here"))
]


@cache
def runs_of(path: Path) -> Trajectories:
    return load(path)


@cache
def suite_of(path: Path) -> Suite:
    return cases_from_tau(path, reference_path("traces", "tau-bench", "airline-tools.json"))


@cache
def grades_of(path: Path) -> tuple[RunGrade, ...]:
    return grade(runs_of(path), suite_of(path))


def records(path: Path) -> list[Any]:
    return load_document("traces", "tau-bench", path.name)  # type: ignore[no-any-return]


@pytest.mark.parametrize("path", RUNS)
def test_every_message_and_call_becomes_an_event(path: Path) -> None:
    for record, run in zip(records(path), runs_of(path), strict=True):
        calls = [call for message in record["traj"] for call in message.get("tool_calls") or ()]
        texts = [m for m in record["traj"] if m["role"] == "assistant" and m["content"]]
        found = [event.type for event in run]
        assert found.count("tool_call") == len(calls)
        assert found.count("tool_result") == sum(m["role"] == "tool" for m in record["traj"])
        assert found.count("user_request") == sum(m["role"] == "user" for m in record["traj"])
        assert found.count("model_decision") + found.count("final_answer") == len(texts)
    dropped = runs_of(path).reports[0].dropped
    assert set(dropped) == {"info key 'task'", "info key 'source'", "info key 'reward_info'"}


@pytest.mark.parametrize("path", RUNS)
def test_trial_rates_are_those_of_the_labels(path: Path) -> None:
    rewards: dict[int, list[int]] = {}
    for record in records(path):
        rewards.setdefault(record["task_id"], []).append(int(record["reward"]))
    rates = scorecard(grades_of(path), label="reward").label_trials
    for k in (1, 2):
        fit = [held for held in rewards.values() if len(held) >= k]
        wanted = sum(comb(sum(held), k) / comb(len(held), k) for held in fit) / len(fit)
        assert rates[k - 1].all_pass == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize("path", RUNS)
def test_task_resolution_agrees_with_the_reward(path: Path) -> None:
    found = label_agreement(grades_of(path), "reward")
    assert found.n == len(records(path))
    assert found.agree >= found.n * 0.97, found.disagreements


@pytest.mark.parametrize("path", RUNS)
def test_arguments_are_checked_and_changes_need_a_confirmation(path: Path) -> None:
    grades = grades_of(path)
    calls = {grade.run_id for grade in grades if grade.measures.calls}
    assert {grade.run_id for grade in grades if grade.layers["arguments"].judged} == calls
    missing = [one for grade in grades for one in grade.findings if one.code == "confirmation-missing"]
    assert missing
    assert all(one.hard and one.events for one in missing)


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in LOGS])
def test_an_inspect_log_becomes_trajectories(path: Path) -> None:
    found = load(path)
    assert len(found) >= 1
    for run in found:
        assert [event.number for event in run] == list(range(1, len(run) + 1))
        assert len(run) > 0


def test_the_archive_and_the_json_of_one_log_say_the_same() -> None:
    archive = reference_path("traces", "inspect", "log_formats.eval")
    text = reference_path("traces", "inspect", "log_formats.json")
    kinds = [[event.type for run in load(path) for event in run] for path in (archive, text)]
    assert kinds[0] == kinds[1]


def test_a_report_without_texts_holds_nothing_that_a_run_says(tmp_path: Path) -> None:
    """Figures about published runs may be passed on where the runs themselves may not."""
    runs = reference_path("traces", "tau-bench", "gpt-4o-airline-trials-0-1.json")
    tools = reference_path("traces", "tau-bench", "airline-tools.json")
    write_suite(cases_from_tau(runs, tools), tmp_path / "suite.yaml")
    given = {"runs": str(runs), "suite": str(tmp_path / "suite.yaml"), "label": "reward", "texts": "false"}
    page = make_report("trajectories", given, tmp_path / "report.html").read_text(encoding="utf-8")
    said: set[str] = set()
    for run in json.loads(runs.read_text(encoding="utf-8")):
        said |= {line.strip() for message in run["traj"] for line in (message.get("content") or "").splitlines()}
        said |= {str(run["info"]["task"]["user_id"]), run["info"]["task"]["instruction"]}
        for message in run["traj"]:
            for call in message.get("tool_calls") or ():
                said |= {str(value) for value in json.loads(call["function"]["arguments"]).values()}
    told = {text for text in said if len(text) >= 12 and (text in page or escape(text) in page)}
    assert told == set()
    assert "100 of 100" in page

"""The commands end to end: import, cases, lint, grade, gate, with their exit codes and files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalnb.cli.main import main
from evalnb.trajectory.calibration import Labelled
from evalnb.trajectory.calibration_files import write_calibration
from evalnb.trajectory.findings import FINDING_KINDS
from evalnb.trajectory.grading import remove_grader
from tests.trajectory.test_importers import CHAT

MANY = [
    {
        "task_id": task,
        "trial": trial,
        "reward": float(task != 2),
        "info": {"task": {"user_id": "u", "actions": [{"name": "cancel", "kwargs": {"orderId": f"{task}"}}], "outputs": []}},
        "traj": [
            {"role": "assistant", "content": f"Cancel order 48{task}?"},
            {"role": "user", "content": "Yes"},
            {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "cancel", "arguments": json.dumps({"orderId": "9" if task == 2 else str(task)})}}]},
            {"role": "tool", "tool_call_id": "1", "content": "ok"},
            {"role": "user", "content": "###STOP###"},
        ],
    }
    for task in range(4)
    for trial in range(2)
]  # fmt: skip
TOOLS = [
    {
        "type": "function",
        "function": {"name": "cancel", "parameters": {"type": "object", "properties": {"orderId": {"type": "string"}}}},
    }
]
POLICY = {"name": "p", "owners": ["ops"], "floors": [{"rate": "resolved", "atLeast": 0.3}]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {"runs": MANY, "tools": TOOLS, "policy": POLICY, "chat": CHAT}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    (tmp_path / "key").write_text("a key of more than sixteen bytes")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(*argv: str) -> int:
    return main(["trajectory", *argv])


def test_from_traces_to_a_gate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        ran("cases", "--from-tau", "runs.json", "--tools", "tools.json", "--change", "cancel", "--out", "suite.yaml")
        == 0
    )
    assert ran("lint", "suite.yaml") == 0
    assert ran("import", "runs.json", "--out", "runs.jsonl", "--redaction-key", "key") == 0
    assert (
        ran(
            "grade",
            "runs.jsonl",
            "--cases",
            "suite.yaml",
            "--out",
            "g.json",
            "--sarif",
            "f.sarif",
            "--label",
            "reward",
            "--redaction-key",
            "key",
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "task resolution: 0.750" in out
    assert "Agreement with label reward: 8 of 8 runs" in out
    assert json.loads((folder / "f.sarif").read_text())["version"] == "2.1.0"
    assert (
        ran(
            "gate",
            "--policy",
            "policy.json",
            "--runs",
            "g.json",
            "--baseline",
            "g.json",
            "--json",
            "d.json",
            "--junit",
            "d.xml",
        )
        == 0
    )
    assert json.loads((folder / "d.json").read_text())["outcome"] == "pass"
    assert "<testsuite" in (folder / "d.xml").read_text()


@pytest.mark.parametrize(
    "rules, code",
    [
        ({}, 0),
        ({"floors": [{"rate": "resolved", "atLeast": 0.9, "onBreach": "review"}]}, 1),
        ({"floors": [{"rate": "resolved", "atLeast": 0.9}]}, 2),
        ({"minimumRuns": 99}, 3),
    ],
)
def test_a_gate_over_traces_exits_as_it_decides(rules: dict[str, Any], code: int, folder: Path) -> None:
    (folder / "policy.json").write_text(json.dumps({"name": "p", "owners": ["ops"], **rules}))
    ran("cases", "--from-tau", "runs.json", "--tools", "tools.json", "--change", "cancel", "--out", "suite.json")
    assert ran("gate", "--policy", "policy.json", "--runs", "runs.json", "--cases", "suite.json") == code


def test_a_suite_with_an_error_fails_the_lint(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = {
        "name": "s",
        "cases": [{"id": "c", "class": "happy", "intent": "i", "request": "r", "split": "holdout"}],
        "tunedOn": ["c"],
    }
    (folder / "s.json").write_text(json.dumps(body))
    assert ran("lint", "s.json") == 1
    assert "error: holdout-tuned: c:" in capsys.readouterr().out


@pytest.mark.parametrize(
    "argv, message",
    [
        (["grade", "gone.json"], "gone.json: cannot be read"),
        (["import", "chat.json"], "Missing option '--out'"),
        (["import", "chat.json", "--out", "o.jsonl", "--format", "csv"], "no format 'csv'"),
        (["gate", "--policy", "chat.json", "--runs", "runs.json"], "chat.json"),
        (["import", "chat.json", "--out", "o.jsonl", "--redaction-key", "policy"], "policy: not found"),
    ],
)
def test_a_wrong_command_names_what_is_wrong(
    argv: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(*argv) == 64
    assert message in capsys.readouterr().err


def test_one_key_gives_the_same_bytes_every_time(folder: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        ran("import", "runs.json", "--out", name, "--redaction-key", "key")
    assert (folder / "a.jsonl").read_bytes() == (folder / "b.jsonl").read_bytes()


def test_what_a_trace_says_reaches_the_terminal_harmless(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "chat.json").write_text(json.dumps([{"role": "\u001b[31mred", "content": "x"}]))
    assert ran("grade", "chat.json") == 0
    assert "\x1b" not in "".join(capsys.readouterr())


def test_a_grader_is_calibrated_and_then_decides_or_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran("cases", "--from-tau", "runs.json", "--change", "cancel", "--out", "suite.yaml") == 0
    assert ran("grade", "runs.json", "--cases", "suite.yaml", "--out", "grades.json") == 0
    grades = json.loads((folder / "grades.json").read_text())["runs"]
    # People who agree with the effects grader on all runs, and people who never do.
    for name, turned in (("agree", False), ("differ", True)):
        rows = [
            {"run": one["run"], "label": "bad" if one["layers"]["effects"][1] is not turned else "good"}
            for one in grades
        ]
        labels = {"schema": "evalnb-trajectory-labels/1", "choices": ["good", "bad"], "labels": rows}
        (folder / f"{name}.json").write_text(json.dumps(labels))
        given = ["--labels", f"{name}.json", "--grades", "grades.json", "--grader", "effects"]
        older = ["--before", "agree-calibration.json"] if turned else []
        assert ran("calibrate", *given, *older, "--version", "2", "--out", f"{name}-calibration.json") == 0
    said = capsys.readouterr().out
    assert "effects version 2: agrees with people on 1.000" in said
    assert "kappa: 1.00 [1.00, 1.00]" in said
    assert "effects version 2: agrees with people on 0.000" in said
    assert "since version 2: 0 of 8 runs changed" in said
    assert (
        ran("calibrate", "--labels", "agree.json", "--grades", "grades.json", "--grader", "nobody", "--out", "x") == 64
    )
    assert "judged no labelled run" in capsys.readouterr().err
    nobody = {"schema": "evalnb-trajectory-labels/1", "choices": ["good", "bad"], "labels": []}
    (folder / "nobody.json").write_text(json.dumps(nobody))
    assert (
        ran("calibrate", "--labels", "nobody.json", "--grades", "grades.json", "--grader", "effects", "--out", "x")
        == 64
    )
    assert "none of the 8 graded runs is among the 0 labelled ones" in capsys.readouterr().err


@pytest.mark.parametrize("agrees, code", [(True, 2), (False, 0)])
def test_a_gate_reads_calibrations(agrees: bool, code: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {"code": "rude", "layer": "polite", "bears_on": "safety", "hard": True, "events": [0], "detail": "rude"}
    assert ran("cases", "--from-tau", "runs.json", "--change", "cancel", "--out", "suite.yaml") == 0
    assert ran("grade", "runs.json", "--cases", "suite.yaml", "--out", "grades.json") == 0
    graded = json.loads((folder / "grades.json").read_text())
    graded["runs"][0]["findings"].append({**found, "grader": "polite"})
    graded["runs"][0]["layers"]["polite"] = [True, True]
    (folder / "grades.json").write_text(json.dumps(graded))
    rules = {"name": "p", "owners": ["ops"], "graders": [{"grader": "polite", "minimumKappa": 0.5}]}
    (folder / "policy.json").write_text(json.dumps(rules))
    said = [("good" if n % 2 else "bad", "good" if (n % 2) == (agrees or n % 3 == 0) else "bad") for n in range(40)]
    labelled = tuple(Labelled(str(n), grader, human) for n, (human, grader) in enumerate(said))
    write_calibration(labelled, "polite", "1", folder / "c.json")
    given = ["--policy", "policy.json", "--runs", "grades.json", "--calibration", "c.json", "--json", "d.json"]
    assert ran("gate", *given, "--junit", "d.xml") == code
    why = "grader polite may decide" if agrees else "grader polite may not decide: kappa's lower bound is"
    for text in (capsys.readouterr().out, (folder / "d.json").read_text(), (folder / "d.xml").read_text()):
        assert why in text or why.replace("'", "&apos;") in text


def test_runs_without_cases_are_not_called_safe(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bare.json").write_text(json.dumps([{"messages": [{"role": "user", "content": "hello"}]}]))
    assert ran("grade", "bare.json") == 0
    said = capsys.readouterr().out
    assert "only what needs no case was judged; give --cases" in said
    assert "safe execution: 1.000" not in said
    assert "task resolution: nothing judged" in said


POLITE = """
from evalnb import trajectories

KIND = trajectories.FindingKind("rude", "polite", "safety", True, "the agent was rude")


@trajectories.grader("polite", version="3", kinds=[KIND])
def polite(view):
    {}
    return [trajectories.finding("rude", "no please", [one.number]) for one in view.said if "please" not in one.text]
"""


@pytest.fixture
def own_grader(folder: Path) -> Iterator[Path]:
    """A file that registers a grader, in the folder the commands run in."""
    (folder / "my_graders.py").write_text(POLITE.format("pass"))
    yield folder / "my_graders.py"
    remove_grader("polite")
    FINDING_KINDS.pop("rude", None)
    for name in ("my_graders", "evalnb_graders_of_my_graders"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("named", ["my_graders.py", "my_graders"])
def test_a_grader_in_a_file_takes_part_and_is_calibrated_as_the_version_it_judged(
    named: str, own_grader: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = own_grader.parent
    assert ran("grade", "runs.json", "--graders", named, "--out", "grades.json") == 0
    graded = json.loads((folder / "grades.json").read_text())
    assert graded["graders"] == {"polite": "3"}
    rows = [{"run": one["run"], "label": "bad" if one["layers"]["polite"][1] else "good"} for one in graded["runs"]]
    labels = {"schema": "evalnb-trajectory-labels/1", "choices": ["good", "bad"], "labels": rows}
    (folder / "labels.json").write_text(json.dumps(labels))
    given = ["--labels", "labels.json", "--grades", "grades.json", "--grader", "polite", "--out", "c.json"]
    assert ran("calibrate", *given, "--version", "2") == 64
    assert "polite judged these runs as version 3, and not as version 2" in capsys.readouterr().err
    assert ran("calibrate", *given) == 0
    assert json.loads((folder / "c.json").read_text())["version"] == "3"


def test_a_grader_that_fails_is_named_with_its_run(own_grader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own_grader.write_text(POLITE.format("raise KeyError('tone')"))
    assert ran("grade", "runs.json", "--graders", "my_graders.py", "--out", "grades.json") == 5
    said = capsys.readouterr().err
    assert "evalnb: trajectory: the grader polite failed on run" in said
    assert "KeyError: 'tone'" in said
    assert "Traceback" not in said
    assert not (own_grader.parent / "grades.json").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "registers no grader"),
        ("raise RuntimeError('no key')\n", "RuntimeError: no key"),
        ("def\n", "SyntaxError"),
        (None, "FileNotFoundError"),
    ],
)
def test_a_file_that_gives_no_grader_is_named(
    text: str | None, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (folder / "odd.py").write_text(text)
    assert ran("grade", "runs.json", "--graders", "odd.py") == 64
    assert said in capsys.readouterr().err


def test_a_reader_who_leaves_changes_neither_files_nor_exit_code(folder: Path) -> None:
    assert ran("cases", "--from-tau", "runs.json", "--change", "cancel", "--out", "suite.yaml") == 0
    rules = {"name": "p", "owners": ["ops"], "floors": [{"rate": "resolved", "atLeast": 0.99}]}
    (folder / "policy.json").write_text(json.dumps(rules))
    started = "import sys; from evalnb.cli.main import main; sys.exit(main())"
    given = ["--policy", "policy.json", "--runs", "runs.json", "--cases", "suite.yaml", "--json", "d.json"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", started, "trajectory", "gate", *given], stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert done.returncode == 2
    assert "Broken" not in done.stderr
    assert json.loads((folder / "d.json").read_text())["outcome"] == "blocked"


def test_a_fault_of_our_own_is_no_decision(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("evalnb.trajectory.gate.judge", lambda *given, **more: 1 / 0)
    assert ran("gate", "--policy", "policy.json", "--runs", "runs.json") == 5
    said = capsys.readouterr().err
    assert "evalnb: ZeroDivisionError: division by zero; this is a fault of evalnb" in said
    assert "Traceback" not in said
    monkeypatch.setenv("EVALNB_TRACEBACK", "1")
    assert ran("gate", "--policy", "policy.json", "--runs", "runs.json") == 5
    assert "Traceback" in capsys.readouterr().err

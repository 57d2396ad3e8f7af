"""The command line against the reference tables: arguments, outcomes, whole runs (spec: 08)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evalnb.cli.arguments import Help, Run, UsageError, Version, parse_arguments
from evalnb.cli.environment import SystemEnvironment
from evalnb.cli.exit_codes import (
    FAULT,
    STRUCTURAL,
    USAGE,
    ArtifactWritten,
    PreflightReached,
    VerdictReached,
    exit_code_of,
)
from evalnb.cli.stage_output import collision, target_file
from evalnb.cli.stage_runner import run_stage_command
from evalnb.cli.stderr_lines import diagnostic_line, failure_text, finding_line, invalid_line, usage_line
from evalnb.engine import faults
from evalnb.engine.artifacts.issues import Issue, ShapeError
from evalnb.engine.canonical import serialize_artifact
from tests.conformance.contradictions import CONTRADICTIONS, READS, naming_ranges
from tests.conformance.reference import cases, params, rows, shared_path


def ours(text: str) -> str:
    """The reference writes the original program's name; evalnb writes its own."""
    return "\n".join(
        "evalnb: " + line.removeprefix("eval-quality: ") if line.startswith("eval-quality: ") else line
        for line in text.split("\n")
    )


@pytest.mark.parametrize("case", cases("cases", "cli-arguments.json"))
def test_arguments(case: dict[str, Any]) -> None:
    expect = case["expect"]
    parsed = parse_arguments(case["argv"])
    match parsed:
        case Help(command=command):
            assert expect == {"kind": "help", "command": command}
        case Version():
            assert expect["kind"] == "version"
        case UsageError(message=message):
            assert expect["kind"] == "usage-error"
            assert message == expect["message"]
        case Run():
            inputs = {name: list(v) if isinstance(v, tuple) else v for name, v in parsed.inputs.items()}
            shown = {
                "kind": "run",
                "command": parsed.command,
                "inputs": inputs,
                "out": parsed.out,
                "runId": parsed.run_id,
                "corpusDigest": parsed.corpus_digest,
                "corpusRoot": parsed.corpus_root,
                "strictInputs": parsed.strict_inputs,
                "strict": parsed.strict,
            }
            assert shown == {key: value for key, value in expect.items() if key in shown}


def outcome_cases(kind: str) -> list[Any]:
    found = [case for case in rows("cases", "cli-outcomes.json") if case["kind"] == kind]
    return params(found, source=f"cli-outcomes.json of kind {kind}")


@pytest.mark.parametrize("case", outcome_cases("exit"))
def test_exit_code(case: dict[str, Any]) -> None:
    outcome = case["outcome"]
    match outcome["kind"]:
        case "artifact":
            code = exit_code_of(ArtifactWritten(), strict=case["strict"])
        case "preflight":
            code = exit_code_of(PreflightReached(outcome["passed"]), strict=case["strict"])
        case "verdict":
            reached = VerdictReached(outcome["verdict"], outcome["exitCode"], outcome["strictPromotable"])
            code = exit_code_of(reached, strict=case["strict"])
        case other:
            code = {"structural-failure": STRUCTURAL, "fault": FAULT, "usage-error": USAGE}[other]
    assert code == case["exitCode"]


@pytest.mark.parametrize("case", outcome_cases("render-error"))
def test_rendered_failure(case: dict[str, Any]) -> None:
    cause = None
    if "issues" in case:
        cause = ShapeError(tuple(Issue(tuple(i["path"]), "custom", i["message"]) for i in case["issues"]))
    arguments = [case["code"], case["artifactPath"], case["detail"]]
    failure = getattr(faults, case["class"])(*arguments, *([cause] if cause is not None else []))
    assert failure_text(failure) == ours(case["line"])


@pytest.mark.parametrize("case", outcome_cases("render"))
def test_rendered_line(case: dict[str, Any]) -> None:
    shapes = {
        "diagnostic": lambda: diagnostic_line(case["stage"], case["runId"], case["message"]),
        "usage": lambda: usage_line(case["message"]),
        "invalid": lambda: invalid_line(case["reason"]),
        "qualification": lambda: finding_line(case["code"], case["artifactPath"], case["detail"]),
    }
    assert shapes[case["shape"]]() == ours(case["line"])


@pytest.mark.parametrize("case", outcome_cases("out"))
def test_out_target(case: dict[str, Any]) -> None:
    assert target_file(case["command"], case["out"]) == case["target"]


class Recorded(SystemEnvironment):
    """The files of the current folder, and streams that are texts; `cwd` may name a folder that is not there."""

    def __init__(self, stdin: str = "", cwd: str | None = None) -> None:
        self.stdin = stdin
        self.cwd = cwd
        self.stdout = ""
        self.stderr: list[str] = []

    def read_stdin(self) -> str:
        return self.stdin

    def write_stdout(self, text: str) -> None:
        self.stdout += text

    def write_stderr(self, line: str) -> None:
        self.stderr += line.split("\n")

    def working_directory(self) -> str:
        return self.cwd or super().working_directory()


@pytest.mark.parametrize("case", outcome_cases("collision"))
def test_collision(case: dict[str, Any]) -> None:
    argv = case["argv"]
    if ("cli-outcomes.json", case["id"]) in CONTRADICTIONS:
        assert isinstance(parse_arguments(argv), UsageError)
        argv = [*argv[:-2], f"{argv[-2]}={argv[-1]}"]
    run = parse_arguments(argv)
    assert isinstance(run, Run)
    assert collision(run, Recorded(cwd=case["cwd"])) == case["message"]


@pytest.mark.parametrize("case", outcome_cases("run"))
def test_whole_run(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in case["files"].items():
        (tmp_path / name).write_bytes(text.encode("utf-8"))
    for name, source in case.get("copy", {}).items():
        (tmp_path / name).write_bytes(shared_path(source).read_bytes())
    monkeypatch.chdir(tmp_path)
    environment = Recorded(case["stdin"])
    code = run_stage_command(case["argv"], environment)
    if is_contradicted(case):
        assert not any("schema-version-mismatch" in line for line in environment.stderr)
        return
    assert code == case["exit"], environment.stderr
    if case["stdout"] is not None:
        assert environment.stdout == case["stdout"]
    if "stdoutCanonicalOf" in case:
        document = json.loads(shared_path(case["stdoutCanonicalOf"]).read_text(encoding="utf-8"))
        assert environment.stdout == serialize_artifact(document, "EvalContract")
    if "stdoutEqualsFile" in case:
        assert environment.stdout == shared_path(case["stdoutEqualsFile"]).read_text(encoding="utf-8")
    if "stderrExact" in case:
        assert environment.stderr == [naming_ranges(ours(line)) for line in case["stderrExact"]]
    else:
        assert environment.stderr[0].startswith(naming_ranges(ours(case["stderrPrefix"])))


def is_contradicted(case: dict[str, Any]) -> bool:
    """Whether the case expects a version mismatch of a stamp that the index has evalnb read."""
    expected = "\n".join([case.get("stderrPrefix", ""), *case.get("stderrExact", ())])
    stamps = re.findall(r'([A-Za-z]+)(?:\[[^\]]*\])?\.schemaVersion: carries "schemaVersion" ([0-9]+) ', expected)
    read = any(int(stamp) in READS[artifact] for artifact, stamp in stamps)
    return read or ("cli-outcomes.json", case["id"]) in CONTRADICTIONS

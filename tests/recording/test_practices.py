"""The page of practices names nothing that is not there: fields, options, commands, findings, tests."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from evalnb.cli.own_commands import group
from evalnb.recording.approval_policy import ApprovalPolicy
from evalnb.recording.fault_plan import FORMS, FaultFile
from evalnb.trajectory.cases import FaultKind, Suite
from evalnb.trajectory.events import EVENT_CLASSES, RunIdentity
from evalnb.trajectory.findings import FINDING_KINDS
from evalnb.trajectory.gate_policy import GatePolicy
from evalnb.trajectory.grading import RunGrade
from evalnb.trajectory.line_format import camel

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "practices.md"
RECORDING = ROOT / "docs" / "recording.md"
LINT = (ROOT / "evalnb" / "trajectory" / "suite_lint.py").read_text(encoding="utf-8")
_CODE = re.compile(r"`([^`]+)`")


def rows() -> list[list[str]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [row for row in cells if row[0] not in ("Practice", "---")]


ROWS = rows()


def properties(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for value in schema.values():
            yield from properties(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from properties(value)


def known_fields() -> set[str]:
    models: tuple[type[BaseModel], ...] = (Suite, GatePolicy, ApprovalPolicy, FaultFile)
    names = {name for model in models for name in properties(model.model_json_schema(by_alias=True))}
    for shape in (*EVENT_CLASSES, RunIdentity, RunGrade):
        names |= {camel(field.name) for field in dataclasses.fields(shape)}
    return names


def known_options() -> set[str]:
    commands = [group.commands[name] for name in ("record", "replay")]
    commands += list(group.commands["trajectory"].commands.values())  # type: ignore[attr-defined]
    return {option for command in commands for parameter in command.params for option in parameter.opts}


def test_the_page_is_linked_and_has_rows() -> None:
    assert "docs/practices.md" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(ROWS) > 40
    assert all(len(row) == 4 and all(row) for row in ROWS)


def test_fields_options_and_commands_exist() -> None:
    fields, options = known_fields(), known_options()
    for row in ROWS:
        for code in _CODE.findall(row[1]):
            if code.startswith("--"):
                assert code in options, code
            elif code.startswith("evalnb "):
                command: Any = group
                for name in code.split()[1:]:
                    command = command.commands[name]
            elif not code.startswith("notifications/"):
                assert set(code.split(".")) <= fields, code


def test_findings_and_issues_exist_and_every_hard_gate_is_named() -> None:
    named = [code for row in ROWS for code in _CODE.findall(row[2])]
    for code in named:
        assert code in FINDING_KINDS or f'"{code}"' in LINT, code
    assert {kind.code for kind in FINDING_KINDS.values() if kind.hard} <= set(named)


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_every_practice_names_tests_that_are_there(row: list[str]) -> None:
    tests = _CODE.findall(row[3])
    assert tests
    for reference in tests:
        file, _, name = reference.partition("::")
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), reference


def test_the_page_of_faults_names_every_kind_form_and_option() -> None:
    text = RECORDING.read_text(encoding="utf-8")
    for word in (*get_args(FaultKind), *FORMS):
        assert f"`{word}`" in text
    for option in known_options():
        if option in {name for parameter in group.commands["record"].params for name in parameter.opts}:
            assert option in text or not option.startswith("--"), option

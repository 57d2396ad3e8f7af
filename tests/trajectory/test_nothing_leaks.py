"""A secret may stand anywhere in a trace: wherever it stands, it is not in what is kept."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalnb.files import FileProblem
from evalnb.trajectory.grade_files import graded_runs, write_grades
from evalnb.trajectory.grading import grade
from evalnb.trajectory.loading import load, write_lines
from tests.trajectory.runs import Run
from tests.trajectory.test_importers import FILES

SECRET = "mia.li3818@example.com"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all texts in a document."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from places(item, (*path, place))


def planted(value: Any, path: tuple[Any, ...]) -> Any:
    """The document with the secret at the end of one text."""
    changed = copy.deepcopy(value)
    held = changed
    for key in path[:-1]:
        held = held[key]
    held[path[-1]] = f"{held[path[-1]]} {SECRET}"
    return changed


def documents(text: str) -> list[Any]:
    try:
        return [json.loads(text)]
    except ValueError:
        return [[json.loads(line) for line in text.splitlines()]]


def kept(folder: Path, text: str) -> str:
    """Everything that is stored of a trace: its runs, their grades, and the notes on it."""
    trace = folder / "trace.json"
    trace.write_text(text, encoding="utf-8")
    runs = load(trace)
    write_lines(runs, folder / "runs.jsonl")
    write_grades(graded_runs(grade(runs)), folder / "grades.json")
    said = [line for report in runs.reports for line in report.lines()]
    return "\n".join([(folder / "runs.jsonl").read_text(), (folder / "grades.json").read_text(), *said])


@pytest.mark.parametrize("name", FILES)
def test_a_secret_in_any_text_of_any_format_is_not_kept(name: str, tmp_path: Path) -> None:
    trace = next(part for part in FILES[name] if part.lstrip()[:1] in ("[", "{"))
    [document] = documents(trace)
    by_line = isinstance(document, list) and trace.lstrip()[:1] != "["
    tried = 0
    for path in places(document):
        changed = planted(document, path)
        text = "\n".join(json.dumps(line) for line in changed) if by_line else json.dumps(changed)
        try:
            stored = kept(tmp_path, text)
        except FileProblem:
            # A role or a type that is no longer one: nothing was kept.
            continue
        tried += 1
        assert SECRET not in stored, path
    assert tried > 3


def test_a_secret_in_an_approval_or_a_policy_is_not_kept(tmp_path: Path) -> None:
    run = Run(tenant=SECRET).user("cancel it").call("orders.cancel", {"orderId": "o-1"})
    builder = run.builder
    builder.policy(SECRET, roles=(SECRET,), allowed_tools=(SECRET,))
    builder.approval_request({"approval_id": SECRET, "tool": SECRET, "tenant": SECRET, "call_id": SECRET})
    builder.approval_decision({"approval_id": SECRET, "approved": True, "decided_by": SECRET, "reason": SECRET})
    builder.note("bad-time", SECRET)
    write_lines([run.done()], tmp_path / "runs.jsonl")
    assert SECRET not in (tmp_path / "runs.jsonl").read_text()

"""A suite from tau-bench runs: what the ground-truth actions change is what a run must change, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalnb.engine.json_values import Json
from evalnb.files import FileProblem, read_file
from evalnb.trajectory.case_files import problems_of
from evalnb.trajectory.cases import (
    Answer,
    Approvals,
    CallPattern,
    Case,
    CaseClass,
    Effects,
    ExpectedCall,
    Identity,
    Suite,
    ToolSpec,
)
from evalnb.trajectory.documents import documents
from evalnb.trajectory.importers.tau_bench import case_id_of, ground_truth_of
from evalnb.trajectory.tool_effects import changes_state

_PLAIN = ("string", "integer", "number", "boolean")


@dataclass(frozen=True, slots=True)
class TauSuite:
    """The suite, and of how many runs; `without_truth` of them have no ground truth, as crashed ones do."""

    suite: Suite
    runs: int
    without_truth: int

    @property
    def changing(self) -> tuple[str, ...]:
        """The tools taken to change state."""
        return tuple(tool.name for tool in self.suite.tools if tool.changes_state)


def cases_from_tau(runs: str | Path, tools: str | Path | None = None, *, changes: Iterable[str] | None = None) -> Suite:
    """The suite alone, as `tau_suite` makes it."""
    return tau_suite(runs, tools, changes=changes).suite


def tau_suite(runs: str | Path, tools: str | Path | None = None, *, changes: Iterable[str] | None = None) -> TauSuite:
    """A case a task of the tau-bench runs in `runs`.

    `tools` is the file of the tools' schemas, in chat or MCP form; without it the tools are those that the runs and
    their ground truth name. `changes` names the tools that change state; without it `tool_effects` tells. Raises
    `FileProblem` for what is no such file, and where no run has ground truth.
    """
    place = Path(runs)
    found = _found(place)
    if not found.tasks:
        raise FileProblem(place, f"none of its {found.runs} runs has ground-truth actions (info.task.actions)")
    chosen = frozenset(changes or ())
    specs = _specs(found, None if tools is None else Path(tools), chosen)
    changing = frozenset(tool.name for tool in specs if tool.changes_state)
    cases = []
    for case_id, held in found.tasks.items():
        try:
            cases.append(_case(case_id, held.task, changing))
        except ValidationError as error:
            raise FileProblem(place, f"line {held.line}: {problems_of(error)}") from None
    suite = Suite(name=place.name.split(".")[0] or place.name, tools=specs, cases=tuple(cases))
    return TauSuite(suite, found.runs, found.without_truth)


@dataclass(frozen=True, slots=True)
class _Task:
    task: dict[str, Any]
    line: int


@dataclass(slots=True)
class _Found:
    """What the runs hold: a task a case, and the names of all tools met."""

    tasks: dict[str, _Task] = field(default_factory=dict)
    tools: set[str] = field(default_factory=set)
    runs: int = 0
    without_truth: int = 0


def _found(place: Path) -> _Found:
    found = _Found()
    for document in documents(place, lambda line: None):
        record = document.value
        if not isinstance(record, dict) or "task_id" not in record:
            raise FileProblem(place, f"line {document.line}: is no tau-bench run: it has no task_id")
        found.runs += 1
        task = ground_truth_of(record)
        if task is None:
            found.without_truth += 1
        else:
            found.tasks.setdefault(case_id_of(record["task_id"]), _Task(task, document.line))
        found.tools.update(_tools_of(record, task))
    return found


def _tools_of(record: Mapping[str, Any], task: Mapping[str, Any] | None) -> Iterator[str]:
    for action in _actions(task or {}):
        yield action["name"]
    messages = record.get("traj")
    for message in messages if isinstance(messages, list) else []:
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else []:
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict) and isinstance(function.get("name"), str) and function["name"]:
                yield function["name"]


def _actions(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The ground-truth actions; words to the user (`respond`) change nothing, whatever calls itself so."""
    listed = task.get("actions")
    return [
        action
        for action in (listed if isinstance(listed, list) else [])
        if isinstance(action, dict) and isinstance(action.get("name"), str) and action["name"] not in ("", "respond")
    ]


def _case(case_id: str, task: dict[str, Any], changing: frozenset[str]) -> Case:
    actions = [action for action in _actions(task) if action["name"] in changing]
    effects = tuple(
        ExpectedCall(tool=action["name"], arguments=action.get("kwargs", action.get("arguments")) or {})
        for action in actions
    )
    used = {call.tool for call in effects}
    outputs = task.get("outputs")
    kind: CaseClass = "happy" if effects else "authorization"
    return Case(
        id=case_id,
        case_class=kind,
        intent=" then ".join(dict.fromkeys(call.tool for call in effects)) or "change nothing",
        identity=Identity(user=str(task["user_id"]) if task.get("user_id") else None),
        request=str(task.get("instruction") or ""),
        forbidden_calls=tuple(CallPattern(tool=tool) for tool in sorted(changing - used)),
        approvals=Approvals(required=tuple(sorted(changing)), found_in="user-confirmation"),
        effects=Effects(calls=effects),
        must_end=True,
        answer=Answer(must_state=tuple(map(str, outputs if isinstance(outputs, list) else ())), scope="whole-run"),
        slices={"intent": "change" if effects else "no change", "changes": str(min(len(effects), 3))},
    )


def _specs(found: _Found, tools: Path | None, chosen: frozenset[str]) -> tuple[ToolSpec, ...]:
    if tools is None:
        return tuple(_spec({"name": name}, chosen) for name in sorted(found.tools | chosen))
    specs = tuple(_spec(body, chosen) for body in _listed(tools))
    unknown = sorted(chosen - {spec.name for spec in specs})
    if unknown:
        raise FileProblem(tools, f"lists no tool {', '.join(unknown)}")
    return specs


def _listed(place: Path) -> list[Any]:
    try:
        listed: Json = json.loads(read_file(place, "the tools' schemas"))
    except (ValueError, RecursionError) as error:
        raise FileProblem(place, f"is no JSON: {error}") from None
    if isinstance(listed, dict):
        listed = listed.get("tools")
    if not isinstance(listed, list) or not listed:
        raise FileProblem(place, "lists no tools")
    bodies = [entry.get("function", entry) if isinstance(entry, dict) else None for entry in listed]
    if not all(isinstance(body, dict) and isinstance(body.get("name"), str) and body["name"] for body in bodies):
        raise FileProblem(place, "holds a tool without a name")
    return bodies


def _spec(body: Any, chosen: frozenset[str]) -> ToolSpec:
    """A tool as it is listed; `chosen` are the ones that change state, where a person named them."""
    name, annotations = body["name"], body.get("annotations")
    hints = annotations if isinstance(annotations, dict) else {}
    schema = body.get("parameters", body.get("inputSchema", body.get("input_schema")))
    shape = schema if isinstance(schema, dict) else None
    description = body.get("description")
    return ToolSpec(
        name=name,
        description=description if isinstance(description, str) else None,
        input_schema=shape,
        effect="write" if (name in chosen if chosen else changes_state(name, hints)) else "read",
        order_free=_lists_of_plain_values(shape),
    )


def _lists_of_plain_values(schema: dict[str, Any] | None) -> tuple[str, ...]:
    """The arguments that are lists of ids or the like, which the benchmark's systems take in any order."""
    properties = (schema or {}).get("properties")
    return tuple(
        name
        for name, shape in (properties.items() if isinstance(properties, dict) else ())
        if isinstance(shape, dict)
        and shape.get("type") == "array"
        and isinstance(shape.get("items"), dict)
        and shape["items"].get("type") in _PLAIN
    )

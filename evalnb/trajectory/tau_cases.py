"""A suite from tau-bench runs: what the ground-truth actions change is what a run must change, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    case_id_of_truth,
)
from evalnb.trajectory.documents import documents
from evalnb.trajectory.importers.tau_bench import case_id_of, ground_truth_of, truth_digest_of
from evalnb.trajectory.tool_effects import changes_state

_PLAIN = ("string", "integer", "number", "boolean")
# The benchmark's tools that write one thing whole and keep no history of it, with what names that thing.
_OVERWRITES: Mapping[str, tuple[str, ...]] = {
    "modify_user_address": ("user_id",),
    "modify_pending_order_address": ("order_id",),
    "update_reservation_passengers": ("reservation_id",),
}


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
    """A case a task of the tau-bench runs in `runs`; two where runs of one id differ in their ground truth.

    `tools` is the file of the tools' schemas, in chat or MCP form; a tool that it does not list is one that the runs
    and their ground truth name, and reads what its calls in the ground truth hold. `changes` names the tools that
    change state; without it `tool_effects` tells. Raises `FileProblem` for what is no such file, and where no run has
    ground truth.
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
            cases.append(_case(case_id, held, changing))
        except ValidationError as error:
            raise FileProblem(place, f"line {held.line}: {problems_of(error)}") from None
    suite = Suite(name=place.name.split(".")[0] or place.name, tools=specs, cases=tuple(cases))
    return TauSuite(suite, found.runs, found.without_truth)


@dataclass(frozen=True, slots=True)
class _Task:
    case_id: str
    digest: str
    task: dict[str, Any]
    line: int


@dataclass(slots=True)
class _Found:
    """What the runs hold: a task a case, the arguments of the ground truth by tool, and the names of all tools met."""

    tasks: dict[str, _Task] = field(default_factory=dict)
    actions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
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
            _keep(found, _Task(case_id_of(record["task_id"]), truth_digest_of(task), task, document.line))
        found.tools.update(_called(record))
    found.tools.update(found.actions)
    return found


def _keep(found: _Found, one: _Task) -> None:
    case_id = one.case_id
    first = found.tasks.get(case_id)
    if first is not None and first.digest != one.digest:
        case_id = case_id_of_truth(case_id, one.digest)
    if case_id not in found.tasks:
        found.tasks[case_id] = one
        for action in _actions(one.task):
            found.actions.setdefault(action["name"], []).append(_arguments(action))


def _called(record: Mapping[str, Any]) -> Iterator[str]:
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


def _arguments(action: Mapping[str, Any]) -> Any:
    return action.get("kwargs", action.get("arguments")) or {}


def _case(case_id: str, held: _Task, changing: frozenset[str]) -> Case:
    task = held.task
    actions = [action for action in _actions(task) if action["name"] in changing]
    effects = tuple(ExpectedCall(tool=action["name"], arguments=_arguments(action)) for action in actions)
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
        answer=Answer(
            must_state=tuple(map(str, outputs if isinstance(outputs, list) else ())),
            scope="whole-run",
            matching="tau-bench",
        ),
        slices={"intent": "change" if effects else "no change", "changes": str(min(len(effects), 3))},
        truth_digest=held.digest,
    )


def _specs(found: _Found, tools: Path | None, chosen: frozenset[str]) -> tuple[ToolSpec, ...]:
    if tools is None:
        return tuple(_spec({"name": name}, chosen, found) for name in sorted(found.tools | chosen))
    listed = tuple(_spec(body, chosen, found) for body in _listed(tools))
    names = {spec.name for spec in listed}
    unknown = sorted(chosen - names)
    if unknown:
        raise FileProblem(tools, f"lists no tool {', '.join(unknown)}")
    # What the ground truth calls is a tool, listed or not.
    return listed + tuple(_spec({"name": name}, chosen, found) for name in sorted(found.actions.keys() - names))


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


def _spec(body: Any, chosen: frozenset[str], found: _Found) -> ToolSpec:
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
        order_free=_lists_of_plain_values(shape) if shape is not None else _plain_lists(found.actions.get(name, ())),
        overwrites=_OVERWRITES.get(name, ()),
        reads=tuple(_inner_paths(found.actions.get(name, ()))) if shape is None else (),
    )


def _plain_lists(calls: Sequence[Any]) -> tuple[str, ...]:
    """The arguments that are lists of plain values in every call."""
    given = [call for call in calls if isinstance(call, dict)]
    names = dict.fromkeys(name for call in given for name in call)
    return tuple(name for name in names if all(_is_plain_list(call[name]) for call in given if name in call))


def _is_plain_list(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str | int | float) for item in value)


def _inner_paths(calls: Sequence[Any]) -> dict[str, None]:
    """The dotted path of everything that stands inside an argument."""
    paths: dict[str, None] = {}
    pending = [(name, value) for call in calls if isinstance(call, dict) for name, value in call.items()]
    for path, value in pending:
        if isinstance(value, list):
            pending.extend((f"{path}[]", item) for item in value)
        elif isinstance(value, dict):
            held = {f"{path}.{name}": item for name, item in value.items()}
            paths.update(dict.fromkeys(held))
            pending.extend(held.items())
    return paths


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

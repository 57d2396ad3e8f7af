"""A suite from tau-bench runs: what the ground-truth actions change is what a run must change, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

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
from evalnb.trajectory.importers.tau_bench import case_id_of

CHANGES_BY_DOMAIN: Final[Mapping[str, tuple[str, ...]]] = {
    "airline": (
        "book_reservation",
        "cancel_reservation",
        "send_certificate",
        "update_reservation_baggages",
        "update_reservation_flights",
        "update_reservation_passengers",
    ),
    "retail": (
        "cancel_pending_order",
        "exchange_delivered_order_items",
        "modify_pending_order_address",
        "modify_pending_order_items",
        "modify_pending_order_payment",
        "modify_user_address",
        "return_delivered_order_items",
    ),
}
"""The tools of the two published domains that change their state; of other tools nothing says which do."""


def cases_from_tau(
    runs: str | Path,
    tools: str | Path | None = None,
    *,
    changes: Iterable[str] | None = None,
) -> Suite:
    """A case a task of the tau-bench runs in `runs`.

    `tools` is the file of the tools' schemas (chat form), `changes` names the tools that change state (default: those
    of the published domains). Raises `FileProblem` for what is no such file.
    """
    place = Path(runs)
    changing = frozenset(changes or ()) or _changes(tools)
    cases: dict[str, Case] = {}
    for document in documents(place, lambda line: None):
        record = document.value
        info = record.get("info") if isinstance(record, dict) else None
        task = info.get("task") if isinstance(info, dict) else None
        if not isinstance(record, dict) or not isinstance(task, dict) or "task_id" not in record:
            raise FileProblem(place, f"line {document.line}: a run has no info.task with its ground-truth actions")
        case_id = case_id_of(record["task_id"])
        if case_id not in cases:
            try:
                cases[case_id] = _case(case_id, task, changing)
            except ValidationError as error:
                raise FileProblem(place, f"line {document.line}: {problems_of(error)}") from None
    return Suite(name=place.name.split(".")[0], tools=_tools(tools, changing), cases=tuple(cases.values()))


def _changes(tools: str | Path | None) -> frozenset[str]:
    """The changing tools of both published domains; with the tools' file, those of them that it lists."""
    published = frozenset(name for names in CHANGES_BY_DOMAIN.values() for name in names)
    return published if tools is None else published & {tool.name for tool in _tools(tools, published)}


def _case(case_id: str, task: dict[str, Any], changing: frozenset[str]) -> Case:
    listed = task.get("actions")
    named = [action for action in listed if isinstance(action, dict)] if isinstance(listed, list) else []
    actions = [action for action in named if action.get("name") in changing]
    effects = tuple(ExpectedCall(tool=action["name"], arguments=action.get("kwargs") or {}) for action in actions)
    used = {call.tool for call in effects}
    outputs = tuple(str(output) for output in task.get("outputs") or [])
    kind: CaseClass = "happy" if effects else "authorization"
    return Case(
        id=case_id,
        case_class=kind,
        intent=" then ".join(dict.fromkeys(call.tool for call in effects)) or "change nothing",
        identity=Identity(user=str(task["user_id"]) if task.get("user_id") else None),
        request=str(task.get("instruction", "")),
        forbidden_calls=tuple(CallPattern(tool=tool) for tool in sorted(changing - used)),
        approvals=Approvals(required=tuple(sorted(changing)), found_in="user-confirmation"),
        effects=Effects(calls=effects),
        must_end=True,
        answer=Answer(must_state=outputs, scope="whole-run"),
        slices={"intent": "change" if effects else "no change", "changes": str(min(len(effects), 3))},
    )


def _tools(path: str | Path | None, changing: frozenset[str]) -> tuple[ToolSpec, ...]:
    if path is None:
        return tuple(ToolSpec(name=name, effect="write") for name in sorted(changing))
    place = Path(path)
    try:
        listed: Json = json.loads(read_file(place, "the tools' schemas"))
    except ValueError as error:
        raise FileProblem(place, f"is no JSON: {error}") from None
    specs = []
    for entry in listed if isinstance(listed, list) else []:
        body = entry.get("function", entry) if isinstance(entry, dict) else {}
        if not isinstance(body, dict) or not isinstance(body.get("name"), str):
            raise FileProblem(place, "holds a tool without a name")
        specs.append(
            ToolSpec(
                name=body["name"],
                description=body.get("description"),
                input_schema=body.get("parameters"),
                effect="write" if body["name"] in changing else "read",
            )
        )
    return tuple(specs)

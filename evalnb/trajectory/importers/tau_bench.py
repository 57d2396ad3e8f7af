"""tau-bench runs: chat messages with the task, the trial and the benchmark's reward."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import RunIdentity, Trajectory
from evalnb.trajectory.importers.chat_messages import take_message
from evalnb.trajectory.importers.reading import Reading, consumed, number_or_none, text_or_none, whole_or_none
from evalnb.trajectory.tool_effects import HANDOFF_STARTS

STOP = "###STOP###"
_RECORD_KEYS = frozenset({"task_id", "trial", "reward", "info", "traj"})
# The identity takes these of `info`; the rest is ground truth, which cases are made from, and is reported as dropped.
_INFO_KEYS = frozenset({"user_cost"})


def case_id_of(task_id: Json) -> str:
    """The case a task becomes; the suite made from the same runs uses it, too."""
    return f"tau-{task_id}"


def ground_truth_of(record: dict[str, Any]) -> dict[str, Any] | None:
    """The task of a run with its ground-truth actions; None for a run without, as one that crashed."""
    info = record.get("info")
    task = info.get("task") if isinstance(info, dict) else None
    return task if isinstance(task, dict) and "actions" in task else None


def truth_digest_of(task: dict[str, Any]) -> str:
    """A digest of what a run of the task must do and say."""
    told = json.dumps([task.get("actions"), task.get("outputs")], sort_keys=True)
    return sha256(told.encode()).hexdigest()[:12]


def import_documents(found: Iterator[Document], reading: Reading) -> Iterator[Trajectory]:
    """One trajectory a record."""
    for document in found:
        yield _run(document, reading)


def _run(document: Document, reading: Reading) -> Trajectory:
    line = document.line
    record = reading.object_of(document.value, line, "a run")
    if "task_id" not in record:
        reading.fail(line, "a run has no task_id")
    held = record.get("traj")
    messages = reading.list_of([] if held is None else held, line, "traj")
    _tell_dropped(record, reading)
    builder = reading.builder(_identity(record))
    ended = _ended(messages)
    for place, message in enumerate(consumed(messages), 1):
        take_message(builder, reading, message, place, line)
    return builder.finish(ended=ended)


def _tell_dropped(record: dict[str, Any], reading: Reading) -> None:
    reading.rest(record, _RECORD_KEYS, "record")
    info = record.get("info")
    if isinstance(info, dict):
        reading.rest(info, _INFO_KEYS, "info")
    elif info is not None:
        reading.drop("info that is no object")
    reward, trial = record.get("reward"), record.get("trial")
    if reward is not None and _reward(reward) is None:
        reading.drop("reward that is no number")
    if trial is not None and whole_or_none(trial) is None:
        reading.drop("trial that is no whole number")


def _reward(value: Json) -> Json:
    return value if isinstance(value, bool) else number_or_none(value)


def _identity(record: dict[str, Any]) -> RunIdentity:
    held = record.get("info")
    info = held if isinstance(held, dict) else {}
    given = info.get("task")
    task = given if isinstance(given, dict) else {}
    trial = whole_or_none(record.get("trial"))
    labels: dict[str, Json] = {}
    if _reward(record.get("reward")) is not None:
        labels["reward"] = record["reward"]
    if number_or_none(info.get("user_cost")) is not None:
        labels["user_cost"] = info["user_cost"]
    return RunIdentity(
        run_id=f"{case_id_of(record['task_id'])}/{0 if trial is None else trial}",
        case_id=case_id_of(record["task_id"]),
        trial=trial,
        user=text_or_none(task.get("user_id")),
        truth_digest=None if (truth := ground_truth_of(record)) is None else truth_digest_of(truth),
        labels=labels,
    )


def _ended(messages: list[Any]) -> bool:
    """Whether the user stopped, or the run was handed to a person; else the step limit cut it, or it crashed."""
    last = messages[-1] if messages and isinstance(messages[-1], dict) else {}
    if last.get("role") == "user":
        return STOP in json.dumps(last.get("content"))
    return last.get("role") in ("tool", "function") and _answered(last, messages).startswith(HANDOFF_STARTS)


def _answered(result: dict[str, Any], messages: list[Any]) -> str:
    """The name of the tool that a result answers: its own, else that of the call with its id."""
    if isinstance(result.get("name"), str):
        return str(result["name"])
    for message in reversed(messages):
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else []:
            if isinstance(call, dict) and call.get("id") == result.get("tool_call_id"):
                function = call.get("function")
                return str(function.get("name")) if isinstance(function, dict) else ""
    return ""

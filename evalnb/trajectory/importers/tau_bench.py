"""tau-bench runs: chat messages with the task, the trial and the benchmark's reward."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import RunIdentity, Trajectory
from evalnb.trajectory.importers.chat_messages import take_message
from evalnb.trajectory.importers.reading import Reading, consumed, number_or_none, text_or_none, whole_or_none

STOP = "###STOP###"
_RECORD_KEYS = frozenset({"task_id", "trial", "reward", "info", "traj"})
# The identity takes these of `info`; the rest is ground truth, which cases are made from, and is reported as dropped.
_INFO_KEYS = frozenset({"user_cost"})


def case_id_of(task_id: Json) -> str:
    """The case a task becomes; the suite made from the same runs uses it, too."""
    return f"tau-{task_id}"


def import_documents(found: Iterator[Document], reading: Reading) -> Iterator[Trajectory]:
    """One trajectory a record."""
    for document in found:
        yield _run(document, reading)


def _run(document: Document, reading: Reading) -> Trajectory:
    line = document.line
    record = reading.object_of(document.value, line, "a run")
    if "task_id" not in record:
        reading.fail(line, "a run has no task_id")
    messages = reading.list_of(record.get("traj"), line, "traj")
    for key in record.keys() - _RECORD_KEYS:
        reading.drop(f"record key {key!r}")
    info = record.get("info")
    for key in (info if isinstance(info, dict) else {}).keys() - _INFO_KEYS:
        reading.drop(f"info key {key!r}")
    builder = reading.builder(_identity(record))
    ended = _ended(messages)
    for place, message in enumerate(consumed(messages), 1):
        take_message(builder, reading, message, place, line)
    return builder.finish(ended=ended)


def _identity(record: dict[str, Any]) -> RunIdentity:
    held = record.get("info")
    info = held if isinstance(held, dict) else {}
    given = info.get("task")
    task = given if isinstance(given, dict) else {}
    trial = whole_or_none(record.get("trial"))
    labels: dict[str, Json] = {}
    if number_or_none(record.get("reward")) is not None:
        labels["reward"] = record["reward"]
    if number_or_none(info.get("user_cost")) is not None:
        labels["user_cost"] = info["user_cost"]
    return RunIdentity(
        run_id=f"{case_id_of(record['task_id'])}/{0 if trial is None else trial}",
        case_id=case_id_of(record["task_id"]),
        trial=trial,
        user=text_or_none(task.get("user_id")),
        labels=labels,
    )


def _ended(messages: list[Any]) -> bool:
    """Whether the user stopped, or the run was handed to a person; else the step limit cut it."""
    last = messages[-1] if messages and isinstance(messages[-1], dict) else {}
    if last.get("role") == "user":
        return STOP in str(last.get("content"))
    return last.get("role") == "tool" and last.get("name") == "transfer_to_human_agents"

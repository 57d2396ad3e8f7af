"""inspect_ai logs: a `.json` log, or a `.eval` archive whose samples are read one by one."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.files import FileProblem
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import ResultStatus, RunIdentity, Trajectory
from evalnb.trajectory.importers.chat_messages import take_message
from evalnb.trajectory.importers.chats import content_text
from evalnb.trajectory.importers.reading import Reading, number_or_none, text_or_none, whole_or_none
from evalnb.trajectory.run_builder import NO_USAGE, RunBuilder, Usage

# How inspect_ai names a tool's failure, and what that is here; every other name is an execution error.
_STATUS_OF_ERROR: Mapping[str, ResultStatus] = {
    "timeout": "timeout",
    "approval": "denied",
    "parsing": "protocol-error",
    "unicode_decode": "malformed",
}
_REFERENCES = ("attachment://", "tc://")
_LOG_KEYS = frozenset({"version", "status", "eval", "samples"})
_EVAL_KEYS = frozenset({"task", "model"})
_SAMPLE_KEYS = frozenset({"id", "epoch", "messages", "attachments", "events", "scores", "total_time"})
_SCORE_KEYS = frozenset({"value"})
_RESULT_KEYS = frozenset({"role", "content", "function", "tool_call_id", "error"})
_ERROR_KEYS = frozenset({"type", "message"})


@dataclass(frozen=True, slots=True)
class _Task:
    """What all samples of a log share."""

    name: str
    model: str | None


def import_documents(found: Iterator[Document], reading: Reading) -> Iterator[Trajectory]:
    """One trajectory a sample and epoch."""
    for document in found:
        log = reading.object_of(document.value, document.line, "a log")
        task = _task(log, reading)
        samples = log.get("samples")
        for sample in reading.list_of([] if samples is None else samples, document.line, "samples"):
            yield _run(reading.object_of(sample, document.line, "a sample"), task, reading, document.line)


def import_archive(path: Path, reading: Reading) -> Iterator[Trajectory]:
    """One trajectory a sample of a `.eval` archive."""
    try:
        with _archives().ZipFile(path) as archive:
            names = archive.namelist()
            header = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
            if header is None:
                raise FileProblem(path, "is an archive without header.json: no inspect_ai log")
            task = _task(_member(archive, header, path), reading)
            for name in names:
                if name.startswith("samples/") and name.endswith(".json"):
                    yield _run(_member(archive, name, path), task, reading, 1)
                elif name != header:
                    reading.drop(f"file {name[:60]!r} of the archive")
    except _damages() as error:
        raise FileProblem(path, f"is a damaged archive ({error})") from None


def _archives() -> Any:
    """The module that opens archives: one that knows zstandard, where there is one."""
    try:
        return import_module("backports.zstd.zipfile")
    except ModuleNotFoundError:
        # From Python 3.14 on this one knows it, too.
        return zipfile


def _damages() -> tuple[type[Exception], ...]:
    """What reading an archive raises whose bytes are not what they were."""
    # A flipped bit may ask for a version, a packing or a password that nobody has.
    asked = (NotImplementedError, RuntimeError, UnicodeDecodeError)
    return tuple({zipfile.BadZipFile, _archives().BadZipFile, zlib.error, struct.error, EOFError, *asked})


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> dict[str, Any]:
    try:
        value = json.loads(archive.read(name))
    except NotImplementedError:
        reason = f"{name} is packed with zstandard: pip install 'evalnb[inspect]', or convert the log to .json"
        raise FileProblem(path, reason) from None
    except (ValueError, RecursionError) as error:
        raise FileProblem(path, f"{name} is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise FileProblem(path, f"{name} is no object")
    return value


def _task(log: dict[str, Any], reading: Reading) -> _Task:
    held = log.get("eval")
    told = held if isinstance(held, dict) else {}
    reading.rest(log, _LOG_KEYS, "log")
    reading.rest(told, _EVAL_KEYS, "eval")
    return _Task(text_or_none(told.get("task")) or "task", text_or_none(told.get("model")))


def _run(sample: dict[str, Any], task: _Task, reading: Reading, line: int) -> Trajectory:
    builder = reading.builder(_identity(sample, task, reading))
    reading.rest(sample, _SAMPLE_KEYS, "sample")
    attachments = sample.get("attachments")
    texts = attachments if isinstance(attachments, dict) else {}
    used: set[str] = set()
    taken = _usages(sample, reading)
    messages = sample.get("messages")
    for place, message in enumerate(reading.list_of([] if messages is None else messages, line, "messages"), 1):
        body = _attached(reading.object_of(message, line, f"message {place}"), texts, used)
        builder.place = f"message {place}"
        if body.get("role") == "tool":
            _tool_result(builder, reading, body)
        else:
            usage = taken.get(str(body.get("id")), NO_USAGE)
            if usage != NO_USAGE and body.get("role") == "assistant":
                body = _with_usage(body, usage)
            take_message(builder, reading, body, place, line)
    if len(texts) > len(used):
        reading.drop("attachment that no message refers to", len(texts) - len(used))
    return builder.finish()


def _identity(sample: dict[str, Any], task: _Task, reading: Reading) -> RunIdentity:
    sample_id, epoch = sample.get("id"), whole_or_none(sample.get("epoch"))
    labels: dict[str, Json] = {}
    scores = sample.get("scores")
    for scorer, score in (scores if isinstance(scores, dict) else {}).items():
        if isinstance(score, dict):
            reading.rest(score, _SCORE_KEYS, "score")
        labels[f"score:{scorer}"] = score.get("value") if isinstance(score, dict) else score
    if number_or_none(sample.get("total_time")) is not None:
        labels["total_time"] = sample["total_time"]
    return RunIdentity(
        run_id=f"{task.name}/{sample_id}/{1 if epoch is None else epoch}",
        case_id=f"{task.name}/{sample_id}",
        trial=epoch,
        model=task.model,
        labels=labels,
        slices={"task": task.name},
    )


def _usages(sample: dict[str, Any], reading: Reading) -> dict[str, Usage]:
    """What each model answer took, by the id of its message; other recorded steps are counted as dropped."""
    found: dict[str, Usage] = {}
    events = sample.get("events")
    for event in events if isinstance(events, list) else []:
        kind = event.get("event") if isinstance(event, dict) else None
        if kind != "model":
            reading.drop(f"recorded step of kind {str(kind)[:40]!r}")
            continue
        output = event.get("output")
        answer = output if isinstance(output, dict) else {}
        choices = answer.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            message = choice.get("message") if isinstance(choice, dict) else None
            if isinstance(message, dict) and message.get("id"):
                found[str(message["id"])] = _usage_of(answer)
    return found


def _usage_of(answer: dict[str, Any]) -> Usage:
    held = answer.get("usage")
    tokens = held if isinstance(held, dict) else {}
    return Usage(
        text_or_none(answer.get("model")),
        whole_or_none(tokens.get("input_tokens")),
        whole_or_none(tokens.get("output_tokens")),
        None,
        number_or_none(answer.get("time")),
    )


def _with_usage(body: dict[str, Any], usage: Usage) -> dict[str, Any]:
    return {
        **body,
        "model": usage.model,
        "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
    }


def _attached(message: dict[str, Any], texts: dict[str, Any], used: set[str]) -> dict[str, Any]:
    """A message with the long texts that the log keeps apart put back; their names join `used`."""

    def put_back(value: Json) -> Json:
        if isinstance(value, str):
            for start in _REFERENCES:
                if value.startswith(start) and isinstance(texts.get(name := value[len(start) :]), str):
                    used.add(name)
                    return str(texts[name])
            return value
        if isinstance(value, list):
            return [put_back(item) for item in value]
        if isinstance(value, dict):
            return {key: put_back(item) for key, item in value.items()}
        return value

    whole = put_back(message) if texts else message
    assert isinstance(whole, dict)
    return whole


def _tool_result(builder: RunBuilder, reading: Reading, body: dict[str, Any]) -> None:
    reading.rest(body, _RESULT_KEYS, "message")
    error = body.get("error")
    status: ResultStatus = "ok"
    if isinstance(error, dict):
        reading.rest(error, _ERROR_KEYS, "error")
        status = _STATUS_OF_ERROR.get(str(error.get("type")), "execution-error")
    text = content_text(builder, reading, body.get("content"))
    if isinstance(error, dict) and not text:
        text = text_or_none(error.get("message"))
    name = text_or_none(body.get("function"))
    builder.result(text_or_none(body.get("tool_call_id")) or name or "", text, status, name=name)

"""OpenAI-style chat messages: a run an array, a run a record with `messages`, or one run's messages line by line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import RunIdentity, ToolDescription, Trajectory
from evalnb.trajectory.importers.reading import (
    Reading,
    consumed,
    number_or_none,
    status_of_error,
    status_of_text,
    text_or_none,
    whole_or_none,
)
from evalnb.trajectory.run_builder import RunBuilder, Usage

# The keys of a record that become part of a run's identity or its events; every other key is reported as dropped.
_RECORD_KEYS = frozenset(
    {"messages", "id", "run_id", "case_id", "trial", "tenant", "user", "model", "release", "prompt_version",
     "labels", "slices", "tools"}
)  # fmt: skip
_MESSAGE_KEYS = frozenset(
    {"role", "content", "tool_calls", "tool_call_id", "name", "refusal", "timestamp", "created_at", "id",
     "function_call", "model", "usage", "is_error"}
)  # fmt: skip
_TIME_KEYS = ("timestamp", "created_at")


def import_documents(found: Iterator[Document], reading: Reading) -> Iterator[Trajectory]:
    """Every run of the file."""
    first = next(found)
    if isinstance(first.value, dict) and "role" in first.value:
        builder = reading.builder(RunIdentity(reading.stem))
        for place, document in enumerate(chain([first], found), 1):
            take_message(builder, reading, document.value, place, document.line)
        yield builder.finish()
        return
    for number, document in enumerate(chain([first], found), 1):
        yield _run(document, number, reading)


def _run(document: Document, number: int, reading: Reading) -> Trajectory:
    value, line = document.value, document.line
    fallback = f"{reading.stem}-{number}"
    if isinstance(value, list):
        builder = reading.builder(RunIdentity(fallback))
        messages = value
    else:
        record = reading.object_of(value, line, "a run")
        builder = reading.builder(record_identity(record, fallback))
        messages = reading.list_of(record.get("messages"), line, "messages")
        for key in record.keys() - _RECORD_KEYS:
            reading.drop(f"record key {key!r}")
        tools = described_tools(record.get("tools"))
        if tools:
            builder.discovered(tools)
    for place, message in enumerate(consumed(messages), 1):
        take_message(builder, reading, message, place, line)
    return builder.finish()


def record_identity(record: dict[str, Any], fallback: str) -> RunIdentity:
    """The identity a record's own keys give."""
    labels, slices = record.get("labels"), record.get("slices")
    return RunIdentity(
        run_id=text_or_none(record.get("run_id")) or text_or_none(record.get("id")) or fallback,
        case_id=text_or_none(record.get("case_id")),
        trial=whole_or_none(record.get("trial")),
        tenant=text_or_none(record.get("tenant")),
        user=text_or_none(record.get("user")),
        model=text_or_none(record.get("model")),
        prompt_version=text_or_none(record.get("prompt_version")),
        release=text_or_none(record.get("release")),
        labels=labels if isinstance(labels, dict) else {},
        slices={str(key): str(item) for key, item in slices.items()} if isinstance(slices, dict) else {},
    )


def described_tools(value: Json) -> tuple[ToolDescription, ...]:
    """Tools as chat requests list them: `{"type": "function", "function": {...}}`, or the function alone."""
    if not isinstance(value, list):
        return ()
    tools = []
    for entry in value:
        body = entry.get("function", entry) if isinstance(entry, dict) else None
        if isinstance(body, dict) and isinstance(body.get("name"), str):
            schema = body.get("parameters", body.get("input_schema", body.get("inputSchema")))
            tools.append(ToolDescription(body["name"], text_or_none(body.get("description")), schema))
    return tuple(tools)


def take_message(builder: RunBuilder, reading: Reading, message: Json, place: int, line: int) -> None:
    """Turn one message into events."""
    builder.place = f"message {place}"
    body = reading.object_of(message, line, f"message {place}")
    at = builder.time(next((body[key] for key in _TIME_KEYS if key in body), None))
    if not body.keys() <= _MESSAGE_KEYS:
        for key in body.keys() - _MESSAGE_KEYS:
            reading.drop(f"message key {key!r}")
    role = body.get("role")
    text = content_text(builder, reading, body.get("content"))
    if role == "user":
        builder.user(text or "", at)
    elif role in ("system", "developer"):
        builder.policy(text, at)
    elif role == "assistant":
        builder.decision(text or text_or_none(body.get("refusal")), at, _usage(body))
        _calls(builder, reading, body, at, line)
    elif role in ("tool", "function"):
        call_id = text_or_none(body.get("tool_call_id")) or text_or_none(body.get("name")) or ""
        status = status_of_error(text or "") if body.get("is_error") is True else status_of_text(text)
        builder.result(call_id, text, status, at, name=text_or_none(body.get("name")))
    else:
        builder.note("unknown-role", f"role {str(role)[:60]!r}")
        reading.drop(f"message of role {str(role)[:60]!r}")


def content_text(builder: RunBuilder, reading: Reading, content: Json) -> str | None:
    """The text of a message's content; parts that are no text are noted and counted."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        builder.note("unknown-block", f"content of kind {type(content).__name__}")
        reading.drop("content that is neither text nor parts")
        return None
    texts = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(part, str):
            texts.append(part)
        elif kind in ("text", "input_text", "output_text") and isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            builder.note("not-text", f"a part of kind {str(kind)[:60]!r}")
            reading.drop(f"content part of kind {str(kind)[:60]!r}")
    return "\n".join(texts) if texts else None


def _usage(body: dict[str, Any]) -> Usage:
    used = body.get("usage")
    tokens = used if isinstance(used, dict) else {}
    return Usage(
        model=text_or_none(body.get("model")),
        input_tokens=whole_or_none(tokens.get("prompt_tokens", tokens.get("input_tokens"))),
        output_tokens=whole_or_none(tokens.get("completion_tokens", tokens.get("output_tokens"))),
        cost=number_or_none(tokens.get("cost")),
    )


def _calls(builder: RunBuilder, reading: Reading, body: dict[str, Any], at: float | None, line: int) -> None:
    calls = body.get("tool_calls")
    if calls is not None:
        for call in reading.list_of(calls, line, f"tool_calls of {builder.place}"):
            entry = reading.object_of(call, line, f"a tool call of {builder.place}")
            function = entry.get("function")
            # inspect_ai writes the name where OpenAI writes an object.
            body_of = (
                function if isinstance(function, dict) else {"name": function, "arguments": entry.get("arguments")}
            )
            name = text_or_none(body_of.get("name"))
            if name is None:
                reading.fail(line, f"a tool call of {builder.place} has no name")
            builder.call(text_or_none(entry.get("id")) or name, name, body_of.get("arguments"), at)
    single = body.get("function_call")
    if isinstance(single, dict) and isinstance(single.get("name"), str):
        builder.call(single["name"], single["name"], single.get("arguments"), at)

"""What all chat exports share: a run an array, a run a record with `messages`, or one run's messages line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, TypeAlias

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import RunIdentity, ToolDescription, Trajectory
from evalnb.trajectory.importers.reading import Reading, consumed, text_or_none, whole_or_none
from evalnb.trajectory.run_builder import RunBuilder

TakeMessage: TypeAlias = Callable[[RunBuilder, Reading, Json, int, int], None]
"""Turns one message into events; the numbers are its place in the run and its line."""

# The keys of a record that become part of a run's identity or its events; every other key is reported as dropped.
_RECORD_KEYS = frozenset(
    {"messages", "system", "tools", "id", "run_id", "case_id", "trial", "tenant", "user", "model", "release",
     "prompt_version", "labels", "slices"}
)  # fmt: skip
TIME_KEYS = ("timestamp", "created_at")
_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")
_OUTPUT_KEYS = ("output_schema", "outputSchema")
_TOOL_KEYS = frozenset({"type", "name", "description", "version", *_SCHEMA_KEYS, *_OUTPUT_KEYS})
_WRAPPED_TOOL_KEYS = frozenset({"type", "function"})
_PART_KEYS = frozenset({"type", "text", "refusal"})


def import_chats(found: Iterator[Document], reading: Reading, take: TakeMessage) -> Iterator[Trajectory]:
    """Every run of the file."""
    first = next(found)
    if isinstance(first.value, dict) and first.value.keys() & {"role", "type"} and "messages" not in first.value:
        builder = reading.builder(RunIdentity(reading.stem))
        for place, document in enumerate(chain([first], found), 1):
            take(builder, reading, document.value, place, document.line)
        yield builder.finish()
        return
    for number, document in enumerate(chain([first], found), 1):
        yield _run(document, number, reading, take)


def _run(document: Document, number: int, reading: Reading, take: TakeMessage) -> Trajectory:
    value, line = document.value, document.line
    fallback = f"{reading.stem}-{number}"
    if isinstance(value, list):
        builder, messages = reading.builder(RunIdentity(fallback)), value
    else:
        record = reading.object_of(value, line, "a run")
        builder = reading.builder(_identity(record, fallback))
        messages = reading.list_of(record.get("messages"), line, "messages")
        reading.rest(record, _RECORD_KEYS, "record")
        if record.get("system") is not None:
            builder.policy(content_text(builder, reading, record["system"]))
        tools = described_tools(record.get("tools"), reading)
        if tools:
            builder.discovered(tools)
    for place, message in enumerate(consumed(messages), 1):
        take(builder, reading, message, place, line)
    return builder.finish()


def _identity(record: dict[str, Any], fallback: str) -> RunIdentity:
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


def described_tools(value: Json, reading: Reading) -> tuple[ToolDescription, ...]:
    """Tools as chat requests list them: `{"type": "function", "function": {...}}`, or the function alone."""
    if value is not None and not isinstance(value, list):
        reading.drop("tools that are no array")
    tools = []
    for entry in value if isinstance(value, list) else []:
        body = entry.get("function", entry) if isinstance(entry, dict) else None
        if not isinstance(body, dict) or not isinstance(body.get("name"), str):
            reading.drop("tool without a name")
            continue
        if body is not entry:
            reading.rest(entry, _WRAPPED_TOOL_KEYS, "tool")
        reading.rest(body, _TOOL_KEYS, "tool")
        schema = next((body[key] for key in _SCHEMA_KEYS if key in body), None)
        output = next((body[key] for key in _OUTPUT_KEYS if key in body), None)
        version = text_or_none(body.get("version"))
        tools.append(ToolDescription(body["name"], text_or_none(body.get("description")), schema, output, version))
    return tuple(tools)


def begin(
    builder: RunBuilder, reading: Reading, message: Json, place: int, line: int, taken: frozenset[str]
) -> dict[str, Any]:
    """The message as an object; keys that say something and are not `taken` are counted as dropped."""
    builder.place = f"message {place}"
    body = reading.object_of(message, line, builder.place)
    reading.rest(body, taken, "message")
    return body


def time_of(builder: RunBuilder, body: dict[str, Any]) -> float | None:
    """The time of a message, None where it names none."""
    return builder.time(next((body[key] for key in TIME_KEYS if key in body), None))


def unknown_role(builder: RunBuilder, reading: Reading, role: Json) -> None:
    """Note and count a message that no event stands for."""
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
        if isinstance(part, dict):
            reading.rest(part, _PART_KEYS, f"{str(kind)[:60]} part")
        if isinstance(part, str):
            texts.append(part)
        elif kind in ("text", "input_text", "output_text") and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif kind == "refusal" and isinstance(part.get("refusal"), str):
            texts.append(part["refusal"])
        else:
            builder.note("not-text", f"a part of kind {str(kind)[:60]!r}")
            reading.drop(f"content part of kind {str(kind)[:60]!r}")
    return "\n".join(texts) if texts else None

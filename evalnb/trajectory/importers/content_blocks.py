"""Anthropic-style chats: messages whose content is blocks of text, thinking, tool use and tool results."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import RunIdentity, Trajectory
from evalnb.trajectory.importers.chat_messages import content_text, described_tools, record_identity
from evalnb.trajectory.importers.reading import (
    Reading,
    consumed,
    status_of_error,
    status_of_text,
    text_or_none,
    whole_or_none,
)
from evalnb.trajectory.run_builder import NO_USAGE, RunBuilder, Usage

_RECORD_KEYS = frozenset(
    {"messages", "system", "tools", "id", "run_id", "case_id", "trial", "tenant", "user", "model", "release",
     "prompt_version", "labels", "slices"}
)  # fmt: skip
_MESSAGE_KEYS = frozenset(
    {"role", "content", "id", "type", "model", "usage", "stop_reason", "stop_sequence", "timestamp", "created_at"}
)


def import_documents(found: Iterator[Document], reading: Reading) -> Iterator[Trajectory]:
    """Every run of the file: a record a run, or one run's messages line by line."""
    first = next(found)
    if isinstance(first.value, dict) and "role" in first.value:
        builder = reading.builder(RunIdentity(reading.stem))
        for place, document in enumerate(chain([first], found), 1):
            _take_message(builder, reading, document.value, place, document.line)
        yield builder.finish()
        return
    for number, document in enumerate(chain([first], found), 1):
        yield _run(document, number, reading)


def _run(document: Document, number: int, reading: Reading) -> Trajectory:
    value, line = document.value, document.line
    fallback = f"{reading.stem}-{number}"
    if isinstance(value, list):
        builder, messages = reading.builder(RunIdentity(fallback)), value
    else:
        record = reading.object_of(value, line, "a run")
        builder = reading.builder(record_identity(record, fallback))
        messages = reading.list_of(record.get("messages"), line, "messages")
        for key in record.keys() - _RECORD_KEYS:
            reading.drop(f"record key {key!r}")
        if record.get("system") is not None:
            builder.policy(content_text(builder, reading, record["system"]))
        tools = described_tools(record.get("tools"))
        if tools:
            builder.discovered(tools)
    for place, message in enumerate(consumed(messages), 1):
        _take_message(builder, reading, message, place, line)
    return builder.finish()


def _take_message(builder: RunBuilder, reading: Reading, message: Json, place: int, line: int) -> None:
    builder.place = f"message {place}"
    body = reading.object_of(message, line, f"message {place}")
    at = builder.time(body.get("timestamp", body.get("created_at")))
    for key in body.keys() - _MESSAGE_KEYS:
        reading.drop(f"message key {key!r}")
    role, content = body.get("role"), body.get("content")
    if role not in ("user", "assistant", "system"):
        builder.note("unknown-role", f"role {str(role)[:60]!r}")
        reading.drop(f"message of role {str(role)[:60]!r}")
        return
    blocks: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else []
    if not isinstance(content, str) and content is not None:
        blocks = reading.list_of(content, line, f"content of message {place}")
    usage = _usage(body)
    for block in blocks:
        entry = reading.object_of(block, line, f"a block of message {place}")
        if _take_block(builder, reading, entry, role, at, usage):
            usage = NO_USAGE
    if usage != NO_USAGE:
        builder.decision(None, at, usage)


def _take_block(
    builder: RunBuilder, reading: Reading, block: dict[str, Any], role: str, at: float | None, usage: Usage
) -> bool:
    """Turn one block into an event; True when the event took the message's usage."""
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        if role == "assistant":
            builder.decision(block["text"], at, usage)
            return bool(block["text"])
        (builder.user if role == "user" else builder.policy)(block["text"], at)
    elif kind in ("tool_use", "server_tool_use", "mcp_tool_use") and isinstance(block.get("name"), str):
        builder.call(text_or_none(block.get("id")) or block["name"], block["name"], block.get("input"), at)
    elif kind in ("tool_result", "mcp_tool_result"):
        text = content_text(builder, reading, block.get("content"))
        status = status_of_error(text or "") if block.get("is_error") is True else status_of_text(text)
        builder.result(text_or_none(block.get("tool_use_id")) or "", text, status, at)
    elif kind in ("thinking", "redacted_thinking"):
        reading.drop("thinking block")
    else:
        builder.note("unknown-block", f"a block of kind {str(kind)[:60]!r}")
        reading.drop(f"block of kind {str(kind)[:60]!r}")
    return False


def _usage(body: dict[str, Any]) -> Usage:
    used = body.get("usage")
    tokens = used if isinstance(used, dict) else {}
    return Usage(
        model=text_or_none(body.get("model")),
        input_tokens=whole_or_none(tokens.get("input_tokens")),
        output_tokens=whole_or_none(tokens.get("output_tokens")),
    )

"""Anthropic-style chats: messages whose content is blocks of text, thinking, tool use and tool results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import Trajectory
from evalnb.trajectory.importers.chats import TIME_KEYS, begin, content_text, import_chats, time_of, unknown_role
from evalnb.trajectory.importers.reading import (
    Reading,
    status_of_error,
    status_of_text,
    text_or_none,
    whole_or_none,
)
from evalnb.trajectory.run_builder import NO_USAGE, RunBuilder, Usage

_KEYS = frozenset({"role", "content", "type", "model", "usage", *TIME_KEYS})


# What the block's event is made of; what else a block says is counted.
_BLOCK_KEYS: Mapping[str, frozenset[str]] = {
    "text": frozenset({"type", "text"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
}
_USES = ("tool_use", "server_tool_use", "mcp_tool_use")
_RESULTS = ("tool_result", "mcp_tool_result")
_USE_KEYS = frozenset({"type", "id", "name", "input"})
_RESULT_KEYS = frozenset({"type", "tool_use_id", "content", "is_error"})
_USAGE_KEYS = frozenset({"input_tokens", "output_tokens"})


def import_documents(found: Iterator[Document], reading: Reading) -> Iterator[Trajectory]:
    """Every run of the file."""
    return import_chats(found, reading, take_block_message)


def holds_blocks(content: Json) -> bool:
    """Whether a message's content has blocks that stand for calls or results."""
    kinds = (*_USES, *_RESULTS)
    return isinstance(content, list) and any(isinstance(one, dict) and one.get("type") in kinds for one in content)


def take_block_message(builder: RunBuilder, reading: Reading, message: Json, place: int, line: int) -> None:
    """Turn one message into events."""
    body = begin(builder, reading, message, place, line, _KEYS)
    at = time_of(builder, body)
    role, content = body.get("role"), body.get("content")
    if role not in ("user", "assistant", "system"):
        unknown_role(builder, reading, role)
        return
    blocks: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else []
    if not isinstance(content, str) and content is not None:
        blocks = reading.list_of(content, line, f"content of message {place}")
    usage = _usage(body, reading)
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
    taken = _RESULT_KEYS if kind in _RESULTS else _USE_KEYS if kind in _USES else _BLOCK_KEYS.get(str(kind))
    if taken is not None:
        reading.rest(block, taken, f"{kind} block")
    if kind == "text" and isinstance(block.get("text"), str):
        if role == "assistant":
            builder.decision(block["text"], at, usage)
            return bool(block["text"])
        (builder.user if role == "user" else builder.policy)(block["text"], at)
    elif kind in _USES and isinstance(block.get("name"), str):
        builder.call(text_or_none(block.get("id")) or block["name"], block["name"], block.get("input"), at)
    elif kind in _RESULTS:
        text = content_text(builder, reading, block.get("content"))
        status = status_of_error(text or "") if block.get("is_error") is True else status_of_text(text)
        builder.result(text_or_none(block.get("tool_use_id")) or "", text, status, at)
    elif kind in ("thinking", "redacted_thinking"):
        reading.drop("thinking block")
    else:
        builder.note("unknown-block", f"a block of kind {str(kind)[:60]!r}")
        reading.drop(f"block of kind {str(kind)[:60]!r}")
    return False


def _usage(body: dict[str, Any], reading: Reading) -> Usage:
    used = body.get("usage")
    tokens = used if isinstance(used, dict) else {}
    reading.rest(tokens, _USAGE_KEYS, "usage")
    return Usage(
        model=text_or_none(body.get("model")),
        input_tokens=whole_or_none(tokens.get("input_tokens")),
        output_tokens=whole_or_none(tokens.get("output_tokens")),
    )

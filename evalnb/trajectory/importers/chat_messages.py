"""OpenAI-style chats: messages with tool calls, in the older form with one function call, and items of responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import Trajectory
from evalnb.trajectory.importers.chats import TIME_KEYS, begin, content_text, import_chats, time_of, unknown_role
from evalnb.trajectory.importers.content_blocks import holds_blocks, take_block_message
from evalnb.trajectory.importers.reading import (
    Reading,
    number_or_none,
    status_of_error,
    status_of_text,
    text_or_none,
    whole_or_none,
)
from evalnb.trajectory.run_builder import RunBuilder, Usage

_COMMON = frozenset({"role", "content", "type", *TIME_KEYS})
_RESULT_KEYS = _COMMON | {"tool_call_id", "name", "is_error"}
_KEYS_OF_ROLE: Mapping[str, frozenset[str]] = {
    "user": _COMMON,
    "system": _COMMON,
    "developer": _COMMON,
    "assistant": _COMMON | {"tool_calls", "function_call", "refusal", "model", "usage"},
    "tool": _RESULT_KEYS,
    "function": _RESULT_KEYS,
}
_ITEM_KEYS = frozenset({"type", "call_id", "name", "arguments", "input", "output", *TIME_KEYS})
_CALL_KEYS = frozenset({"id", "type", "index", "function", "custom", "name", "arguments", "input"})
_FUNCTION_KEYS = frozenset({"name", "arguments", "input"})
_USAGE_KEYS = frozenset({"prompt_tokens", "input_tokens", "completion_tokens", "output_tokens", "total_tokens", "cost"})
_CALL_ITEMS = ("function_call", "custom_tool_call")
_RESULT_ITEMS = ("function_call_output", "custom_tool_call_output")


def import_documents(found: Iterator[Document], reading: Reading) -> Iterator[Trajectory]:
    """Every run of the file."""
    return import_chats(found, reading, take_message)


def take_message(builder: RunBuilder, reading: Reading, message: Json, place: int, line: int) -> None:
    """Turn one message into events."""
    role = message.get("role") if isinstance(message, dict) else None
    if role is None and isinstance(message, dict) and message.get("type") in (*_CALL_ITEMS, *_RESULT_ITEMS):
        _take_item(builder, reading, begin(builder, reading, message, place, line, _ITEM_KEYS), line)
        return
    if isinstance(message, dict) and role in ("user", "assistant") and holds_blocks(message.get("content")):
        # A file is told by its beginning, and a chat of blocks may begin without one.
        take_block_message(builder, reading, message, place, line)
        return
    known = _KEYS_OF_ROLE.get(role) if isinstance(role, str) else None
    body = begin(builder, reading, message, place, line, known or _COMMON)
    if known is None:
        unknown_role(builder, reading, role if role is not None else body.get("type"))
        return
    at = time_of(builder, body)
    text = content_text(builder, reading, body.get("content"))
    if role == "user":
        builder.user(text or "", at)
    elif role == "assistant":
        said = [part for part in (text, text_or_none(body.get("refusal"))) if part]
        builder.decision("\n".join(said) or None, at, _usage(body, reading))
        _calls(builder, reading, body, at, line)
    elif role in ("tool", "function"):
        call_id = text_or_none(body.get("tool_call_id")) or text_or_none(body.get("name")) or ""
        status = status_of_error(text or "") if body.get("is_error") is True else status_of_text(text)
        builder.result(call_id, text, status, at, name=text_or_none(body.get("name")))
    else:
        builder.policy(text, at)


def _take_item(builder: RunBuilder, reading: Reading, item: dict[str, Any], line: int) -> None:
    """A call or a result that stands among the messages as an item of its own."""
    at, call_id = time_of(builder, item), text_or_none(item.get("call_id")) or ""
    if item["type"] in _CALL_ITEMS:
        _call(builder, reading, {**item, "id": call_id}, at, line)
    else:
        text = content_text(builder, reading, item.get("output"))
        builder.result(call_id, text, status_of_text(text), at)


def _usage(body: dict[str, Any], reading: Reading) -> Usage:
    used = body.get("usage")
    tokens = used if isinstance(used, dict) else {}
    reading.rest(tokens, _USAGE_KEYS, "usage")
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
            reading.rest(entry, _CALL_KEYS, "tool call")
            _call(builder, reading, entry, at, line)
    single = body.get("function_call")
    if single is not None:
        entry = reading.object_of(single, line, f"function_call of {builder.place}")
        reading.rest(entry, _FUNCTION_KEYS, "tool call")
        # Its result names the function and no id.
        _call(builder, reading, {**entry, "id": entry.get("name")}, at, line)


def _call(builder: RunBuilder, reading: Reading, entry: dict[str, Any], at: float | None, line: int) -> None:
    """One call: OpenAI nests the function, others write its name and arguments, or the name alone, beside the id."""
    held = entry.get("function", entry.get("custom", entry))
    function = held if isinstance(held, dict) else {"name": held, "arguments": entry.get("arguments")}
    if function is not entry:
        reading.rest(function, _FUNCTION_KEYS, "tool call")
    name = text_or_none(function.get("name"))
    if name is None:
        reading.fail(line, f"a tool call of {builder.place} has no name")
    arguments = function.get("arguments", function.get("input"))
    builder.call(text_or_none(entry.get("id")) or name, name, arguments, at)

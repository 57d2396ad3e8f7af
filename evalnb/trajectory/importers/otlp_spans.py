"""OpenTelemetry spans of the GenAI conventions, as OTLP JSON: chat spans, tool spans and their messages."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import ResultStatus, RunIdentity, Trajectory
from evalnb.trajectory.importers.chats import described_tools
from evalnb.trajectory.importers.reading import (
    Reading,
    status_of_error,
    status_of_text,
    text_or_none,
    whole_or_none,
)
from evalnb.trajectory.run_builder import NO_USAGE, RunBuilder, Usage

_ERROR_STATUS = (2, "STATUS_CODE_ERROR")
# What runs and events are made of; what else a span says is counted.
_EXPORT_KEYS = frozenset({"resourceSpans", "resource_spans"})
_RESOURCE_KEYS = frozenset({"scopeSpans", "scope_spans"})
_SCOPE_KEYS = frozenset({"spans"})
_SPAN_KEYS = frozenset(
    {"spanId", "parentSpanId", "traceId", "name", "startTimeUnixNano", "endTimeUnixNano", "status", "attributes",
     "events"}
)  # fmt: skip
_IDENTITY_ATTRIBUTES = frozenset(
    {"gen_ai.conversation.id", "gen_ai.operation.name", "gen_ai.request.model", "evalnb.case.id", "evalnb.trial",
     "tenant.id", "user.id", "enduser.id"}
)  # fmt: skip
_CHAT_ATTRIBUTES = _IDENTITY_ATTRIBUTES | {
    "gen_ai.tool.definitions", "gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages",
    "gen_ai.response.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
}  # fmt: skip
_TOOL_ATTRIBUTES = _IDENTITY_ATTRIBUTES | {
    "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "error.type",
}  # fmt: skip
_EVENT_KEYS = frozenset({"content", "message"})
_MESSAGE_KEYS = frozenset({"role", "parts", "content"})
_PART_KEYS = {
    "text": frozenset({"type", "content"}),
    "tool_call": frozenset({"type", "id", "name", "arguments"}),
    "tool_call_response": frozenset({"type", "id", "response", "result"}),
}
_MESSAGE_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}


@dataclass(frozen=True, slots=True)
class _Span:
    span_id: str
    parent_id: str | None
    trace_id: str
    name: str
    start: Json
    end: Json
    failed: bool
    failure: str | None
    attributes: dict[str, Json]
    events: list[tuple[str, dict[str, Json]]]


@dataclass(slots=True)
class _Made:
    """A call as it was told so far: a message asks for it, a span carries it out, and either may tell its result.

    `arguments` are their canonical text, None where they were not captured.
    """

    key: str
    call_id: str | None
    arguments: str | None
    answered: bool = False


@dataclass(slots=True)
class _Conversation:
    """One run being built.

    `history` are the messages already taken, so that a repeated prompt adds nothing; `told` counts each part of a
    message that was taken, for prompts that repeat a message elsewhere. `unasked` and `undone` are, by name, the calls
    that only a span, only a message has told of; `untold` are, by id, those whose result no message has told.
    """

    builder: RunBuilder
    reading: Reading
    history: list[str] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)
    unasked: dict[str, list[_Made]] = field(default_factory=dict)
    undone: dict[str, list[_Made]] = field(default_factory=dict)
    untold: dict[str | None, deque[_Made]] = field(default_factory=dict)


def import_documents(found: Iterator[Document], reading: Reading) -> Iterator[Trajectory]:
    """One trajectory a conversation, or a trace where spans name no conversation."""
    groups: dict[str, list[_Span]] = {}
    conversation_of: dict[str, str] = {}
    for document in found:
        for span in _spans(document, reading):
            held = text_or_none(span.attributes.get("gen_ai.conversation.id"))
            if held:
                conversation_of.setdefault(span.trace_id, held)
            groups.setdefault(span.trace_id, []).append(span)
    merged: dict[str, list[_Span]] = {}
    for trace_id, spans in groups.items():
        merged.setdefault(conversation_of.get(trace_id, trace_id), []).extend(spans)
    for run_id, spans in merged.items():
        yield _run(run_id, spans, reading)


def _spans(document: Document, reading: Reading) -> Iterator[_Span]:
    line = document.line
    body = reading.object_of(document.value, line, "an export")
    reading.rest(body, _EXPORT_KEYS, "export")
    for resource in reading.list_of(body.get("resourceSpans", body.get("resource_spans")), line, "resourceSpans"):
        held = reading.object_of(resource, line, "resource spans")
        reading.rest(held, _RESOURCE_KEYS, "resource")
        for scope in reading.list_of(held.get("scopeSpans", held.get("scope_spans", [])), line, "scopeSpans"):
            inner = reading.object_of(scope, line, "scope")
            reading.rest(inner, _SCOPE_KEYS, "scope")
            for raw in reading.list_of(inner.get("spans", []), line, "spans"):
                yield _span(reading.object_of(raw, line, "a span"), reading)


def _span(raw: dict[str, Any], reading: Reading) -> _Span:
    status = raw.get("status")
    events = raw.get("events")
    reading.rest(raw, _SPAN_KEYS, "span")
    return _Span(
        text_or_none(raw.get("spanId")) or "",
        text_or_none(raw.get("parentSpanId")) or None,
        text_or_none(raw.get("traceId")) or "",
        text_or_none(raw.get("name")) or "",
        raw.get("startTimeUnixNano"),
        raw.get("endTimeUnixNano"),
        isinstance(status, dict) and status.get("code") in _ERROR_STATUS,
        text_or_none(status.get("message")) if isinstance(status, dict) else None,
        _attributes(raw.get("attributes")),
        [
            (str(event.get("name")), _attributes(event.get("attributes")))
            for event in (events if isinstance(events, list) else [])
            if isinstance(event, dict)
        ],
    )


def _attributes(raw: Json) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for entry in raw if isinstance(raw, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("key"), str):
            found[entry["key"]] = _any_value(entry.get("value"))
    return found


def _any_value(value: Json) -> Json:
    """OTLP's AnyValue as plain JSON."""
    if not isinstance(value, dict):
        return value
    if "arrayValue" in value:
        items = value["arrayValue"].get("values", []) if isinstance(value["arrayValue"], dict) else []
        return [_any_value(item) for item in items]
    if "kvlistValue" in value:
        entries = value["kvlistValue"].get("values", []) if isinstance(value["kvlistValue"], dict) else []
        return _attributes(entries)
    if "intValue" in value:
        return whole_or_none(value["intValue"])
    return next((value[key] for key in ("stringValue", "boolValue", "doubleValue", "bytesValue") if key in value), None)


def _run(run_id: str, spans: list[_Span], reading: Reading) -> Trajectory:
    first = {key: value for span in reversed(spans) for key, value in span.attributes.items()}
    builder = reading.builder(
        RunIdentity(
            run_id=run_id or reading.stem,
            case_id=text_or_none(first.get("evalnb.case.id")),
            trial=whole_or_none(first.get("evalnb.trial")),
            tenant=text_or_none(first.get("tenant.id")),
            user=text_or_none(first.get("user.id")) or text_or_none(first.get("enduser.id")),
            model=text_or_none(first.get("gen_ai.request.model")),
        )
    )
    _check_parents(builder, spans)
    ordered = sorted(spans, key=lambda span: whole_or_none(span.start) or 0)
    if [id(span) for span in ordered] != [id(span) for span in spans]:
        builder.note("ordered-by-start", "spans are exported when they end; they are taken by their start")
    conversation = _Conversation(builder, reading)
    for span in ordered:
        builder.place = f"span {span.span_id or span.name}"
        _take(conversation, span)
    return builder.finish()


def _check_parents(builder: RunBuilder, spans: list[_Span]) -> None:
    parents: dict[str, str | None] = {}
    for span in spans:
        if span.span_id in parents:
            builder.note("duplicated-span-id", f"span id {span.span_id!r}")
        parents[span.span_id] = span.parent_id
    settled: set[str] = set()
    for start in parents:
        path: list[str] = []
        at: str | None = start
        while at is not None and at in parents and at not in settled and at not in path:
            path.append(at)
            at = parents[at]
        if at is not None and at in path:
            builder.note("cyclic-parents", f"span {at!r} is its own ancestor")
        elif at is not None and at not in parents:
            builder.note("missing-parent", f"span {at!r}")
        settled.update(path)


def _take(conversation: _Conversation, span: _Span) -> None:
    builder, attributes = conversation.builder, span.attributes
    operation = attributes.get("gen_ai.operation.name")
    if operation == "execute_tool" or "gen_ai.tool.name" in attributes:
        _tool_span(conversation, span)
        return
    if operation is None and not any(key.startswith("gen_ai.") for key in attributes):
        conversation.reading.drop("span that is no GenAI span")
        return
    conversation.reading.rest(attributes, _CHAT_ATTRIBUTES, "span attribute")
    for name, body in span.events:
        if name in _MESSAGE_EVENTS or name == "gen_ai.choice":
            conversation.reading.rest(body, _EVENT_KEYS, "span event")
        else:
            conversation.reading.drop(f"span event {name[:60]!r}")
    at = builder.time(span.start)
    tools = described_tools(_parsed(attributes.get("gen_ai.tool.definitions")), conversation.reading)
    if tools and not any(event.type == "tools_discovered" for event in builder.events):
        builder.discovered(tools, at)
    instructions = _parsed(attributes.get("gen_ai.system_instructions"))
    inputs: list[Any] = [{"role": "system", "parts": instructions}] if isinstance(instructions, list) else []
    inputs += [_event_message(name, body) for name, body in span.events if name in _MESSAGE_EVENTS]
    listed = _parsed(attributes.get("gen_ai.input.messages"))
    inputs += listed if isinstance(listed, list) else []
    _messages(conversation, inputs, at, NO_USAGE)
    outputs = [_choice(body) for name, body in span.events if name == "gen_ai.choice"]
    listed = _parsed(attributes.get("gen_ai.output.messages"))
    outputs += listed if isinstance(listed, list) else []
    usage = NO_USAGE if operation == "invoke_agent" else _usage(span)
    known = len(conversation.history)
    _messages(conversation, [*map(json.loads, conversation.history), *outputs], at, usage)
    if usage != NO_USAGE and len(conversation.history) == known:
        builder.decision(None, at, usage)


def _messages(conversation: _Conversation, messages: list[Any], at: float | None, usage: Usage) -> None:
    """Take the messages that go beyond the history so far."""
    keys = [json.dumps(_plain_message(message), sort_keys=True) for message in messages]
    shared = _shared(conversation.history, keys)
    parts: Counter[str] = Counter()
    for place, (message, key) in enumerate(zip(messages, keys, strict=True)):
        plain = json.loads(key)
        again = [_was_told(conversation, parts, part) for part in plain["parts"]]
        if place < shared:
            continue
        if isinstance(message, dict):
            conversation.reading.rest(message, _MESSAGE_KEYS, "message")
        conversation.history.append(key)
        plain["parts"] = [part for part, known in zip(plain["parts"], again, strict=True) if not known]
        usage = _message(conversation, plain, at, usage)


def _shared(history: list[str], keys: list[str]) -> int:
    """How many messages at the start are known: the beginning of the history, and behind it a window onto its end."""
    same = 0
    while same < min(len(history), len(keys)) and history[same] == keys[same]:
        same += 1
    if same == len(history):
        return same
    longest = min(len(history) - same, len(keys) - same)
    return same + next((size for size in range(longest, 0, -1) if history[-size:] == keys[same : same + size]), 0)


def _was_told(conversation: _Conversation, parts: Counter[str], part: Json) -> bool:
    """Whether a call or a result stands in a message that was taken, as often as it has stood in this prompt."""
    if not isinstance(part, dict) or part.get("type") not in ("tool_call", "tool_call_response"):
        return False
    key = json.dumps(part, sort_keys=True)
    parts[key] += 1
    if parts[key] <= conversation.told[key]:
        return True
    conversation.told[key] = parts[key]
    return False


def _plain_message(message: Json) -> Json:
    """A message without what differs between its output and its repetition as input."""
    if not isinstance(message, dict):
        return {"role": "unknown", "parts": []}
    parts = message.get("parts")
    if not isinstance(parts, list):
        parts = [{"type": "text", "content": message.get("content")}] if message.get("content") else []
    return {"role": message.get("role"), "parts": parts}


def _message(conversation: _Conversation, message: dict[str, Any], at: float | None, usage: Usage) -> Usage:
    builder, role = conversation.builder, message["role"]
    if role not in ("system", "user", "assistant", "tool"):
        builder.note("unknown-role", f"role {str(role)[:60]!r}")
        conversation.reading.drop(f"message of role {str(role)[:60]!r}")
        return usage
    for part in message["parts"]:
        kind = part.get("type") if isinstance(part, dict) else None
        text = text_or_none(part.get("content")) if isinstance(part, dict) else None
        if isinstance(part, dict) and kind in _PART_KEYS:
            conversation.reading.rest(part, _PART_KEYS[kind], f"{kind} part")
        if kind == "tool_call":
            _asked(conversation, text_or_none(part.get("id")) or None, str(part.get("name")), part.get("arguments"), at)
        elif kind == "tool_call_response":
            answer = part.get("response", part.get("result"))
            _answered(conversation, text_or_none(part.get("id")) or None, answer, at)
        elif kind == "text" and role == "tool":
            builder.result("", text, status_of_text(text), at)
        elif kind == "text" and role == "assistant":
            builder.decision(text, at, usage)
            usage = NO_USAGE
        elif kind == "text":
            (builder.user if role == "user" else builder.policy)(text or "", at)
        else:
            builder.note("unknown-block", f"a part of kind {str(kind)[:60]!r}")
            conversation.reading.drop(f"part of kind {str(kind)[:60]!r}")
    return usage


def _tool_span(conversation: _Conversation, span: _Span) -> None:
    attributes, builder = span.attributes, conversation.builder
    conversation.reading.rest(attributes, _TOOL_ATTRIBUTES, "span attribute")
    for event, _ in span.events:
        conversation.reading.drop(f"span event {event[:60]!r}")
    call_id = text_or_none(attributes.get("gen_ai.tool.call.id")) or None
    name = text_or_none(attributes.get("gen_ai.tool.name")) or span.name
    made = _carried_out(conversation, call_id, name, span)
    told = [text_or_none(attributes.get("error.type")), span.failure]
    error = ": ".join(part for part in told if part) or None
    status = status_of_error(error or "") if attributes.get("error.type") or span.failed else None
    result = attributes.get("gen_ai.tool.call.result")
    if not made.answered:
        made.answered = True
        _result(builder, made.key, result if result is not None else error, status, builder.time(span.end))


def _asked(conversation: _Conversation, call_id: str | None, name: str, arguments: Json, at: float | None) -> None:
    """A message asks for a call: one that a span carried out already, or a new one."""
    if _same(conversation.unasked.get(name, []), call_id, arguments) is None:
        key = call_id or f"{name}#{len(conversation.builder.events) + 1}"
        made = _new(conversation, key, call_id, name, arguments, at)
        conversation.undone.setdefault(name, []).append(made)


def _carried_out(conversation: _Conversation, call_id: str | None, name: str, span: _Span) -> _Made:
    """The call that a span carries out: one that a message asked for, or a new one. Each span is a call of its own."""
    arguments = span.attributes.get("gen_ai.tool.call.arguments")
    made = _same(conversation.undone.get(name, []), call_id, arguments)
    if made is None:
        at = conversation.builder.time(span.start)
        made = _new(conversation, call_id or span.span_id, call_id, name, arguments, at)
        conversation.unasked.setdefault(name, []).append(made)
    return made


def _same(waiting: list[_Made], call_id: str | None, arguments: Json) -> _Made | None:
    """The first of the calls that may be the one told of now; it waits no longer."""
    given = _told_arguments(arguments)
    for place, one in enumerate(waiting):
        if _fits(one.call_id, call_id) and _fits(one.arguments, given):
            return waiting.pop(place)
    return None


def _fits(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one == other


def _new(
    conversation: _Conversation, key: str, call_id: str | None, name: str, arguments: Json, at: float | None
) -> _Made:
    conversation.builder.call(key, name, arguments, at)
    made = _Made(key, call_id, _told_arguments(arguments))
    conversation.untold.setdefault(call_id, deque()).append(made)
    return made


def _told_arguments(arguments: Json) -> str | None:
    return None if arguments is None else json.dumps(_parsed(arguments), sort_keys=True)


def _answered(conversation: _Conversation, call_id: str | None, value: Json, at: float | None) -> None:
    """A message tells a result: that of the first call of its id that no message has answered."""
    waiting = conversation.untold.get(call_id)
    if not waiting:
        _result(conversation.builder, call_id or "", value, None, at)
        return
    made = waiting.popleft()
    if not made.answered:
        made.answered = True
        _result(conversation.builder, made.key, value, None, at)


def _result(builder: RunBuilder, key: str, value: Json, status: ResultStatus | None, at: float | None) -> None:
    if isinstance(value, str) or value is None:
        builder.result(key, value, status or status_of_text(value), at)
    else:
        builder.result(key, None, status or "ok", at, structured=value)


def _event_message(name: str, body: dict[str, Json]) -> dict[str, Json]:
    return {"role": _MESSAGE_EVENTS[name], "content": body.get("content")}


def _choice(body: dict[str, Json]) -> Json:
    message = _parsed(body.get("message"))
    return {"role": "assistant", "content": message.get("content") if isinstance(message, dict) else message}


def _usage(span: _Span) -> Usage:
    attributes = span.attributes
    start, end = whole_or_none(span.start), whole_or_none(span.end)
    return Usage(
        text_or_none(attributes.get("gen_ai.response.model", attributes.get("gen_ai.request.model"))),
        whole_or_none(attributes.get("gen_ai.usage.input_tokens")),
        whole_or_none(attributes.get("gen_ai.usage.output_tokens")),
        None,
        (end - start) / 1e9 if start is not None and end is not None and end >= start else None,
    )


def _parsed(value: Json) -> Json:
    if isinstance(value, str):
        try:
            parsed: Json = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return parsed
    return value

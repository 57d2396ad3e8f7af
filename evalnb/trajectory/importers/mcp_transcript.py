"""MCP JSON-RPC transcripts: messages line by line, bare or in an envelope with a time and a direction."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import ResultStatus, RunIdentity, Trajectory
from evalnb.trajectory.importers.chats import described_tools
from evalnb.trajectory.importers.reading import Reading, status_of_error, text_or_none
from evalnb.trajectory.run_builder import RunBuilder

_TIME_KEYS = ("timestamp", "time", "at", "ts")
_MESSAGE_KEYS = frozenset({"jsonrpc", "id", "method", "params", "result", "error", *_TIME_KEYS})
_ENVELOPE_KEYS = frozenset({"message", "direction", *_TIME_KEYS})
# What a server asks of its client; everything else that is asked goes to the server.
_ASKED_BY_SERVER = frozenset({"elicitation/create", "sampling/createMessage", "roots/list"})
_PARAM_KEYS: Mapping[str, frozenset[str]] = {
    "tools/list": frozenset({"cursor"}),
    "tools/call": frozenset({"name", "arguments", "_meta"}),
}
_META_KEYS = frozenset({"operationId"})
_PAGE_KEYS = frozenset({"tools", "nextCursor"})
_RESULT_KEYS = frozenset({"content", "structuredContent", "isError"})
_ERROR_KEYS = frozenset({"code", "message"})
_BLOCK_KEYS = frozenset({"type", "text", "resource"})
# JSON-RPC error codes with a meaning of their own here; every other error is a protocol error.
_TIMED_OUT = -32001
_RATE_LIMITED = (-32029, 429)


@dataclass(slots=True)
class _Transcript:
    """One transcript being read: `waiting` are the open requests to the server by id, oldest first, `asked` the ids of
    those that the server made: the two sides number their requests apart.
    """

    builder: RunBuilder
    reading: Reading
    waiting: dict[str, deque[tuple[str, bool]]] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    pages: int = 0


def import_documents(found: Iterator[Document], reading: Reading) -> Iterator[Trajectory]:
    """One trajectory: the whole file."""
    transcript = _Transcript(reading.builder(RunIdentity(reading.stem)), reading)
    for place, document in enumerate(found, 1):
        transcript.builder.place = f"line {document.line}, message {place}"
        batch = document.value if isinstance(document.value, list) else [document.value]
        for value in batch:
            _take(transcript, reading.object_of(value, document.line, f"message {place}"), document.line)
    yield transcript.builder.finish()


def _take(transcript: _Transcript, envelope: dict[str, Any], line: int) -> None:
    builder, reading = transcript.builder, transcript.reading
    at = builder.time(next((envelope[key] for key in _TIME_KEYS if key in envelope), None))
    message = envelope.get("message") if "jsonrpc" not in envelope else envelope
    body = reading.object_of(message, line, "a message")
    if body is not envelope:
        reading.rest(envelope, _ENVELOPE_KEYS, "envelope")
    reading.rest(body, _MESSAGE_KEYS, "message")
    method, sender = body.get("method"), _sender(envelope)
    if isinstance(method, str) and "id" in body and (sender == "server" or (not sender and method in _ASKED_BY_SERVER)):
        transcript.asked.add(str(body["id"]))
        reading.drop(f"request {method[:60]!r}")
    elif "method" not in body and "id" in body and sender != "server" and str(body["id"]) in transcript.asked:
        # Without a direction, an answer is to what the server asked last: a call waits for it.
        transcript.asked.discard(str(body["id"]))
        reading.drop("response to a request of the server")
    elif isinstance(method, str) and "id" in body:
        _request(transcript, body, method, at, line)
    elif isinstance(method, str):
        if method == "notifications/tools/list_changed":
            builder.tools_changed(None, at)
            transcript.pages = 0
            if body.get("params"):
                reading.drop("params of a notification")
        else:
            reading.drop(f"notification {method[:60]!r}")
    elif "id" in body and ("result" in body or "error" in body):
        _response(transcript, body, at)
    else:
        builder.note("unknown-message", "neither request, response nor notification")
        reading.drop("message that is neither request, response nor notification")


def _sender(envelope: dict[str, Any]) -> str | None:
    """Who sent a message, where its envelope says so."""
    told = str(envelope.get("direction", "")).casefold().replace("_", "-")
    if told.startswith(("s2c", "server", "from-server", "recv", "received", "in")):
        return "server"
    return "client" if told.startswith(("c2s", "client", "from-client", "send", "sent", "out")) else None


def _request(transcript: _Transcript, body: dict[str, Any], method: str, at: float | None, line: int) -> None:
    request_id, params = str(body["id"]), body.get("params")
    told = params if isinstance(params, dict) else {}
    if method in _PARAM_KEYS:
        transcript.reading.rest(told, _PARAM_KEYS[method], "params")
    is_call = method == "tools/call"
    if request_id in transcript.waiting:
        transcript.builder.note("duplicated-request-id", f"request id {request_id!r} is still open")
    transcript.waiting.setdefault(request_id, deque()).append((method, bool(told.get("cursor"))))
    if is_call:
        name = text_or_none(told.get("name"))
        if name is None:
            transcript.reading.fail(line, "tools/call names no tool")
        meta = told.get("_meta")
        operation = meta.get("operationId") if isinstance(meta, dict) else None
        if isinstance(meta, dict):
            transcript.reading.rest(meta, _META_KEYS, "_meta")
        transcript.builder.call(request_id, name, told.get("arguments"), at, operation_id=text_or_none(operation))
    elif method != "tools/list":
        transcript.reading.drop(f"request {method[:60]!r}")


def _response(transcript: _Transcript, body: dict[str, Any], at: float | None) -> None:
    request_id = str(body["id"])
    waiting = transcript.waiting.get(request_id)
    method, paged = waiting.popleft() if waiting else ("", False)
    if waiting is not None and not waiting:
        del transcript.waiting[request_id]
    if method == "tools/list":
        _tool_page(transcript, body, at, paged)
    elif method in ("tools/call", ""):
        # A response to nothing is kept as a result without a call.
        _call_result(transcript, request_id, body, at)
    else:
        transcript.reading.drop(f"response to {method[:60]!r}")


def _tool_page(transcript: _Transcript, body: dict[str, Any], at: float | None, paged: bool) -> None:
    result = body.get("result")
    if not isinstance(result, dict):
        transcript.reading.drop("failed tools/list")
        return
    transcript.pages = transcript.pages + 1 if paged else 1
    transcript.reading.rest(result, _PAGE_KEYS, "tools/list result")
    tools = described_tools(result.get("tools"), transcript.reading)
    transcript.builder.discovered(tools, at, page=transcript.pages, more=bool(result.get("nextCursor")))


def _call_result(transcript: _Transcript, request_id: str, body: dict[str, Any], at: float | None) -> None:
    builder, reading = transcript.builder, transcript.reading
    if "error" in body:
        error = body["error"] if isinstance(body["error"], dict) else {"message": str(body["error"])}
        reading.rest(error, _ERROR_KEYS, "error")
        builder.result(request_id, text_or_none(error.get("message")), _status_of_code(error.get("code")), at)
        return
    result = body.get("result")
    if not isinstance(result, dict) or not isinstance(result.get("content", []), list):
        builder.result(request_id, json.dumps(result), "malformed", at)
        return
    reading.rest(result, _RESULT_KEYS, "tools/call result")
    text = mcp_text(builder, result.get("content", []), reading)
    status: ResultStatus = status_of_error(text or "") if result.get("isError") is True else "ok"
    builder.result(request_id, text, status, at, structured=result.get("structuredContent"))


def _status_of_code(code: Json) -> ResultStatus:
    if code == _TIMED_OUT:
        return "timeout"
    return "rate-limit" if code in _RATE_LIMITED else "protocol-error"


def mcp_text(builder: RunBuilder, content: list[Any], reading: Reading | None = None) -> str | None:
    """The text of MCP content blocks; embedded resources give theirs, other blocks are noted, and counted too."""
    texts = []
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        resource = block.get("resource") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif kind == "resource" and isinstance(resource, dict) and isinstance(resource.get("text"), str):
            texts.append(resource["text"])
        else:
            builder.note("not-text", f"a block of kind {str(kind)[:60]!r}")
            if reading is not None:
                reading.drop(f"block of kind {str(kind)[:60]!r}")
            continue
        if reading is not None:
            reading.rest(block, _BLOCK_KEYS, f"{kind} block")
    return "\n".join(texts) if texts else None

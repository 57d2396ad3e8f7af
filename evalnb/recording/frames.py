"""JSON-RPC messages as they travel: read from a line, told apart, answered, written; nothing in them is interpreted."""

from __future__ import annotations

import json
from typing import Any, Final, TypeAlias

from evalnb.engine.json_values import Json

Frame: TypeAlias = dict[str, Any]
"""One message, as it was sent."""

TIMED_OUT: Final = -32001
RATE_LIMITED: Final = (-32029, 429)
SERVER_GONE: Final = -32000
INTERNAL_ERROR: Final = -32603
INVALID_PARAMS: Final = -32602


class LineBuffer:
    """Cuts a byte stream at its newlines."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def take(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes, without their newlines; blank ones are left out."""
        first, *others = chunk.split(b"\n")
        self._parts.append(first)
        if not others:
            return []
        lines = [b"".join(self._parts), *others[:-1]]
        self._parts = [others[-1]]
        return [line for line in lines if line.strip()]


def parsed(line: bytes) -> Frame | None:
    """The message of a line; None for a line that holds no single JSON object."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def encoded(frame: Frame) -> bytes:
    """The line of a message, without its newline."""
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def is_response(frame: Frame) -> bool:
    """Whether a message answers a request."""
    return "method" not in frame and "id" in frame


def id_key(request_id: Json) -> str:
    """One text an id: the number 1 and the text "1" are two ids."""
    return json.dumps(request_id)


def params_of(frame: Frame) -> dict[str, Any]:
    """The parameters of a message; empty where it has none or where they are no object."""
    params = frame.get("params")
    return params if isinstance(params, dict) else {}


def result_frame(request_id: Json, result: Json) -> Frame:
    """The answer to a request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_frame(request_id: Json, code: int, message: str) -> Frame:
    """The failure of a request."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def tool_text(text: str, *, is_error: bool = False) -> dict[str, Any]:
    """A tool's result that is one text."""
    return {"content": [{"type": "text", "text": text}], "isError": is_error}

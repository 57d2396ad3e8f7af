"""JSON-RPC messages as they travel: read from a line, told apart, answered, written; nothing in them is interpreted."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from evalnb.engine.json_values import Json

Frame: TypeAlias = dict[str, Any]
"""One message, as it was sent."""

TIMED_OUT: Final = -32001
RATE_LIMITED: Final = (-32029, 429)
SERVER_GONE: Final = -32000
INTERNAL_ERROR: Final = -32603
INVALID_PARAMS: Final = -32602
INVALID_REQUEST: Final = -32600
PARSE_ERROR: Final = -32700

DEEPEST: Final = 100
"""How many levels a message may nest: what is deeper cannot be looked through and written down for certain."""
_TOO_DEEP: Final = f"it nests deeper than {DEEPEST} levels"
# Programs that cut their input at these find lines of their own within one of ours.
_LINE_ENDS: Final = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


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


class UnreadableLine(ValueError):
    """A line that two programs might read differently, or not at all; the text says why."""


def messages_of(line: bytes) -> list[Frame]:
    """The messages of an agent's line, several where it is a batch. Raises `UnreadableLine`.

    What is read here is what the server will read: no key twice, no number that is none, nothing around the message.
    """
    try:
        value = json.loads(
            line.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite_number
        )
    except UnicodeDecodeError:
        raise UnreadableLine("it is no UTF-8") from None
    except RecursionError:
        raise UnreadableLine(_TOO_DEEP) from None
    except UnreadableLine:
        raise
    except ValueError as error:
        raise UnreadableLine(f"it is no JSON: {error}") from None
    members = value if isinstance(value, list) else [value]
    if not members or not all(isinstance(member, dict) for member in members):
        raise UnreadableLine("it is no message")
    if not is_shallow(value):
        raise UnreadableLine(_TOO_DEEP)
    return members


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = dict(pairs)
    if len(held) < len(pairs):
        raise UnreadableLine("an object has a key twice")
    return held


def _no_number(text: str) -> float:
    raise UnreadableLine(f"{text} is no JSON number")


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise UnreadableLine(f"{text} is larger than any number")
    return number


def is_shallow(value: Json) -> bool:
    """Whether a value nests no deeper than `DEEPEST` levels."""
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        level = [member for held in level if isinstance(held, dict | list) for member in _members(held)]
        if not level:
            return True
    return False


def _members(held: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return held.values() if isinstance(held, dict) else held


def is_writable(value: Json) -> bool:
    """Whether a value can stand in a recording: numbers that are some, and not nested beyond all measure."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return is_shallow(value)


def parsed(line: bytes) -> Frame | list[Any] | None:
    """What a server's line holds, as a lenient program reads it; None for a line that is neither message nor batch."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def encoded(frame: Frame) -> bytes:
    """The line of a message, without its newline."""
    text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_LINE_ENDS).encode("utf-8", "replace")


def is_one_line(line: bytes) -> bool:
    """Whether every program takes a line for one line, whatever it cuts its input at."""
    return b"\r" not in line.rstrip(b"\r") and not any(chr(end).encode() in line for end in _LINE_ENDS)


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

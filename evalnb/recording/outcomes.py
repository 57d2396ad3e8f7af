"""What an answer to a tool call comes to: a status of the trajectory, its text and its structured content."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.recording.frames import DEEPEST, RATE_LIMITED, TIMED_OUT, Frame, is_shallow, is_writable
from evalnb.trajectory.events import ResultStatus
from evalnb.trajectory.importers.mcp_transcript import mcp_text
from evalnb.trajectory.importers.reading import status_of_error
from evalnb.trajectory.run_builder import RunBuilder


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came back with; `text` is None where there was no text."""

    status: ResultStatus
    text: str | None
    structured: Json = None


def outcome_of(frame: Frame, builder: RunBuilder) -> Outcome:
    """The outcome of an answer; parts that are no text are noted in `builder`."""
    if "error" in frame:
        error = frame["error"] if isinstance(frame["error"], dict) else {"message": str(frame["error"])}
        return Outcome(_status_of_code(error.get("code")), str(error.get("message", "")))
    result = frame.get("result")
    if not is_shallow(result):
        return Outcome("malformed", f"an answer that nests deeper than {DEEPEST} levels")
    if not isinstance(result, dict) or not _is_readable(result) or not is_writable(result):
        return Outcome("malformed", json.dumps(result))
    text = mcp_text(builder, result.get("content", []))
    status: ResultStatus = status_of_error(text or "") if result.get("isError") is True else "ok"
    return Outcome(status, text, result.get("structuredContent"))


def structured_answer(frame: Frame) -> Json:
    """The value a tool answered with: its structured content, else its text as JSON, else its text; None for none."""
    result = frame.get("result")
    if not isinstance(result, dict) or result.get("isError") is True:
        return None
    if "structuredContent" in result:
        answer: Json = result["structuredContent"]
        return answer
    content = result.get("content")
    texts = [block.get("text") for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    text = "\n".join(text for text in texts if isinstance(text, str))
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text or None
    return value


def _is_readable(result: dict[str, Any]) -> bool:
    content = result.get("content", [] if "structuredContent" in result else None)
    if not isinstance(content, list):
        return False
    return all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in content)


def _status_of_code(code: Json) -> ResultStatus:
    if code == TIMED_OUT:
        return "timeout"
    return "rate-limit" if code in RATE_LIMITED else "protocol-error"

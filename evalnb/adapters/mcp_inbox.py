"""What a tool server says, line by line: which line answers what, which one ends the session, which one is passed on.

The SDK's session reads from here, so it only ever sees messages that it accepts; the answer to an awaited request is
kept as it was sent, because an answer the protocol does not allow is an observation too. spec: 10 §8.4
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from pydantic import ValidationError

from evalnb.adapters.wire_text import parse_json_text
from evalnb.engine.json_values import Json, number_text

# The one notification that anything here acts on; the others could only be logged.
_HEEDED: Final = frozenset({"notifications/tools/list_changed"})
_QUOTED_CHARACTERS: Final = 200

Frame = dict[str, Json]
"""One message of the server, as it was sent."""


class MalformedLine(ValueError):
    """The server wrote a line that is not JSON, which ends the session."""


class Inbox:
    """Reads the server's messages. `deliver` takes what goes to the SDK's session.

    `heeds_requests` passes the server's own requests on, for the session to answer or to refuse; a session of one
    call leaves them unanswered.
    """

    def __init__(self, deliver: Callable[[SessionMessage], None], *, heeds_requests: bool) -> None:
        self._deliver = deliver
        self._heeds_requests = heeds_requests
        self._awaited: dict[str, _Awaited] = {}

    def expect(self, request_id: int) -> asyncio.Future[Frame]:
        """Resolves to the next message that carries this id."""
        answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._awaited[str(request_id)] = _Awaited(request_id, answer)
        return answer

    def forget(self, request_id: int) -> None:
        """Stop waiting for the answer to this request."""
        self._awaited.pop(str(request_id), None)

    def take_line(self, line: str) -> None:
        """Read one line of the server's output; raises `MalformedLine`."""
        if not line.strip():
            return
        try:
            message = parse_json_text(line)
        except (ValueError, RecursionError):
            raise MalformedLine(f"the server wrote a line that is not JSON: {line[:_QUOTED_CHARACTERS]!r}") from None
        if isinstance(message, dict):
            self.take_frame(message)

    def take_frame(self, frame: Frame) -> None:
        """Read one message; what is not for anybody is dropped."""
        if "method" in frame:
            self._pass_on(frame)
            return
        key = _id_text(frame.get("id"))
        awaited = self._awaited.pop(key, None) if key is not None else None
        if awaited is None:
            return
        if not awaited.answer.done():
            awaited.answer.set_result(frame)
        self._deliver(SessionMessage(_as_answer(awaited.request_id, frame)))

    def _pass_on(self, frame: Frame) -> None:
        try:
            if "id" in frame:
                if self._heeds_requests:
                    self._deliver(SessionMessage(JSONRPCRequest.model_validate(frame)))
            elif frame["method"] in _HEEDED:
                self._deliver(SessionMessage(JSONRPCNotification.model_validate(frame)))
        except (ValidationError, TypeError):
            return


class _Awaited(NamedTuple):
    """A request that has no answer yet, under its id as the SDK's session knows it."""

    request_id: int
    answer: asyncio.Future[Frame]


def error_of(frame: Frame) -> Json:
    """The error that a message carries; None where it carries none."""
    return frame.get("error")


def _id_text(request_id: Json) -> str | None:
    if isinstance(request_id, str):
        return request_id
    if isinstance(request_id, int | float) and not isinstance(request_id, bool):
        return number_text(request_id)
    return None


def _as_answer(request_id: int, frame: Frame) -> JSONRPCResponse | JSONRPCError:
    """The answer in the form that the protocol gives it, whatever form the server gave it."""
    error = error_of(frame)
    if error is not None:
        return JSONRPCError(jsonrpc="2.0", id=request_id, error=_as_error(error))
    result = frame.get("result")
    return JSONRPCResponse(jsonrpc="2.0", id=request_id, result=dict(result) if isinstance(result, Mapping) else {})


def _as_error(error: Json) -> ErrorData:
    try:
        return ErrorData.model_validate(error)
    except ValidationError:
        return ErrorData(code=0, message="the server sent an error of no known form")

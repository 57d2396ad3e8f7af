"""The calls of one run as they are recorded: each call once, its result once, retries named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalnb.engine.json_values import Json
from evalnb.recording.frames import Frame, id_key
from evalnb.recording.journal import Journal
from evalnb.recording.outcomes import outcome_of
from evalnb.trajectory.events import ResultStatus

OPERATION_KEYS: Final = ("operationId", "operation_id", "idempotencyKey", "idempotency_key")
"""Arguments, and members of a call's `_meta`, that make its effect count once."""


@dataclass(slots=True)
class _Made:
    """A call that was made: its id, what it asks for apart from its operation id, and how it ended."""

    request_id: Json
    tool: str
    number: int
    intent: str
    status: ResultStatus | None = None


class CallLog:
    """Writes calls and results. `server_version` is the version recorded with every call, once it is known."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._open: dict[str, _Made] = {}
        self._made: list[_Made] = []
        self._suspended: dict[str, _Made] = {}
        self.server_version: str | None = None

    def called(self, request_id: Json, tool: str, arguments: Json, meta: Json) -> None:
        """Record a call, and that it repeats an earlier one that failed."""
        builder = self._journal.builder
        given = arguments if isinstance(arguments, dict) else {}
        call = builder.call(
            str(request_id),
            tool,
            arguments,
            self._journal.now,
            tool_version=self.server_version,
            operation_id=_operation(given, meta),
        )
        made = _Made(request_id, call.name, call.number, _intent(tool, given))
        earlier = next((one for one in reversed(self._made) if one.intent == made.intent), None)
        if earlier is not None and earlier.status not in (None, "ok", "denied"):
            builder.retry(call.number, earlier.number, earlier.status, self._journal.now)
        self._made.append(made)
        self._open[id_key(request_id)] = made
        self._journal.flush()

    def answered(self, request_id: Json, frame: Frame, status: ResultStatus | None = None) -> None:
        """Record what the agent is told of a call; `status` overrules what the message itself says."""
        outcome = outcome_of(frame, self._journal.builder)
        made = self._open.pop(id_key(request_id), None) or self._answered_before(request_id)
        settled = status or outcome.status
        if made.status is None:
            made.status = settled
        self._journal.builder.result(
            str(made.request_id),
            outcome.text,
            settled,
            self._journal.now,
            name=made.tool,
            structured=outcome.structured,
        )
        self._journal.flush()

    def broken(self, request_id: Json, tool: str, frame: Frame) -> None:
        """Record a call that came to nothing here, with what the agent is told; its arguments may be what broke it."""
        if id_key(request_id) not in self._open:
            self.called(request_id, tool, None, None)
        self.answered(request_id, frame)

    def suspended(self, request_id: Json, key: str) -> None:
        """The server asked for more: the call that `key` stands for is made again, under another request id."""
        made = self._open.pop(id_key(request_id), None)
        if made is not None:
            self._suspended[key] = made

    def resumed(self, request_id: Json, key: str) -> None:
        """A suspended call goes on; its answer is recorded under the id it was first made with."""
        made = self._suspended.pop(key, None)
        if made is not None:
            self._open[id_key(request_id)] = made

    def give_up(self, request_id: Json, reason: str) -> None:
        """Record that nobody waits for a call any more; one that is answered already stays as it is."""
        made = self._open.pop(id_key(request_id), None)
        if made is not None:
            made.status = "timeout"
            self._journal.builder.result(str(made.request_id), reason, "timeout", self._journal.now)
            self._journal.flush()

    def _answered_before(self, request_id: Json) -> _Made:
        return next(one for one in reversed(self._made) if id_key(one.request_id) == id_key(request_id))

    def open_ids(self) -> list[Json]:
        """The requests without an answer, oldest first."""
        return [json.loads(key) for key in self._open]


def _operation(arguments: Mapping[str, Any], meta: Json) -> str | None:
    for source in (arguments, meta if isinstance(meta, dict) else {}):
        for name in OPERATION_KEYS:
            if isinstance(source.get(name), str):
                return str(source[name])
    return None


def _intent(tool: str, arguments: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in arguments.items() if name not in OPERATION_KEYS}
    return f"{tool} {json.dumps(kept, sort_keys=True)}"

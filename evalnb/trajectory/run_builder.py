"""Builds one trajectory in the order of the trace: numbers, pairs, redacts, and notes what is odd."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import finite, refuse_constant
from evalnb.trajectory.events import (
    ApprovalDecision,
    ApprovalRequest,
    Event,
    FinalAnswer,
    Handoff,
    ModelDecision,
    Note,
    PolicyScope,
    ResultStatus,
    Retry,
    RunIdentity,
    StateObservation,
    ToolCall,
    ToolDescription,
    ToolListChanged,
    ToolResult,
    ToolsDiscovered,
    Trajectory,
    UserRequest,
)
from evalnb.trajectory.injected_text import injected_instructions
from evalnb.trajectory.notes import NOTES_KEPT_PER_CODE, NoteBook
from evalnb.trajectory.redaction import Redactor
from evalnb.trajectory.times import seconds_of
from evalnb.trajectory.tool_effects import HANDOFF_STARTS


@dataclass(frozen=True, slots=True)
class Usage:
    """What one model answer took; None where the trace does not say."""

    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


NO_USAGE = Usage()


@dataclass(slots=True)
class RunBuilder:
    """Takes the things of a trace in order; `finish` gives the trajectory."""

    identity: RunIdentity
    redact: Redactor
    book: NoteBook
    events: list[Event] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    place: str = ""
    _open: dict[str, deque[ToolCall]] = field(default_factory=dict)
    _unpaired: dict[str, int] = field(default_factory=dict)
    _called: Counter[str] = field(default_factory=Counter)
    _note_counts: Counter[str] = field(default_factory=Counter)
    _last_time: float | None = None
    _last_text: int | None = None

    def note(self, code: str, detail: str) -> None:
        """Keep a named warning about the present place."""
        run_id = self.redact.text(self.identity.run_id)
        note = Note(code, f"{run_id}, {self.place}" if self.place else run_id, self.redact.text(detail))
        self.book.add(note)
        self._note_counts[code] += 1
        if self._note_counts[code] <= NOTES_KEPT_PER_CODE:
            self.notes.append(note)

    def time(self, value: Json) -> float | None:
        """A time of the trace in seconds; one that cannot be read, or runs backwards, is noted."""
        if value is None:
            return None
        try:
            at = seconds_of(value)
        except (ValueError, OverflowError):
            self.note("bad-time", f"{str(value)[:60]!r} is no time")
            return None
        if at is not None:
            if self._last_time is not None and at < self._last_time:
                self.note("clock-backwards", f"{self._last_time - at:.3f} s before the event ahead of it")
            self._last_time = at
        return at

    def user(self, text: str, at: float | None = None) -> None:
        self.events.append(UserRequest(self._next(), at, self.redact.text(text)))

    def policy(
        self,
        text: str | None,
        at: float | None = None,
        *,
        roles: tuple[str, ...] = (),
        allowed_tools: tuple[str, ...] | None = None,
    ) -> None:
        named = None if allowed_tools is None else self._each(allowed_tools)
        self.events.append(PolicyScope(self._next(), at, self._maybe(text), self._each(roles), named))

    def discovered(
        self, tools: tuple[ToolDescription, ...], at: float | None = None, *, page: int = 1, more: bool = False
    ) -> None:
        clean = tuple(
            replace(
                tool,
                name=self.redact.text(tool.name),
                description=self._maybe(tool.description),
                input_schema=self._schema(tool.input_schema),
                output_schema=self._schema(tool.output_schema),
                version=self._maybe(tool.version),
            )
            for tool in tools
        )
        self.events.append(ToolsDiscovered(self._next(), at, clean, page, more))

    def tools_changed(self, reason: str | None, at: float | None = None) -> None:
        self.events.append(ToolListChanged(self._next(), at, self._maybe(reason)))

    def decision(self, text: str | None, at: float | None = None, usage: Usage = NO_USAGE) -> None:
        """One model answer; an empty one is kept where it says what it took."""
        if text:
            self._last_text = len(self.events)
        elif usage == NO_USAGE:
            return
        self.events.append(
            ModelDecision(
                self._next(),
                at,
                self.redact.text(text) if text else None,
                self._maybe(usage.model),
                usage.input_tokens,
                usage.output_tokens,
                usage.cost,
                usage.seconds,
            )
        )

    def call(
        self,
        call_id: str,
        name: str,
        arguments: Json,
        at: float | None = None,
        *,
        tool_version: str | None = None,
        operation_id: str | None = None,
    ) -> ToolCall:
        """A tool call; `arguments` is an object or the text of one."""
        parsed, text = self._arguments(name, arguments)
        self._called[call_id] += 1
        if self._called[call_id] == 2:
            self.note("duplicated-call-id", f"call id {self.redact.text(call_id)!r} names more than one call")
        if call_id in self._unpaired:
            self.note("result-before-call", f"call {name} stands behind its result at event {self._unpaired[call_id]}")
        call = ToolCall(
            self._next(),
            at,
            self.redact.text(call_id),
            self.redact.text(name),
            parsed,
            text,
            self._maybe(tool_version),
            self._maybe(operation_id),
        )
        self.events.append(call)
        self._open.setdefault(call_id, deque()).append(call)
        self._last_text = None
        return call

    def result(
        self,
        call_id: str,
        text: str | None,
        status: ResultStatus,
        at: float | None = None,
        *,
        name: str | None = None,
        structured: Json = None,
    ) -> None:
        """What a call came back with; it answers the oldest open call of its id."""
        call = self._answered(call_id)
        words = text
        if structured is not None and text is None:
            words = json.dumps(structured, separators=(",", ":"), ensure_ascii=False)
        size = len(words) if words is not None else 0
        called = call.name if call is not None else None
        result = ToolResult(
            self._next(),
            at,
            self.redact.text(call_id),
            None if call is None else call.number,
            self._maybe(name) or called,
            status,
            None if text is None else self._result_text(text),
            self.redact.value(structured),
            size,
            injected_instructions(words) if words else (),
        )
        self.events.append(result)
        if result.name is not None and status == "ok" and result.name.startswith(HANDOFF_STARTS):
            self.handoff(result.name.split("to_", 1)[1], None, at)

    def handoff(self, to: str, reason: str | None, at: float | None = None) -> None:
        self.events.append(Handoff(self._next(), at, self.redact.text(to), self._maybe(reason)))

    def retry(self, call_number: int, of_call_number: int, reason: str | None, at: float | None = None) -> None:
        self.events.append(Retry(self._next(), at, call_number, of_call_number, self._maybe(reason)))

    def approval_request(self, request: Mapping[str, Any], at: float | None = None) -> None:
        self.events.append(ApprovalRequest(self._next(), at, **self._approval(request)))

    def approval_decision(self, decision: Mapping[str, Any], at: float | None = None) -> None:
        self.events.append(ApprovalDecision(self._next(), at, **self._approval(decision)))

    def state(self, observation: StateObservation) -> None:
        state = self.redact.value(observation.state)
        source = self.redact.text(observation.source)
        self.events.append(replace(observation, number=self._next(), source=source, state=state))

    def finish(self, *, ended: bool | None = None) -> Trajectory:
        """The trajectory; the last text of the agent with no call behind it becomes its final answer."""
        self.place = "end"
        for call_id, calls in self._open.items():
            for call in calls:
                self.note("missing-result", f"call {call_id!r} of {call.name} at event {call.number} has no result")
        if self._last_text is not None:
            said = self.events[self._last_text]
            assert isinstance(said, ModelDecision)
            self.events[self._last_text] = FinalAnswer(
                said.number,
                said.at,
                said.text or "",
                said.model,
                said.input_tokens,
                said.output_tokens,
                said.cost,
                said.seconds,
            )
        if not self.events:
            self.note("empty-run", "the run has no event")
        if ended is False:
            self.note("unended-run", "neither the user nor a handoff ended the run")
        identity = self.identity if ended is None else replace(self.identity, ended=ended)
        return Trajectory(redacted_identity(identity, self.redact), tuple(self.events), tuple(self.notes))

    def _next(self) -> int:
        return len(self.events) + 1

    def _maybe(self, text: str | None) -> str | None:
        return None if text is None else self.redact.text(text)

    def _each(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.redact.text(text) for text in texts)

    def _approval(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of an approval; a digest stays, because it is compared and tells nothing."""
        return {
            name: value if "digest" in name else self.redact.text(value) if isinstance(value, str) else value
            for name, value in fields.items()
        }

    def _schema(self, schema: Any) -> Any:
        """A schema without detected values; its keys are names of arguments, which say nothing of their values."""
        if not schema:
            return schema
        text = json.dumps(schema, ensure_ascii=False)
        redacted = self.redact.text(text)
        return schema if redacted == text else json.loads(redacted)

    def _arguments(self, name: str, arguments: Json) -> tuple[dict[str, Json] | None, str | None]:
        text = None
        if isinstance(arguments, str):
            text = arguments
            try:
                arguments = _ARGUMENTS.decode(arguments) if arguments.strip() else {}
            except (ValueError, RecursionError):
                arguments = None
        elif arguments is None:
            arguments = {}
        if isinstance(arguments, dict):
            redacted = self.redact.value(arguments)
            assert isinstance(redacted, dict)
            return redacted, None
        self.note("malformed-arguments", f"the arguments of {name} are no JSON object")
        return None, self.redact.text(text) if text is not None else json.dumps(self.redact.value(arguments))

    def _answered(self, call_id: str) -> ToolCall | None:
        waiting = self._open.get(call_id)
        if waiting:
            call = waiting.popleft()
            if not waiting:
                del self._open[call_id]
            return call
        if call_id in self._called:
            self.note("duplicate-result", f"call {self.redact.text(call_id)!r} was answered before")
        else:
            self._unpaired[call_id] = self._next()
            self.note("result-without-call", f"no call {self.redact.text(call_id)!r} stands before this result")
        return None

    def _result_text(self, text: str) -> str:
        if text.lstrip()[:1] in ("{", "["):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                return self.redact.text(text)
            redacted = self.redact.value(value)
            return text if redacted == value else json.dumps(redacted, ensure_ascii=False)
        return self.redact.text(text)


# NaN and numbers beyond all others could not be read back from a line.
_ARGUMENTS = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite)


def redacted_identity(identity: RunIdentity, redact: Redactor) -> RunIdentity:
    """An identity whose ids, labels and slices carry no detected value."""

    def clean(text: str | None) -> str | None:
        return None if text is None else redact.text(text)

    labels = redact.value(dict(identity.labels))
    assert isinstance(labels, dict)
    return replace(
        identity,
        run_id=redact.text(identity.run_id),
        case_id=clean(identity.case_id),
        tenant=clean(identity.tenant),
        user=clean(identity.user),
        model=clean(identity.model),
        prompt_version=clean(identity.prompt_version),
        release=clean(identity.release),
        labels=labels,
        slices={key: redact.text(value) for key, value in identity.slices.items()},
    )

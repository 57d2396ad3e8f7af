"""Our own lines back into trajectories; redaction runs again, so a file written by hand is as safe as any other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import Event, Note, RunIdentity, ToolCall, ToolResult, Trajectory
from evalnb.trajectory.importers.reading import Reading
from evalnb.trajectory.line_format import event_of, identity_of, notes_of
from evalnb.trajectory.run_builder import redacted_identity


def import_documents(found: Iterator[Document], reading: Reading) -> Iterator[Trajectory]:
    """Every run of the file; a run's lines stand together, its identity first."""
    run: _OpenRun | None = None
    finished: set[str] = set()
    for document in found:
        body = reading.object_of(document.value, document.line, "a line")
        try:
            if body.get("type") == "run":
                if run is not None:
                    finished.add(run.identity.run_id)
                    yield run.finish()
                run = _OpenRun(identity_of(body), notes_of(body), reading)
                if run.identity.run_id in finished:
                    raise ValueError(f"run {run.identity.run_id!r} was finished before: a run's lines stand together")
            elif run is None:
                raise ValueError("an event stands before the first run")
            else:
                run.add(body)
        except ValueError as error:
            reading.fail(document.line, str(error))
    if run is not None:
        yield run.finish()


class _OpenRun:
    """A run whose lines are being read."""

    def __init__(self, identity: RunIdentity, notes: tuple[Note, ...], reading: Reading) -> None:
        self.identity, self.notes, self.reading = identity, list(notes), reading
        self.events: list[Event] = []
        self.last_number = 0
        self.last_time: float | None = None
        self.calls: set[int] = set()

    def add(self, body: dict[str, Any]) -> None:
        if body.get("run") != self.identity.run_id:
            raise ValueError(f"an event of run {body.get('run')!r} stands among those of {self.identity.run_id!r}")
        event = event_of(body)
        if event.number <= self.last_number:
            raise ValueError(f"event number {event.number} does not go beyond {self.last_number}")
        self.last_number = event.number
        if event.at is not None:
            if self.last_time is not None and event.at < self.last_time:
                self._note("clock-backwards", event.number, f"{self.last_time - event.at:.3f} s before the event ahead")
            self.last_time = event.at
        if type(event) is ToolCall:
            self.calls.add(event.number)
        elif type(event) is ToolResult and event.call_number is not None and event.call_number not in self.calls:
            self._note("result-without-call", event.number, f"event {event.call_number} is no call ahead of it")
            event = replace(event, call_number=None)
        self.events.append(_redacted(event, self.reading))

    def _note(self, code: str, number: int, detail: str) -> None:
        note = Note(code, f"{self.identity.run_id}, event {number}", detail)
        if note not in self.notes[:200]:
            self.reading.report.notes.add(note)
            if len(self.notes) < 200:
                self.notes.append(note)

    def finish(self) -> Trajectory:
        if not self.events and not any(note.code == "empty-run" for note in self.notes):
            self._note("empty-run", 0, "the run has no event")
        identity = redacted_identity(self.identity, self.reading.redact)
        return Trajectory(identity, tuple(self.events), tuple(self.notes))


def _redacted(event: Event, reading: Reading) -> Event:
    """The event with every detected value replaced; the same object where there is none."""
    changed: dict[str, Json] = {}
    redact = reading.redact
    for name in _TEXT_FIELDS.get(event.type, ()):
        value = getattr(event, name)
        if value is None:
            continue
        clean = redact.text(value) if isinstance(value, str) else redact.value(value)
        if clean != value:
            changed[name] = clean
    return replace(event, **changed) if changed else event  # type: ignore[arg-type]


_TEXT_FIELDS: dict[str, tuple[str, ...]] = {
    "user_request": ("text",),
    "policy_scope": ("text",),
    "tool_list_changed": ("reason",),
    "model_decision": ("text",),
    "tool_call": ("arguments", "arguments_text", "operation_id"),
    "approval_request": ("tenant",),
    "approval_decision": ("decided_by", "reason"),
    "tool_result": ("text", "structured"),
    "retry": ("reason",),
    "handoff": ("to", "reason"),
    "state_observation": ("state",),
    "final_answer": ("text",),
}

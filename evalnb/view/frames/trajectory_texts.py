"""What the events of a run say, each in one text: structured content as JSON, decisions in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.events import (
    ApprovalDecision,
    ApprovalRequest,
    Event,
    FinalAnswer,
    Handoff,
    ModelDecision,
    PolicyScope,
    Retry,
    StateObservation,
    ToolCall,
    ToolListChanged,
    ToolResult,
    ToolsDiscovered,
    UserRequest,
)
from evalnb.view.frames.columns import joined


def said_in(event: Event) -> str | None:
    """What an event says, in one text; structured content as JSON."""
    for shape, says in _SAYS.items():
        if isinstance(event, shape):
            told: str | None = says(event)
            return told
    return None


def written(value: Json) -> str:
    """A JSON value as text."""
    return json.dumps(value, ensure_ascii=False)


def _asked(event: ApprovalRequest) -> str:
    return " ".join(
        part
        for part in (
            f"approval {event.approval_id} asked for",
            f"of tenant {event.tenant}" if event.tenant is not None else "",
            f"bound to {event.digest[:19]}" if event.digest is not None else "bound to no digest",
        )
        if part
    )


def _decided(event: ApprovalDecision) -> str:
    by = f" by {event.decided_by}" if event.decided_by else ""
    return f"approval {event.approval_id} {'given' if event.approved else 'denied'}{by}" + (
        f": {event.reason}" if event.reason else ""
    )


def _came_back(event: ToolResult) -> str | None:
    return event.text if event.structured is None else written(event.structured)


def _sent(event: ToolCall) -> str | None:
    return event.arguments_text if event.arguments is None else written(event.arguments)


_SAYS: Mapping[type[Event], Callable[[Any], str | None]] = {
    UserRequest: lambda one: one.text,
    PolicyScope: lambda one: one.text,
    ToolsDiscovered: lambda one: joined(tool.name for tool in one.tools),
    ToolListChanged: lambda one: one.reason,
    ModelDecision: lambda one: one.text,
    ToolCall: _sent,
    ApprovalRequest: _asked,
    ApprovalDecision: _decided,
    ToolResult: _came_back,
    Retry: lambda one: one.reason or f"repeats the call at event {one.of_call_number}",
    Handoff: lambda one: f"to {one.to}" + (f": {one.reason}" if one.reason else ""),
    StateObservation: lambda one: written({"source": one.source, "phase": one.phase, "state": one.state}),
    FinalAnswer: lambda one: one.text,
}

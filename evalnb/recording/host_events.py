"""What a server cannot see, told by the host: events in notifications of the agent's program, kept from the server.

The notification is `notifications/evalnb/event`; its parameters are an event line without `number` and `run`.
"""

from __future__ import annotations

from typing import Any, Final

from evalnb.engine.json_values import Json
from evalnb.recording.journal import Journal
from evalnb.trajectory.approval_digest import approval_digest
from evalnb.trajectory.events import (
    ApprovalDecision,
    ApprovalRequest,
    Event,
    FinalAnswer,
    Handoff,
    ModelDecision,
    PolicyScope,
    StateObservation,
    UserRequest,
)
from evalnb.trajectory.line_format import event_of
from evalnb.trajectory.run_builder import Usage

METHOD: Final = "notifications/evalnb/event"


def take_host_event(journal: Journal, told: dict[str, Any]) -> bool:
    """Record what the host tells; whether it was the final answer. ValueError names what does not fit.

    An approval request may carry the reviewed call's `arguments` in the place of its digest.
    """
    body = {key: value for key, value in told.items() if key not in ("run", "number", "_meta")}
    reviewed = body.pop("arguments", None) if body.get("type") == ApprovalRequest.type else None
    event = event_of({**body, "number": 1})
    at = journal.now if event.at is None else event.at
    _add(journal, event, at, reviewed)
    journal.flush()
    return isinstance(event, FinalAnswer)


def _add(journal: Journal, event: Event, at: float, reviewed: Json) -> None:
    builder = journal.builder
    match event:
        case UserRequest():
            builder.user(event.text, at)
        case PolicyScope():
            builder.policy(event.text, at, roles=event.roles, allowed_tools=event.allowed_tools)
        case ModelDecision() | FinalAnswer():
            usage = Usage(event.model, event.input_tokens, event.output_tokens, event.cost, event.seconds)
            builder.decision(event.text, at, usage)
        case ApprovalRequest():
            builder.approval_request(_request(journal, event, reviewed), at)
        case ApprovalDecision():
            decision = {"approval_id": event.approval_id, "approved": event.approved, "reason": event.reason}
            builder.approval_decision({**decision, "decided_by": event.decided_by or "host"}, at)
        case Handoff():
            builder.handoff(event.to, event.reason, at)
        case StateObservation():
            builder.state(StateObservation(0, at, event.source, event.state, event.phase))
        case _:
            raise ValueError(f"a host tells no {event.type}: the recorder sees it by itself")


def _request(journal: Journal, event: ApprovalRequest, reviewed: Json) -> dict[str, Any]:
    tool = journal.redact.text(event.tool)
    tenant = None if event.tenant is None else journal.redact.text(event.tenant)
    digest = event.digest
    if isinstance(reviewed, dict):
        recorded = journal.redact.value(reviewed)
        assert isinstance(recorded, dict)
        digest = approval_digest(tool, recorded, tenant, event.expires_at)
    return {
        "approval_id": event.approval_id,
        "tool": tool,
        "digest": digest,
        "tenant": tenant,
        "expires_at": event.expires_at,
        "call_id": event.call_id,
    }

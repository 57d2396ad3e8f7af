"""Approvals of one run: requests bound to a digest of the call, decisions, and how long a decision holds."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.recording.approval_policy import ApprovalRule
from evalnb.recording.journal import Journal
from evalnb.trajectory.approval_digest import approval_digest

LONGEST_SHOWN = 4000


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, by whom and why."""

    approved: bool
    decided_by: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """A call held for a decision, as the user is shown it; `key` is one text for the same call."""

    approval_id: str
    key: str
    tool: str
    message: str
    expires_at: float


class Approvals:
    """The approvals of one run. An approved call may be made again until the approval expires, any other may not."""

    def __init__(
        self, journal: Journal, rule_for: Callable[[str], ApprovalRule], tenant: str | None, valid_seconds: float
    ) -> None:
        self._journal = journal
        self.rule_for = rule_for
        self._tenant = tenant
        self._valid_seconds = valid_seconds
        self._numbers = itertools.count(1)
        self._approved: dict[str, float] = {}

    def holds_already(self, tool: str, arguments: Mapping[str, Json]) -> bool:
        """Whether this very call was approved before and the approval has not expired."""
        return self._approved.get(_key(tool, arguments), -1.0) >= self._journal.now

    def request(self, rule: ApprovalRule, tool: str, arguments: Mapping[str, Json], call_id: str) -> Review:
        """Record that a decision is asked for."""
        at = self._journal.now
        review = Review(
            f"approval-{next(self._numbers)}",
            _key(tool, arguments),
            tool,
            _message(rule, tool, arguments),
            round(at + self._valid_seconds, 3),
        )
        tenant = None if self._tenant is None else self._journal.redact.text(self._tenant)
        self._journal.builder.approval_request(
            {
                "approval_id": review.approval_id,
                "tool": self._journal.redact.text(tool),
                "digest": self._digest(tool, arguments, tenant, review.expires_at),
                "tenant": tenant,
                "expires_at": review.expires_at,
                "call_id": call_id,
            },
            at,
        )
        self._journal.flush()
        return review

    def decide(self, review: Review, decision: Decision) -> Decision:
        """Record a decision, and return it; a yes that came after the expiry is a no."""
        at = self._journal.now
        if decision.approved and at > review.expires_at:
            decision = Decision(False, decision.decided_by, "the approval expired before it was given")
        reason = None if decision.reason is None else self._journal.redact.text(decision.reason)
        self._journal.builder.approval_decision(
            {
                "approval_id": review.approval_id,
                "approved": decision.approved,
                "decided_by": decision.decided_by,
                "reason": reason,
            },
            at,
        )
        self._journal.flush()
        if decision.approved:
            self._approved[review.key] = review.expires_at
        return decision

    def _digest(self, tool: str, arguments: Mapping[str, Json], tenant: str | None, expires_at: float) -> str:
        # Over the arguments as they are recorded: who checks the digest has no others.
        recorded = self._journal.redact.value(dict(arguments))
        assert isinstance(recorded, dict)
        return approval_digest(self._journal.redact.text(tool), recorded, tenant, expires_at)


def decision_of(answer: Any) -> Decision:
    """What the user's answer to the question comes to: only an explicit acceptance is a yes."""
    action = answer.get("action") if isinstance(answer, dict) else None
    if action == "accept":
        return Decision(True, "user")
    return Decision(False, "user", "the user declined" if action == "decline" else "the user did not answer")


def question(review: Review) -> dict[str, Any]:
    """The parameters of the elicitation that puts a call before the user."""
    return {"mode": "form", "message": review.message, "requestedSchema": {"type": "object", "properties": {}}}


def refusal_text(tool: str, decision: Decision) -> str:
    """What the agent is told of a call that was not approved."""
    why = f" ({decision.reason})" if decision.reason else ""
    return f"{tool} was not called: its approval was denied{why}. Nothing was changed."


def _key(tool: str, arguments: Mapping[str, Json]) -> str:
    return f"{tool} {json.dumps(dict(arguments), sort_keys=True)}"


def _message(rule: ApprovalRule, tool: str, arguments: Mapping[str, Json]) -> str:
    shown = json.dumps(dict(arguments), indent=2, ensure_ascii=False)
    if len(shown) > LONGEST_SHOWN:
        shown = f"{shown[:LONGEST_SHOWN]}\n… {len(shown) - LONGEST_SHOWN} more characters"
    consequence = f"\n{rule.consequence}" if rule.consequence else ""
    return f"The agent asks to call {tool} with\n{shown}{consequence}\nMay it?"

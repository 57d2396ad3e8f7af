"""One run of a tool-using agent as ordered, typed, frozen events, and the identity every event of it shares.

Times are seconds since 1970 in UTC, or None where the trace has none. Numbers start at 1 and never repeat in a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from evalnb.engine.json_values import Json

ResultStatus: TypeAlias = Literal[
    "ok", "execution-error", "protocol-error", "timeout", "rate-limit", "malformed", "denied"
]
RESULT_STATUSES: tuple[ResultStatus, ...] = (
    "ok",
    "execution-error",
    "protocol-error",
    "timeout",
    "rate-limit",
    "malformed",
    "denied",
)


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """A tool as a server described it; the schemas are JSON Schema documents."""

    name: str
    description: str | None = None
    input_schema: Json = None
    output_schema: Json = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """What every event has: its place in the run and, where known, its time."""

    type: ClassVar[str] = "event"

    number: int
    at: float | None = None


@dataclass(frozen=True, slots=True)
class UserRequest(Event):
    """What the user said."""

    type: ClassVar[str] = "user_request"

    text: str = ""


@dataclass(frozen=True, slots=True)
class PolicyScope(Event):
    """The rules and the authenticated scope the agent was given: a system prompt, roles, tools it may use."""

    type: ClassVar[str] = "policy_scope"

    text: str | None = None
    roles: tuple[str, ...] = ()
    allowed_tools: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ToolsDiscovered(Event):
    """One page of the tools a server offers; `more` tells that another page follows."""

    type: ClassVar[str] = "tools_discovered"

    tools: tuple[ToolDescription, ...] = ()
    page: int = 1
    more: bool = False


@dataclass(frozen=True, slots=True)
class ToolListChanged(Event):
    """The server announced that its list of tools changed."""

    type: ClassVar[str] = "tool_list_changed"

    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ModelDecision(Event):
    """One answer of the model: what it said, and what that took."""

    type: ClassVar[str] = "model_decision"

    text: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ToolCall(Event):
    """A tool called by the agent.

    `arguments` is None where the trace's text was no JSON object; `arguments_text` then holds that text.
    """

    type: ClassVar[str] = "tool_call"

    call_id: str = ""
    name: str = ""
    arguments: dict[str, Json] | None = None
    arguments_text: str | None = None
    tool_version: str | None = None
    operation_id: str | None = None


@dataclass(frozen=True, slots=True)
class ApprovalRequest(Event):
    """A decision was asked for before a call; `digest` is the reviewed call's, `expires_at` a time in seconds."""

    type: ClassVar[str] = "approval_request"

    approval_id: str = ""
    tool: str = ""
    digest: str | None = None
    tenant: str | None = None
    expires_at: float | None = None
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class ApprovalDecision(Event):
    """The answer to an approval request."""

    type: ClassVar[str] = "approval_decision"

    approval_id: str = ""
    approved: bool = False
    decided_by: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ToolResult(Event):
    """What a call came back with.

    `call_number` is the number of the answered call, None where none was found. `instructions` names the patterns of
    instruction-like text seen in the result when it was read.
    """

    type: ClassVar[str] = "tool_result"

    call_id: str = ""
    call_number: int | None = None
    name: str | None = None
    status: ResultStatus = "ok"
    text: str | None = None
    structured: Json = None
    size: int = 0
    instructions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retry(Event):
    """A call repeats an earlier one; both are event numbers."""

    type: ClassVar[str] = "retry"

    call_number: int = 0
    of_call_number: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Handoff(Event):
    """The run passed to another agent or a person."""

    type: ClassVar[str] = "handoff"

    to: str = ""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class StateObservation(Event):
    """What the authoritative system held, read outside the agent."""

    type: ClassVar[str] = "state_observation"

    source: str = ""
    state: Json = None
    phase: Literal["before", "during", "after"] = "after"


@dataclass(frozen=True, slots=True)
class FinalAnswer(Event):
    """The last thing the agent told the user."""

    type: ClassVar[str] = "final_answer"

    text: str = ""
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


EVENT_CLASSES: tuple[type[Event], ...] = (
    UserRequest,
    PolicyScope,
    ToolsDiscovered,
    ToolListChanged,
    ModelDecision,
    ToolCall,
    ApprovalRequest,
    ApprovalDecision,
    ToolResult,
    Retry,
    Handoff,
    StateObservation,
    FinalAnswer,
)


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """Who and what a run was: ids stay the same wherever the run is stored.

    `labels` holds what others said of the run (a benchmark's reward, a person's label); `slices` what runs are cut by;
    `ended` whether the trace shows the run's end (None where the format cannot tell); `truth_digest` is the digest of
    the ground truth that came with the run.
    """

    run_id: str
    case_id: str | None = None
    trial: int | None = None
    tenant: str | None = None
    user: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    release: str | None = None
    ended: bool | None = None
    truth_digest: str | None = None
    labels: Mapping[str, Json] = field(default_factory=dict)
    slices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Note:
    """A named warning about one place of a trace: what was odd, and what was made of it."""

    code: str
    place: str
    detail: str


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A whole run: its identity, its events in the order of the trace, and what was odd when it was read."""

    identity: RunIdentity
    events: tuple[Event, ...]
    notes: tuple[Note, ...] = ()

    @property
    def run_id(self) -> str:
        return self.identity.run_id

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def event(self, number: int) -> Event:
        """The event of that number; KeyError where the run has none."""
        place = number - 1
        if 0 <= place < len(self.events) and self.events[place].number == number:
            return self.events[place]
        for event in self.events:
            if event.number == number:
                return event
        raise KeyError(number)

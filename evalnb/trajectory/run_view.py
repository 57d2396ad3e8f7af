"""One run beside its case, arranged once for all graders: calls with their results, what was said, what was offered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.cases import Case, ExpectedCall, Suite, ToolSpec, case_id_of_truth
from evalnb.trajectory.events import (
    ApprovalDecision,
    ApprovalRequest,
    Event,
    FinalAnswer,
    ModelDecision,
    RunIdentity,
    StateObservation,
    ToolCall,
    ToolListChanged,
    ToolResult,
    ToolsDiscovered,
    Trajectory,
    UserRequest,
)
from evalnb.trajectory.normal_form import call_key, schema_of_paths
from evalnb.trajectory.redaction import Redactor
from evalnb.trajectory.schema_check import SchemaCheck, compile_schema


@dataclass(slots=True)
class Call:
    """A call of the run with its first result; `changes` tells that the tool changes state."""

    event: ToolCall
    changes: bool
    result: ToolResult | None = None
    later_results: tuple[ToolResult, ...] = ()
    user: UserRequest | None = None
    told: ModelDecision | FinalAnswer | None = None

    @property
    def number(self) -> int:
        return self.event.number

    @property
    def name(self) -> str:
        return self.event.name

    @property
    def succeeded(self) -> bool:
        return self.result is not None and self.result.status == "ok"

    @property
    def numbers(self) -> tuple[int, ...]:
        return (self.number,) if self.result is None else (self.number, self.result.number)


@dataclass(slots=True)
class RunView:
    """What graders read. `case` is None for a run that belongs to no case of the suite."""

    trajectory: Trajectory
    case: Case | None
    suite: SuiteView
    calls: list[Call] = field(default_factory=list)
    users: list[UserRequest] = field(default_factory=list)
    said: list[ModelDecision | FinalAnswer] = field(default_factory=list)
    answer: FinalAnswer | None = None
    requests: list[ApprovalRequest] = field(default_factory=list)
    decisions: list[ApprovalDecision] = field(default_factory=list)
    offers: list[ToolsDiscovered] = field(default_factory=list)
    list_changes: list[ToolListChanged] = field(default_factory=list)
    states: list[StateObservation] = field(default_factory=list)

    @property
    def changes(self) -> list[Call]:
        """The calls of tools that change state."""
        return [call for call in self.calls if call.changes]

    def key(self, call: Call) -> str:
        """One text for all spellings of the call."""
        return self.suite.key(call.name, call.event.arguments)


@dataclass(slots=True)
class SuiteView:
    """A suite arranged for grading: tools by name, compiled schemas, the keys of expected calls.

    Cases go through the redactor the runs went through, so that a value that left a trace still equals its own.
    """

    suite: Suite | None
    redact: Redactor | None = None
    tools: dict[str, ToolSpec] = field(default_factory=dict)
    written: dict[str, Case] = field(default_factory=dict)
    _redacted: dict[str, Case] = field(default_factory=dict)
    _checks: dict[tuple[str, str], SchemaCheck | None] = field(default_factory=dict)
    _keys: dict[int, str] = field(default_factory=dict)
    _shapes: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)

    @classmethod
    def of(cls, suite: Suite | None, redact: Redactor | None = None) -> SuiteView:
        if suite is None:
            return cls(None)
        tools = {tool.name: tool for tool in suite.tools}
        return cls(suite, redact, tools, {case.id: case for case in suite.cases})

    def case_of(self, identity: RunIdentity) -> Case | None:
        """The case of a run; None where the suite has none, or none of the run's own ground truth."""
        case_id, truth = identity.case_id, identity.truth_digest
        case = None if case_id is None else self.written.get(case_id)
        if case_id is None or case is None or truth is None or case.truth_digest in (None, truth):
            return self.case(case_id)
        return self.case(case_id_of_truth(case_id, truth))

    def case(self, case_id: str | None) -> Case | None:
        """The case of that id as the runs can meet it; None where the suite has none."""
        if case_id is None:
            return None
        known = self._redacted.get(case_id)
        if known is None and (case := self.written.get(case_id)) is not None:
            known = self._redacted[case_id] = case if self.redact is None else _redacted(case, self.redact)
        return known

    def input_check(self, view: RunView, tool: str) -> SchemaCheck | None:
        """The compiled input schema of a tool: the suite's, else the one the run discovered."""
        spec = self.tools.get(tool)
        if spec is not None:
            return self._check(tool, "input", spec.input_schema)
        described = _described(view, tool)
        return None if described is None else _compiled(described.input_schema)

    def output_check(self, view: RunView, tool: str) -> SchemaCheck | None:
        """The compiled output schema of a tool, as `input_check` finds the input's."""
        spec = self.tools.get(tool)
        if spec is not None:
            return self._check(tool, "output", spec.output_schema)
        described = _described(view, tool)
        return None if described is None else _compiled(described.output_schema)

    def expected_key(self, call: ExpectedCall) -> str:
        """The key a run's call has when it is this expected one."""
        known = self._keys.get(id(call))
        if known is None:
            known = self._keys[id(call)] = self.key(call.tool, call.arguments)
        return known

    def key(self, tool: str, arguments: Mapping[str, Json] | None) -> str:
        """One text for all spellings of a call, as far as the suite knows its tool."""
        spec = self.tools.get(tool)
        if spec is None:
            return call_key(tool, arguments)
        schema = spec.input_schema if spec.input_schema is not None else self._shape(spec)
        return call_key(tool, arguments, schema, spec.order_free)

    def overwritten(self, tool: str, arguments: Mapping[str, Json] | None) -> str | None:
        """One text for what a call writes whole; None for a call of a tool that overwrites nothing."""
        spec = self.tools.get(tool)
        if spec is None or not spec.overwrites:
            return None
        return call_key(tool, {name: (arguments or {}).get(name) for name in spec.overwrites})

    def _shape(self, spec: ToolSpec) -> Mapping[str, Any] | None:
        if spec.name not in self._shapes:
            self._shapes[spec.name] = schema_of_paths(spec.reads)
        return self._shapes[spec.name]

    def _check(self, tool: str, side: str, schema: Mapping[str, Any] | None) -> SchemaCheck | None:
        place = (tool, side)
        if place not in self._checks:
            self._checks[place] = _compiled(schema)
        return self._checks[place]


def _redacted(case: Case, redact: Redactor) -> Case:
    # Most cases hold nothing to redact, and their text tells so sooner than a walk over their values.
    text = case.model_dump_json(by_alias=True, exclude_defaults=True)
    if redact.leaves(text):
        return case
    return Case.model_validate(redact.value(case.model_dump(by_alias=True, exclude_defaults=True)))


def _compiled(schema: Json | Mapping[str, Any]) -> SchemaCheck | None:
    return compile_schema(schema) if isinstance(schema, dict | bool) else None


def _described(view: RunView, tool: str) -> Any:
    for offer in reversed(view.offers):
        for described in offer.tools:
            if described.name == tool:
                return described
    return None


def view_of(trajectory: Trajectory, suite: SuiteView) -> RunView:
    """Arrange one run; a single pass over its events."""
    view = RunView(trajectory, suite.case_of(trajectory.identity), suite)
    by_number: dict[int, Call] = {}
    tools = suite.tools
    user: UserRequest | None = None
    told: ModelDecision | FinalAnswer | None = None
    for event in trajectory.events:
        kind = type(event)
        if kind is ToolCall:
            spec = tools.get(event.name)  # type: ignore[attr-defined]
            call = Call(event, spec is not None and spec.effect != "read", None, (), user, told)  # type: ignore[arg-type]
            by_number[event.number] = call
            view.calls.append(call)
        elif kind is ToolResult:
            _answer(by_number.get(event.call_number), event)  # type: ignore[attr-defined, arg-type]
        elif kind is ModelDecision or kind is FinalAnswer:
            if event.text:  # type: ignore[attr-defined]
                view.said.append(event)  # type: ignore[arg-type]
                told = event  # type: ignore[assignment]
            if kind is FinalAnswer:
                view.answer = event  # type: ignore[assignment]
        elif kind is UserRequest:
            user = event  # type: ignore[assignment]
            view.users.append(event)  # type: ignore[arg-type]
        else:
            _other(view, event)
    return view


def _answer(call: Call | None, result: ToolResult) -> None:
    if call is None:
        return
    if call.result is None:
        call.result = result
    else:
        call.later_results = (*call.later_results, result)


def _other(view: RunView, event: Event) -> None:
    if isinstance(event, ApprovalRequest):
        view.requests.append(event)
    elif isinstance(event, ApprovalDecision):
        view.decisions.append(event)
    elif isinstance(event, ToolsDiscovered):
        view.offers.append(event)
    elif isinstance(event, ToolListChanged):
        view.list_changes.append(event)
    elif isinstance(event, StateObservation):
        view.states.append(event)

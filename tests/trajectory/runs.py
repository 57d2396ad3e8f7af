"""Small runs for the tests, written event by event."""

from __future__ import annotations

from typing import Any

from evalnb.trajectory.cases import Case, Suite, ToolSpec
from evalnb.trajectory.events import RunIdentity, StateObservation, ToolDescription, Trajectory
from evalnb.trajectory.grading import RunGrade, grade
from evalnb.trajectory.notes import NoteBook
from evalnb.trajectory.redaction import Redactor
from evalnb.trajectory.run_builder import RunBuilder, Usage

KEY = b"a key for tests only, 32 bytes.."
REDACT = Redactor(KEY)

ORDER_SCHEMA = {
    "type": "object",
    "properties": {"orderId": {"type": "string"}, "reason": {"type": "string"}},
    "required": ["orderId"],
}
TOOLS = (
    ToolSpec(name="orders.get", input_schema=ORDER_SCHEMA),
    ToolSpec(name="orders.list", input_schema={"type": "object"}),
    ToolSpec(name="orders.cancel", input_schema=ORDER_SCHEMA, effect="destructive"),
    ToolSpec(
        name="payments.refund",
        effect="financial",
        operation_id_argument="operationId",
        output_schema={
            "type": "object",
            "properties": {"state": {"enum": ["done", "pending"]}},
            "required": ["state"],
        },
    ),
)


class Run:
    """A run being written: `call` makes a call and its result in one step."""

    def __init__(self, *, case_id: str | None = "c", trial: int = 0, **identity: Any) -> None:
        told = RunIdentity(identity.pop("run_id", f"{case_id}/{trial}"), case_id, trial, **identity)
        self.builder = RunBuilder(told, REDACT, NoteBook())
        self.count = 0
        self.finished: Trajectory | None = None

    def user(self, text: str) -> Run:
        self.builder.user(text)
        return self

    def says(self, text: str, **usage: Any) -> Run:
        self.builder.decision(text, usage.pop("at", None), Usage(**usage))
        return self

    def offers(self, *names: str, page: int = 1, more: bool = False) -> Run:
        self.builder.discovered(tuple(ToolDescription(name) for name in names), page=page, more=more)
        return self

    def call(
        self,
        tool: str,
        arguments: Any = None,
        text: str | None = "done",
        *,
        status: Any = "ok",
        structured: Any = None,
        operation_id: str | None = None,
        at: float | None = None,
    ) -> Run:
        self.count += 1
        self.builder.call(f"id{self.count}", tool, arguments, at, operation_id=operation_id)
        self.builder.result(f"id{self.count}", text, status, at, structured=structured)
        return self

    def asks(self, tool: str, *, approval: str = "a", digest: str | None = None, **more: Any) -> Run:
        self.builder.approval_request({"approval_id": approval, "tool": tool, "digest": digest, **more})
        return self

    def decides(self, approved: bool, *, approval: str = "a") -> Run:
        self.builder.approval_decision({"approval_id": approval, "approved": approved})
        return self

    def state(self, state: Any, phase: Any = "after") -> Run:
        self.builder.state(StateObservation(0, None, "database", state, phase))
        return self

    def done(self, *, ended: bool | None = None) -> Trajectory:
        """The finished run; asked again, the same one."""
        if self.finished is None:
            self.finished = self.builder.finish(ended=ended)
        return self.finished


def case(**fields: Any) -> Case:
    """A case with what a test does not care about filled in; fields as in a file."""
    return Case.model_validate(
        {"id": "c", "class": "happy", "intent": "cancel", "request": "Cancel order 481", **fields}
    )


def graded(run: Trajectory, given: Case | None = None) -> RunGrade:
    """One run graded by the tools of the tests and one case."""
    suite = Suite(name="orders", tools=TOOLS, cases=(given,) if given is not None else ())
    return grade([run], suite, redact=REDACT)[0]


def codes(run: Trajectory, given: Case | None = None) -> set[str]:
    """The codes of what graders find in a run."""
    return {one.code for one in graded(run, given).findings}

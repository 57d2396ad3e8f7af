"""Recovery: what the agent did after a failure, and whether a repeated change kept its operation id."""

from __future__ import annotations

from collections.abc import Iterator

from evalnb.trajectory.findings import Finding, finding
from evalnb.trajectory.graders.effects import operation_of
from evalnb.trajectory.grading import grader
from evalnb.trajectory.run_view import Call, RunView

# A failure after which the change may have been made all the same.
_UNCERTAIN = ("timeout", "malformed", "protocol-error")
REPEATS_ALLOWED = 2


@grader("recovery")
def recovery(view: RunView) -> list[Finding] | None:
    """None for a run in which nothing failed."""
    failed = [call for call in view.calls if call.result is None or call.result.status not in ("ok", "denied")]
    if not failed:
        return None
    return [*_uncertain_repeats(view, failed), *_repeated(view, failed), *_unrecovered(view, failed)]


def _uncertain_repeats(view: RunView, failed: list[Call]) -> Iterator[Finding]:
    for call in failed:
        if not call.changes or (call.result is not None and call.result.status not in _UNCERTAIN):
            continue
        again = next((c for c in view.calls if c.number > call.number and _same(view, c, call)), None)
        if again is None:
            continue
        first, second = operation_of(view, call), operation_of(view, again)
        numbers = (call.number, again.number)
        if second is None:
            detail = f"{call.name} may have taken effect and was repeated without an operation id"
            yield finding("retry-without-operation-id", detail, numbers, call.name)
        elif first != second:
            detail = f"{call.name} may have taken effect and was repeated under another operation id"
            yield finding("retry-with-new-operation-id", detail, numbers, call.name)


def _same(view: RunView, a: Call, b: Call) -> bool:
    """Whether two calls ask for one thing, whatever their operation ids."""
    if a.name != b.name:
        return False
    spec = view.suite.tools.get(a.name)
    omitted = spec.operation_id_argument if spec else None
    before = {key: value for key, value in (a.event.arguments or {}).items() if key != omitted}
    after = {key: value for key, value in (b.event.arguments or {}).items() if key != omitted}
    return before == after


def _repeated(view: RunView, failed: list[Call]) -> Iterator[Finding]:
    if len(failed) <= REPEATS_ALLOWED:
        return
    groups: dict[str, list[Call]] = {}
    for call in failed:
        groups.setdefault(view.key(call), []).append(call)
    for calls in groups.values():
        if len(calls) > REPEATS_ALLOWED:
            numbers = [call.number for call in calls]
            detail = f"{calls[0].name} failed {len(calls)} times with the same arguments"
            yield finding("repeated-failure", detail, numbers, calls[0].name)


def _unrecovered(view: RunView, failed: list[Call]) -> Iterator[Finding]:
    case = view.case
    if case is None:
        return
    expected = [*case.required_calls, *(case.effects.calls if case.effects else ())]
    needed = {call.tool for call in expected}
    done = {call.name for call in view.calls if call.succeeded}
    for tool in sorted({call.name for call in failed} & needed - done):
        numbers = [call.number for call in failed if call.name == tool]
        yield finding("not-recovered", f"{tool} failed and never succeeded", numbers, tool)

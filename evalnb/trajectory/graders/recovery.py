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
    uncertain = [call for call in failed if call.changes and (call.result is None or call.result.status in _UNCERTAIN)]
    repeats = _repeats(view, {call.name for call in uncertain})
    for call in uncertain:
        again = repeats.get(call.number)
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


def _repeats(view: RunView, tools: set[str]) -> dict[int, Call]:
    """By the number of a call of `tools`, the next that asks for the same thing, whatever their operation ids."""
    following: dict[int, Call] = {}
    latest: dict[str, Call] = {}
    for call in view.calls if tools else ():
        if call.name not in tools:
            continue
        spec = view.suite.tools.get(call.name)
        omitted = spec.operation_id_argument if spec else None
        given = {name: value for name, value in (call.event.arguments or {}).items() if name != omitted}
        key = view.suite.key(call.name, given)
        if key in latest:
            following[latest[key].number] = call
        latest[key] = call
    return following


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

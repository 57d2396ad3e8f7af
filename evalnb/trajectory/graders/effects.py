"""Effects: the changes a run made against those the case asks for, once each, and the state behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from evalnb.engine.json_values import Json, json_equal
from evalnb.trajectory.cases import Case, Effects, ExpectedCall
from evalnb.trajectory.findings import Finding, finding
from evalnb.trajectory.graders.arguments import values_at
from evalnb.trajectory.grading import grader
from evalnb.trajectory.run_view import Call, RunView


@grader("effects")
def effects(view: RunView) -> list[Finding] | None:
    """None for a run without a case and without changes."""
    changes = view.changes
    case = view.case
    if case is None and not changes:
        return None
    found = [*_duplicated(view, changes), *_unknown(view, changes)]
    if case is None:
        return found
    if case.effects is not None:
        found += _changes(view, [call for call in changes if call.succeeded], case.effects)
    if case.final_state is not None or case.unchanged_state:
        found += _state(view, case)
    if case.must_end and view.trajectory.identity.ended is False:
        last = view.trajectory.events[-1].number if view.trajectory.events else 0
        found.append(finding("run-unfinished", "neither the user nor a handoff ended the run", (last,)))
    return found


def _changes(view: RunView, made: list[Call], wanted: Effects) -> Iterator[Finding]:
    """Compare with the alternative that lies nearest."""
    by_key: dict[str, list[Call]] = {}
    for call in _lasting(view, list(once_each(view, made))):
        by_key.setdefault(view.key(call), []).append(call)
    done = {key: len(calls) for key, calls in by_key.items()}
    best = _counted(view, wanted.calls)
    if done == best:
        return
    if wanted.alternatives:
        choices = [best, *(_counted(view, route) for route in wanted.alternatives)]
        best = min(choices, key=lambda choice: _distance(choice, done))
    for key, count in _beyond(best, done).items():
        tool = key.split(" ", 1)[0]
        near = [call.number for call in made if call.name == tool]
        yield finding("effect-missing", f"{count} x {key[:200]} was not made", near, tool)
    if wanted.nothing_else:
        for key, count in _beyond(done, best).items():
            calls = by_key[key][-count:]
            numbers = [number for call in calls for number in call.numbers]
            yield finding("effect-unexpected", f"{count} x {key[:200]} was made", numbers, calls[0].name)


def _distance(a: Mapping[str, int], b: Mapping[str, int]) -> int:
    return sum(_beyond(a, b).values()) + sum(_beyond(b, a).values())


def _beyond(counts: Mapping[str, int], others: Mapping[str, int]) -> dict[str, int]:
    """How much of each is in `counts` beyond what `others` has of it."""
    return {key: more for key, count in counts.items() if (more := count - others.get(key, 0)) > 0}


def _counted(view: RunView, route: tuple[ExpectedCall, ...]) -> dict[str, int]:
    counted: dict[str, int] = {}
    last = {view.suite.overwritten(one.tool, one.arguments): place for place, one in enumerate(route)}
    for place, expected in enumerate(route):
        written = view.suite.overwritten(expected.tool, expected.arguments)
        if written is None or last[written] == place:
            key = view.suite.expected_key(expected)
            counted[key] = counted.get(key, 0) + (expected.times if written is None else 1)
    return counted


def _lasting(view: RunView, made: list[Call]) -> Iterator[Call]:
    """Calls without those whose change a later one wrote over."""
    last = {view.suite.overwritten(call.name, call.event.arguments): call.number for call in made}
    for call in made:
        written = view.suite.overwritten(call.name, call.event.arguments)
        if written is None or last[written] == call.number:
            yield call


def once_each(view: RunView, made: list[Call]) -> Iterator[Call]:
    """Calls without those that repeat an operation id: the system answers a repeated one and changes nothing."""
    seen: set[str] = set()
    for call in made:
        operation = operation_of(view, call)
        if operation is not None:
            if operation in seen:
                continue
            seen.add(operation)
        yield call


def operation_of(view: RunView, call: Call) -> str | None:
    """The id that makes a call's effect count once: the trace's, or the argument the tool declares for it."""
    if call.event.operation_id is not None:
        return call.event.operation_id
    spec = view.suite.tools.get(call.name)
    if spec is None or spec.operation_id_argument is None:
        return None
    value = (call.event.arguments or {}).get(spec.operation_id_argument)
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _duplicated(view: RunView, changes: list[Call]) -> Iterator[Finding]:
    """The authoritative state may list the effects of an operation; more than one is a duplicate."""
    if not view.states:
        return
    operations = {operation: call for call in changes if (operation := operation_of(view, call)) is not None}
    for observed in view.states:
        if observed.phase == "before" or not isinstance(observed.state, dict):
            continue
        listed = observed.state.get("effects")
        if not isinstance(listed, list):
            continue
        counts = Counter(str(item.get("operationId")) for item in listed if isinstance(item, dict))
        for operation, count in counts.items():
            if count > 1 and operation != "None":
                call = operations.get(operation)
                numbers = (observed.number,) if call is None else (call.number, observed.number)
                detail = f"operation {operation} took effect {count} times"
                yield finding("effect-duplicated", detail, numbers, call.name if call else None)


def _unknown(view: RunView, changes: list[Call]) -> Iterator[Finding]:
    for call in changes:
        timed_out = call.result is not None and call.result.status == "timeout"
        if timed_out and not any(state.number > call.number for state in view.states):
            detail = f"{call.name} timed out: whether it took effect is not known"
            yield finding("state-unknown", detail, call.numbers, call.name)


def _state(view: RunView, case: Case) -> Iterator[Finding]:
    after = next((one for one in reversed(view.states) if one.phase == "after"), None)
    if after is None:
        if case.final_state is not None:
            yield finding("state-differs", "the trace has no authoritative state to compare", ())
        return
    for path, wanted in (case.final_state or {}).items():
        held = next(values_at(after.state, path.split(".")), None)
        if not json_equal(held, wanted):
            yield finding("state-differs", f"{path} is {held!r}, not {wanted!r}"[:300], (after.number,))
    before = next((one for one in view.states if one.phase == "before"), None)
    start: Json = before.state if before is not None else (case.initial_state.state if case.initial_state else None)
    for path in case.unchanged_state:
        was = next(values_at(start, path.split(".")), None)
        held = next(values_at(after.state, path.split(".")), None)
        if not json_equal(held, was):
            yield finding("state-changed-elsewhere", f"{path} became {held!r}"[:300], (after.number,))

"""Selection: required and alternative routes, forbidden, unavailable and unnecessary calls, and their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalnb.trajectory.cases import Case, ExpectedCall, Ordering
from evalnb.trajectory.findings import Finding, finding
from evalnb.trajectory.grading import grader
from evalnb.trajectory.normal_form import call_key, normal_value
from evalnb.trajectory.run_view import Call, RunView

ANY_CHANGE = "any-change"


@grader("selection")
def selection(view: RunView) -> list[Finding] | None:
    """None for a run without a case, or without calls where the case asks for none."""
    case = view.case
    if case is None:
        return list(_unavailable(view)) if view.offers and view.calls else None
    found = [*_forbidden(view, case), *_unavailable(view)]
    if case.required_calls:
        found += _routes(view, case)
    for rule in case.ordering:
        found += _order(view, rule)
    return found


def _forbidden(view: RunView, case: Case) -> Iterator[Finding]:
    patterns = {pattern.tool: pattern for pattern in case.forbidden_calls if pattern.arguments is None}
    narrow = [pattern for pattern in case.forbidden_calls if pattern.arguments is not None]
    allowed = None if case.tools.allowed is None else frozenset(case.tools.allowed)
    for call in view.calls:
        if call.name in patterns:
            yield finding("forbidden-call", f"{call.name} is forbidden in this case", call.numbers, call.name)
        elif any(pattern.tool == call.name and _has(view, call, pattern.arguments) for pattern in narrow):
            yield finding("forbidden-call", f"{call.name} with these arguments is forbidden", call.numbers, call.name)
        if allowed is not None and call.name not in allowed:
            yield finding("not-allowed-tool", f"{call.name} is outside the caller's tools", call.numbers, call.name)


def _has(view: RunView, call: Call, wanted: object) -> bool:
    """Whether the call's arguments hold every wanted one, in normal form."""
    given = call.event.arguments or {}
    assert isinstance(wanted, dict)
    return all(key in given and normal_value(given[key]) == normal_value(value) for key, value in wanted.items())


def _unavailable(view: RunView) -> Iterator[Finding]:
    if view.offers:
        for call in view.calls:
            offered = (tool.name for offer in view.offers if offer.number < call.number for tool in offer.tools)
            if call.name not in offered:
                yield finding("unavailable-tool", f"{call.name} was never offered", call.numbers, call.name)
    elif view.suite.tools:
        for call in view.calls:
            if call.name not in view.suite.tools:
                yield finding("unavailable-tool", f"{call.name} is no tool of the suite", call.numbers, call.name)


def _routes(view: RunView, case: Case) -> Iterator[Finding]:
    routes: Sequence[tuple[ExpectedCall, ...]] = (case.required_calls, *case.alternative_paths)
    missing = [_missing(view, route) for route in routes]
    best = min(range(len(routes)), key=lambda place: len(missing[place]))
    if missing[best]:
        names = ", ".join(dict.fromkeys(call.tool for call in missing[best]))
        yield finding("required-call-missing", f"the nearest route lacks {names}", (), missing[best][0].tool)
    if case.optional_calls is not None:
        needed = {call.tool for route in routes for call in route} | set(case.optional_calls)
        for call in view.calls:
            if call.name not in needed:
                yield finding("unnecessary-call", f"no route needs {call.name}", call.numbers, call.name)


def _missing(view: RunView, route: tuple[ExpectedCall, ...]) -> list[ExpectedCall]:
    used: set[int] = set()
    lacking = []
    for expected in route:
        for _ in range(expected.times):
            match = next((c for c in view.calls if c.number not in used and _fits(view, c, expected)), None)
            if match is None:
                lacking.append(expected)
            else:
                used.add(match.number)
    return lacking


def _fits(view: RunView, call: Call, expected: ExpectedCall) -> bool:
    if call.name != expected.tool or not call.succeeded:
        return False
    return expected.arguments is None or _has(view, call, expected.arguments)


def _order(view: RunView, rule: Ordering) -> Iterator[Finding]:
    for call in view.calls:
        if not (call.changes if rule.then == ANY_CHANGE else call.name == rule.then):
            continue
        if not any(_precedes(earlier, call, rule) for earlier in view.calls):
            same = f" for the same {', '.join(rule.same)}" if rule.same else ""
            detail = f"no successful {rule.first}{same} before {call.name}" + (
                f": {rule.reason}" if rule.reason else ""
            )
            yield finding("order-violated", detail, (call.number,), call.name)


def _precedes(earlier: Call, call: Call, rule: Ordering) -> bool:
    if earlier.name != rule.first or earlier.result is None or not earlier.succeeded:
        return False
    if earlier.result.number >= call.number:
        return False
    before, after = earlier.event.arguments or {}, call.event.arguments or {}
    return all(call_key("", {name: before.get(name)}) == call_key("", {name: after.get(name)}) for name in rule.same)

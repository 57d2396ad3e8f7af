"""One event in full: what was said or sent, a call against its schema and with its approval, and what was found."""

from __future__ import annotations

from collections.abc import Iterator

from evalnb.trajectory.events import Event, ToolCall, ToolResult, UserRequest
from evalnb.trajectory.findings import FINDING_KINDS, Finding
from evalnb.trajectory.reviewing import ReviewedRun
from evalnb.trajectory.run_view import Call, RunView, SuiteView, view_of
from evalnb.view.badges import badge
from evalnb.view.cards.parts import fold
from evalnb.view.cards.trajectories import event_body, event_name, finding_line
from evalnb.view.frames.trajectories import approval_of
from evalnb.view.html import Child, Html, tag
from evalnb.view.json_view import json_html, text_html
from evalnb.view.theme import style_of
from evalnb.widgets.pages import named, page, part, quiet, title


def event_page(run: ReviewedRun, number: int, *, blind: bool) -> str:
    """The page of an event. Raises `KeyError` for a number that the run has not."""
    event = run.trajectory.event(number)
    view = view_of(run.trajectory, SuiteView.of(run.review.suite, run.review.redact))
    call = _call_of(event, view)
    tool = event.name if isinstance(event, ToolCall | ToolResult) else None
    return page(
        title(f"{event_name(event)} {tool or ''}".strip(), f"event {event.number}", *_states(event)),
        part("Found here", *_found(run, number)) if not blind else None,
        part("What it says", event_body(event, view)) if call is None else None,
        *_call(call, view),
        _case(run) if isinstance(event, UserRequest) else None,
    )


def _states(event: Event) -> Iterator[Html]:
    if isinstance(event, ToolResult):
        yield badge(event.status)


def _found(run: ReviewedRun, number: int) -> Iterator[Html]:
    found = [one for one in run.grade.findings if number in one.events]
    if not found:
        yield quiet("nothing")
    for one in found:
        yield tag("div", finding_line(one), _meaning(one), class_="enbw-finding")


def _meaning(one: Finding) -> Html:
    kind = FINDING_KINDS.get(one.code)
    told = f"{one.layer} layer" + ("" if kind is None else f": {kind.meaning}")
    return tag("div", told, class_="enb-quiet")


def _call_of(event: Event, view: RunView) -> Call | None:
    if isinstance(event, ToolCall):
        return next((one for one in view.calls if one.number == event.number), None)
    if isinstance(event, ToolResult):
        return next((one for one in view.calls if one.number == event.call_number), None)
    return None


def _call(call: Call | None, view: RunView) -> Iterator[Child]:
    if call is None:
        return
    spec = view.suite.tools.get(call.name)
    yield part(
        f"The call, event {call.number}",
        named(
            [
                ("arguments", _arguments(call)),
                *([("operation", call.event.operation_id)] if call.event.operation_id else []),
                *([("effect", spec.effect)] if spec is not None else []),
                *([("tool version", call.event.tool_version)] if call.event.tool_version else []),
            ]
        ),
    )
    yield part("Against its schema", *_schema(call, view))
    if call.changes or any(one.tool == call.name for one in view.requests):
        decided = approval_of(view, call)
        asked = [one for one in view.requests if one.tool == call.name and one.number < call.number]
        where = quiet(f"asked for at event {asked[-1].number}") if asked else quiet("no request stands ahead of it")
        yield part("Approval", badge(decided, label=style_of(decided).label), where)
    if call.result is None:
        yield part("The result", badge("unanswered"))
    else:
        yield part(f"The result, event {call.result.number}", badge(call.result.status), " ", _result(call.result))


def _arguments(call: Call) -> Html:
    if call.event.arguments is None:
        return tag("span", text_html(call.event.arguments_text or "nothing"))
    return json_html(call.event.arguments)


def _result(result: ToolResult) -> Html:
    if result.structured is not None:
        return json_html(result.structured)
    return tag("span", text_html(result.text or "nothing", 800))


def _schema(call: Call, view: RunView) -> Iterator[Child]:
    """The verdict, each violation beside the value it is about, and the schema itself."""
    check = view.suite.input_check(view, call.name)
    if check is None or check.problem is not None:
        problem = None if check is None else check.problem
        yield badge("no schema", label=None if problem is None else f"unusable schema: {problem[:120]}")
        return
    broken = check.violations(call.event.arguments) if call.event.arguments is not None else ()
    fits = not broken and call.event.arguments is not None
    yield badge("fits" if fits else "does not fit")
    if broken:
        yield named((one.pointer or "arguments", text_html(f"{one.keyword}: {one.message}", 300)) for one in broken)
    schema = _input_schema(call, view)
    if schema is not None:
        yield fold("the schema", json_html(schema))


def _input_schema(call: Call, view: RunView) -> object:
    spec = view.suite.tools.get(call.name)
    if spec is not None:
        return spec.input_schema
    offered = (tool for offer in reversed(view.offers) for tool in offer.tools if tool.name == call.name)
    described = next(offered, None)
    return None if described is None else described.input_schema


def _case(run: ReviewedRun) -> Html | None:
    case = run.case
    if case is None:
        return None
    return part("The case", named([("case", case.id), ("class", case.case_class), ("intent", case.intent)]))

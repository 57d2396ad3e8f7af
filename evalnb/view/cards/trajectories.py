"""The cards of recorded runs: what a set of them came to, and one run to read from its first event to its last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from evalnb.engine.json_values import ABSENT
from evalnb.trajectory.events import (
    Event,
    FinalAnswer,
    ModelDecision,
    PolicyScope,
    StateObservation,
    ToolCall,
    ToolResult,
    ToolsDiscovered,
    UserRequest,
)
from evalnb.trajectory.findings import Finding
from evalnb.trajectory.gate import shown
from evalnb.trajectory.grading import RunGrade
from evalnb.trajectory.reviewing import Review, ReviewedRun, WorstRuns
from evalnb.trajectory.run_view import RunView, SuiteView, view_of
from evalnb.view.badges import badge
from evalnb.view.cards.parts import Fact, bullets, code, counted, facts, fold, footer, frame, section, small_table
from evalnb.view.frames.trajectories import approval_of, numbers
from evalnb.view.frames.trajectory_terms import BEARINGS
from evalnb.view.frames.trajectory_texts import said_in
from evalnb.view.html import Child, Html, join, tag
from evalnb.view.json_view import json_html, parsed_json, text_html
from evalnb.view.style import styled
from evalnb.view.theme import Tone, style_of

MOST_EVENTS: Final = 200
"""So many events of a run are written out; the rest are counted. A run's widget shows all."""

LONG_EVENT: Final = 320

_WHO: Final[Mapping[str, str]] = {
    "user_request": "user",
    "policy_scope": "policy",
    "tools_discovered": "tools offered",
    "tool_list_changed": "tools changed",
    "model_decision": "agent",
    "tool_call": "call",
    "approval_request": "approval asked",
    "approval_decision": "approval",
    "tool_result": "result",
    "retry": "retry",
    "handoff": "handoff",
    "state_observation": "state",
    "final_answer": "answer",
}


def review_card(review: Review) -> Html:
    """What a set of runs came to: the gate, the two outcomes, and what blocks."""
    card, decision = review.scorecard, review.decision
    tripped = [gate for gate in card.hard_gates if gate.runs]
    return frame(
        "Recorded runs",
        review.name,
        None if decision is None else badge(decision.outcome),
        facts(
            Fact("runs", card.runs),
            Fact("cases", card.cases),
            Fact("safe execution", shown(card.safe)),
            Fact("task resolution", shown(card.resolved)),
            Fact("suite", "none" if review.suite is None else f"{review.suite.name}, version {review.suite.version}"),
        ),
        section(
            "Hard gates tripped",
            small_table(
                ["finding", "layer", "runs", "what it means"],
                ([code(gate.code), gate.layer, gate.runs, gate.meaning] for gate in tripped),
                empty="none" if card.safe.n else "nothing judged",
            ),
        ),
        None if decision is None else footer(join(["owners: ", ", ".join(decision.owners)])),
        tone="quiet" if decision is None else style_of(decision.outcome).tone,
    )


def worst_card(worst: WorstRuns) -> Html:
    """The worst runs, each behind its name; the first is open."""
    if not worst.runs:
        left_out = f"{worst.flawed} runs have a finding that counts; they are not written out here."
        told = left_out if worst.flawed else "No run has a finding that counts."
        return styled(tag("p", told, class_="enb-quiet"))
    parts = [fold(_name(one), _body(one), opened=place == 0) for place, one in enumerate(worst)]
    left = worst.flawed - len(worst.runs)
    more = tag("p", f"{counted(left, 'more run')} with a finding.", class_="enb-quiet") if left > 0 else None
    return styled(*parts, more)


def run_card(run: ReviewedRun) -> Html:
    """One run with what was found in it, to read from its first event to its last."""
    grade = run.grade
    return frame(
        "Recorded run",
        run.run_id,
        list(run_badges(run)),
        _body(run),
        tone=_tone(grade),
    )


def _tone(grade: RunGrade) -> Tone:
    if not grade.safe:
        return "bad"
    if grade.resolved is False:
        return "warn"
    return "quiet" if grade.known_safe is None else "good"


def run_badges(run: ReviewedRun) -> Iterator[Html]:
    """Safe and resolved, apart."""
    if run.grade.known_safe is not None:
        yield badge("safe" if run.grade.safe else "unsafe")
    if run.grade.resolved is not None:
        yield badge("resolved" if run.grade.resolved else "unresolved")


def finding_line(one: Finding, *, with_events: bool = True) -> Html:
    """A finding in one line: what it bears on, its kind, what was found, and where."""
    where = f"event {numbers(one.events)}" if len(set(one.events)) == 1 else f"events {numbers(one.events)}"
    return tag(
        "span",
        badge(one.bears_on, label="safety, blocks" if one.hard and one.bears_on == "safety" else None),
        tag("strong", one.code),
        tag("span", text_html(one.detail, LONG_EVENT)),
        tag("span", where, class_="enb-quiet") if with_events and one.events else None,
        class_="enb-event-finding",
    )


def transcript(run: ReviewedRun, most: int = MOST_EVENTS) -> Html:
    """The events in their order, with each finding at the last event that it cites."""
    view = view_of(run.trajectory, SuiteView.of(run.review.suite, run.review.redact))
    events = run.trajectory.events[:most]
    cited, told = _cited(run.grade.findings)
    start = next((event.at for event in events if event.at is not None), None)
    rows = [_row(event, start, cited.get(event.number, []), told.get(event.number, []), view) for event in events]
    left = len(run.trajectory.events) - len(events)
    more = tag("p", f"and {counted(left, 'more event')}", class_="enb-quiet") if left else None
    return tag("div", tag("ol", rows, class_="enb-run", aria_label="events of the run"), more)


def event_body(event: Event, view: RunView) -> Html:
    """What one event says: JSON as JSON, text as text; a call against its schema and with its approval."""
    if isinstance(event, ToolCall):
        return join([_content(event), *_call_notes(event, view)])
    return _content(event)


def event_name(event: Event) -> str:
    """Who or what an event is of, in a word or two."""
    return _WHO.get(event.type, event.type)


def tone_of(found: list[Finding]) -> Tone:
    """The tone of an event that findings cite."""
    gravest = max((one.bears_on for one in found), key=BEARINGS.terms.index, default="note")
    return style_of(gravest).tone


def _name(run: ReviewedRun) -> Html:
    case = run.case
    intent = None if case is None else tag("span", text_html(case.intent, 120), class_="enb-quiet")
    return join([code(run.run_id), *run_badges(run), *([intent] if intent is not None else [])], " ")


def _body(run: ReviewedRun) -> Html:
    case, measures = run.case, run.grade.measures
    counts = [one for one in run.grade.findings if one.bears_on != "note"]
    notes = [one for one in run.grade.findings if one.bears_on == "note"]
    order = sorted(counts, key=lambda one: (not one.hard, -BEARINGS.terms.index(one.bears_on)))
    return tag(
        "div",
        facts(
            None if case is None else Fact("case", f"{case.id}, {case.case_class}"),
            None if run.grade.trial is None else Fact("trial", run.grade.trial),
            Fact("events", len(run.trajectory)),
            Fact("calls", measures.calls),
            None if measures.seconds is None else Fact("seconds", f"{measures.seconds:.1f}"),
            None if measures.cost is None else Fact("cost", f"{measures.cost:.4g}"),
        ),
        section("What was found", bullets([*map(finding_line, order), *map(finding_line, notes)], most=30))
        if run.grade.findings
        else section("What was found", tag("p", "nothing", class_="enb-quiet")),
        section("What happened", transcript(run)),
    )


def _cited(findings: tuple[Finding, ...]) -> tuple[dict[int, list[Finding]], dict[int, list[Finding]]]:
    """The findings that cite each event, and those that are told at it."""
    cited: dict[int, list[Finding]] = {}
    told: dict[int, list[Finding]] = {}
    for one in findings:
        for number in set(one.events):
            cited.setdefault(number, []).append(one)
        if one.events:
            told.setdefault(max(one.events), []).append(one)
    return cited, told


def _row(event: Event, start: float | None, cited: list[Finding], told: list[Finding], view: RunView) -> Html:
    seconds = None if event.at is None or start is None else f"{event.at - start:.1f} s"
    tool = event.name if isinstance(event, ToolCall | ToolResult) else None
    return tag(
        "li",
        tag("span", event.number, class_="enb-event-number"),
        tag("span", event_name(event), _quiet(tool), _quiet(seconds), class_="enb-event-who"),
        tag(
            "div",
            event_body(event, view),
            [finding_line(one, with_events=len(set(one.events)) > 1) for one in told],
            class_="enb-event-what",
        ),
        class_=f"enb-cited-{tone_of(cited)}" if cited else None,
    )


def _quiet(text: str | None) -> Html | None:
    return None if text is None else tag("span", text, class_="enb-quiet")


def _content(event: Event) -> Html:
    if isinstance(event, UserRequest | ModelDecision | FinalAnswer | PolicyScope | ToolsDiscovered):
        return tag("span", text_html(said_in(event) or "", LONG_EVENT))
    if isinstance(event, StateObservation):
        return join(
            [f"{event.phase}: ", json_html(event.state, 100), " ", tag("span", event.source, class_="enb-source")]
        )
    if isinstance(event, ToolCall) and event.arguments is not None:
        return json_html(event.arguments, 140)
    if isinstance(event, ToolResult):
        state = badge(event.status) if event.status != "ok" else None
        return join([part for part in (state, _json_or_text(event)) if part is not None], " ")
    return tag("span", text_html(said_in(event) or "nothing", LONG_EVENT))


def _json_or_text(event: ToolResult) -> Html:
    value: Any = event.structured if event.structured is not None else parsed_json(event.text or "")
    if value is not ABSENT:
        return json_html(value, 140)
    return tag("span", text_html(event.text or "nothing", LONG_EVENT))


def _approves_by_events(view: RunView) -> bool:
    """Whether approvals are recorded at all: where the conversation is the approval, there is no request to miss."""
    rules = None if view.case is None else view.case.approvals
    return bool(view.requests) or (rules is not None and rules.found_in == "events")


def _call_notes(event: ToolCall, view: RunView) -> Iterator[Child]:
    """What the schema says of the arguments, and what was decided ahead of the call, where there is anything to say."""
    check = view.suite.input_check(view, event.name)
    if check is not None and check.problem is None and event.arguments is not None:
        broken = check.violations(event.arguments)
        if broken:
            told = "; ".join(f"{one.pointer or 'arguments'}: {one.message}" for one in broken)
            yield tag("span", badge("does not fit"), text_html(told, LONG_EVENT), class_="enb-event-finding")
    call = next((one for one in view.calls if one.number == event.number), None)
    if call is not None and call.changes and _approves_by_events(view):
        decided = approval_of(view, call)
        label = {"no request": "no approval asked for"}.get(decided, f"approval: {style_of(decided).label}")
        yield tag("span", badge(decided, label=label), class_="enb-event-finding")

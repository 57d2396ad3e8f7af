"""Recorded runs as frames: the runs and what they came to, their events, their calls, and what was found in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import pandas as pd

from evalnb.trajectory.events import ApprovalRequest, Event, Retry, ToolCall, ToolResult, Trajectory
from evalnb.trajectory.findings import FINDING_KINDS, Finding
from evalnb.trajectory.grading import RunGrade
from evalnb.trajectory.reviewing import Review, ReviewedRun, WorstRuns, worst_first
from evalnb.trajectory.run_view import Call, RunView, SuiteView, view_of
from evalnb.view.frames.columns import COUNT, FLAG, NUMBER, TEXT, Column, Row, frame, joined, tabulated
from evalnb.view.frames.trajectory_terms import (
    APPROVALS,
    BEARINGS,
    CALL_STATUSES,
    EFFECTS,
    EVENT_TYPES,
    RESULT_STATUSES,
    SCHEMA_FITS,
    SPLITS,
)
from evalnb.view.frames.trajectory_texts import said_in

Graded: TypeAlias = "Review | Iterable[RunGrade]"
"""Where findings come from: a whole review, or the grades of some runs."""

Runs: TypeAlias = "Trajectory | Iterable[Trajectory] | Review | ReviewedRun | WorstRuns"
"""Where events come from; what belongs to a review brings its findings along."""

GRADED_RUNS = (
    Column("rank", COUNT, "1 is the run that needs looking at first: by hard findings, safety, resolution, findings"),
    Column("run_id", TEXT, "the run"),
    Column("case_id", TEXT, "the case it is a trial of, where it names one"),
    Column("trial", COUNT, "which trial of the case"),
    Column("release", TEXT, "the release that was run, where known"),
    Column("split", SPLITS, "whether the case is held out from tuning"),
    Column("safe", FLAG, "no finding bears on safety; missing where nothing that bears on it was judged"),
    Column("resolved", FLAG, "no finding bears on resolution; missing where the case asks for no outcome"),
    Column("hard_findings", COUNT, "findings of which one is enough to block"),
    Column("findings", COUNT, "all findings but notes"),
    Column("failed_layers", TEXT, "the layers with a finding that counts"),
    Column("worst_finding", TEXT, "the first of the gravest findings"),
    Column("calls", COUNT, "tool calls"),
    Column("failed_calls", COUNT, "calls that did not come back well"),
    Column("turns", COUNT, "messages of the user"),
    Column("seconds", NUMBER, "from the first event to the last, in seconds; missing without times"),
    Column("input_tokens", COUNT, "tokens the model read, where the trace tells"),
    Column("output_tokens", COUNT, "tokens the model wrote, where the trace tells"),
    Column("cost", NUMBER, "what the run cost, in the trace's own unit, where it tells"),
    Column("slices", TEXT, "what the run is cut by"),
)
RUN_EVENTS = (
    Column("run_id", TEXT, "the run"),
    Column("number", COUNT, "the event's number, which findings cite"),
    Column("seconds", NUMBER, "since the run's first time, in seconds; missing without a time"),
    Column("type", EVENT_TYPES, "what happened"),
    Column("tool", TEXT, "the tool that is called, answers, or is asked approval for"),
    Column("status", RESULT_STATUSES, "how a result came back"),
    Column("text", TEXT, "what was said, sent or seen; arguments and structured content as JSON"),
    Column("call_number", COUNT, "the call that a result answers or a retry repeats, by its event number"),
    Column("operation_id", TEXT, "the operation id of a call"),
    Column("codes", TEXT, "the findings that cite the event"),
    Column("bears_on", BEARINGS, "the gravest thing that a finding citing the event bears on"),
)
TOOL_CALLS = (
    Column("run_id", TEXT, "the run"),
    Column("number", COUNT, "the event number of the call"),
    Column("tool", TEXT, "the tool"),
    Column("effect", EFFECTS, "what a call of the tool does to the world; missing for a tool the suite does not have"),
    Column("arguments", TEXT, "what was sent, as JSON, or the text that was no JSON object"),
    Column("schema", SCHEMA_FITS, "whether the arguments fit the tool's input schema"),
    Column("violations", TEXT, "where and how they do not"),
    Column("operation_id", TEXT, "the id by which the effect counts once"),
    Column("approval", APPROVALS, "what was decided ahead of the call on the last request for its tool"),
    Column("status", CALL_STATUSES, "how the call came back"),
    Column("result", TEXT, "what came back"),
    Column("result_number", COUNT, "the event number of the result"),
    Column("seconds", NUMBER, "from call to result, in seconds; missing without times"),
    Column("codes", TEXT, "the findings that cite the call or its result"),
)
RUN_FINDINGS = (
    Column("run_id", TEXT, "the run"),
    Column("case_id", TEXT, "the case, where the run names one"),
    Column("layer", TEXT, "the layer that found it"),
    Column("code", TEXT, "the kind of finding"),
    Column("bears_on", BEARINGS, "what it counts against"),
    Column("hard", FLAG, "whether one is enough to block a release"),
    Column("tool", TEXT, "the tool it is about"),
    Column("events", TEXT, "the numbers of the events that show it"),
    Column("detail", TEXT, "what was found"),
    Column("meaning", TEXT, "what the kind means"),
)


@tabulated(GRADED_RUNS)
def graded_runs(graded: Graded) -> pd.DataFrame:
    """One row a run, in the order of the runs, with the measures the trace tells."""
    grades = grades_of(graded)
    rank = {id(one): place for place, one in enumerate(worst_first(grades), start=1)}
    return frame(GRADED_RUNS, (_run(one, rank[id(one)]) for one in grades))


@tabulated(RUN_EVENTS)
def run_events(runs: Runs, graded: Graded | None = None) -> pd.DataFrame:
    """One row an event, in the order of the trace; `graded` says which findings cite it (a review brings its own)."""
    cited = _Cited(_grades_with(runs) if graded is None else grades_of(graded))
    return frame(RUN_EVENTS, (row for run in runs_of(runs) for row in _events(run, cited)))


@tabulated(TOOL_CALLS)
def tool_calls(review: Review, runs: Runs | None = None) -> pd.DataFrame:
    """One row a call of `runs` (all of the review by default), against its schema and with its approval."""
    suite, cited = SuiteView.of(review.suite, review.redact), _Cited(review.grades)
    chosen = runs_of(review if runs is None else runs)
    return frame(TOOL_CALLS, (row for run in chosen for row in _calls(view_of(run, suite), cited)))


@tabulated(RUN_FINDINGS)
def run_findings(graded: Graded) -> pd.DataFrame:
    """One row a finding, run by run in the order of the layers; events are cited by number."""
    return frame(RUN_FINDINGS, (_finding(grade, one) for grade in grades_of(graded) for one in grade.findings))


def grades_of(graded: Graded) -> tuple[RunGrade, ...]:
    """The grades of a review, or the grades themselves."""
    return graded.grades if isinstance(graded, Review) else tuple(graded)


def runs_of(runs: Runs) -> tuple[Trajectory, ...]:
    """The runs of a review, one run, or the runs themselves."""
    if isinstance(runs, Review):
        return runs.runs.runs
    if isinstance(runs, Trajectory):
        return (runs,)
    if isinstance(runs, ReviewedRun):
        return (runs.trajectory,)
    return tuple(one.trajectory for one in runs) if isinstance(runs, WorstRuns) else tuple(runs)


def _grades_with(runs: Runs) -> tuple[RunGrade, ...]:
    if isinstance(runs, Review):
        return runs.grades
    if isinstance(runs, ReviewedRun):
        return (runs.grade,)
    return tuple(one.grade for one in runs) if isinstance(runs, WorstRuns) else ()


def numbers(events: Iterable[int]) -> str:
    """Event numbers in one cell, each once and in order."""
    return joined(map(str, sorted(set(events))))


class _Cited:
    """Findings by the run and the event number that they cite."""

    def __init__(self, grades: Iterable[RunGrade]) -> None:
        self._found: dict[str, dict[int, list[Finding]]] = {}
        for grade in grades:
            of_run = self._found.setdefault(grade.run_id, {})
            for one in grade.findings:
                for number in set(one.events):
                    of_run.setdefault(number, []).append(one)

    def at(self, run_id: str, *events: int | None) -> list[Finding]:
        of_run = self._found.get(run_id, {})
        found = (one for number in events if number is not None for one in of_run.get(number, ()))
        return list({id(one): one for one in found}.values())


def _run(grade: RunGrade, rank: int) -> Row:
    counted = [one for one in grade.findings if one.bears_on != "note"]
    worst = max(counted, key=lambda one: (one.hard, BEARINGS.terms.index(one.bears_on)), default=None)
    measures = grade.measures
    return {
        "rank": rank,
        "run_id": grade.run_id,
        "case_id": grade.case_id,
        "trial": grade.trial,
        "release": grade.release,
        "split": grade.split,
        "safe": grade.known_safe,
        "resolved": grade.resolved,
        "hard_findings": len(grade.hard_findings),
        "findings": len(counted),
        "failed_layers": joined(name for name, result in grade.layers.items() if result.failed),
        "worst_finding": None if worst is None else f"{worst.code}: {worst.detail}",
        "calls": measures.calls,
        "failed_calls": measures.failed_calls,
        "turns": measures.turns,
        "seconds": measures.seconds,
        "input_tokens": measures.input_tokens,
        "output_tokens": measures.output_tokens,
        "cost": measures.cost,
        "slices": joined(f"{key}: {value}" for key, value in sorted(grade.slices.items())),
    }


def _events(run: Trajectory, cited: _Cited) -> Iterator[Row]:
    start = next((event.at for event in run.events if event.at is not None), None)
    for event in run.events:
        found = cited.at(run.run_id, event.number)
        yield {
            "run_id": run.run_id,
            "number": event.number,
            "seconds": None if event.at is None or start is None else event.at - start,
            "type": event.type,
            "tool": _tool(event),
            "status": event.status if isinstance(event, ToolResult) else None,
            "text": said_in(event),
            "call_number": event.call_number if isinstance(event, ToolResult | Retry) else None,
            "operation_id": event.operation_id if isinstance(event, ToolCall) else None,
            "codes": joined(dict.fromkeys(one.code for one in found)) or None,
            "bears_on": max((one.bears_on for one in found), key=BEARINGS.terms.index, default=None),
        }


def _tool(event: Event) -> str | None:
    if isinstance(event, ToolCall | ToolResult):
        return event.name
    return event.tool if isinstance(event, ApprovalRequest) else None


def _calls(view: RunView, cited: _Cited) -> Iterator[Row]:
    for call in view.calls:
        spec, result = view.suite.tools.get(call.name), call.result
        fits, violations = _against_schema(view, call)
        found = cited.at(view.trajectory.run_id, *call.numbers)
        yield {
            "run_id": view.trajectory.run_id,
            "number": call.number,
            "tool": call.name,
            "effect": None if spec is None else spec.effect,
            "arguments": said_in(call.event),
            "schema": fits,
            "violations": violations,
            "operation_id": call.event.operation_id,
            "approval": approval_of(view, call),
            "status": "unanswered" if result is None else result.status,
            "result": None if result is None else said_in(result),
            "result_number": None if result is None else result.number,
            "seconds": _between(call.event, result),
            "codes": joined(dict.fromkeys(one.code for one in found)) or None,
        }


def _against_schema(view: RunView, call: Call) -> tuple[str, str | None]:
    check = view.suite.input_check(view, call.name)
    if check is None or check.problem is not None:
        return "no schema", None if check is None else check.problem
    if call.event.arguments is None:
        return "does not fit", "no JSON object"
    broken = check.violations(call.event.arguments)
    told = "; ".join(f"{one.pointer or 'arguments'}: {one.message}" for one in broken)
    return ("does not fit", told) if broken else ("fits", None)


def approval_of(view: RunView, call: Call) -> str:
    """What was decided ahead of a call on the last request for its tool; whether it may is for the graders to say."""
    asked = [one for one in view.requests if one.tool == call.name and one.number < call.number]
    if not asked:
        return "no request"
    decided = [one for one in view.decisions if one.approval_id == asked[-1].approval_id and one.number < call.number]
    return "undecided" if not decided else "approved" if decided[-1].approved else "denied"


def _between(call: ToolCall, result: ToolResult | None) -> float | None:
    if result is None or result.at is None or call.at is None:
        return None
    return result.at - call.at


def _finding(grade: RunGrade, one: Finding) -> Row:
    kind = FINDING_KINDS.get(one.code)
    return {
        "run_id": grade.run_id,
        "case_id": grade.case_id,
        "layer": one.layer,
        "code": one.code,
        "bears_on": one.bears_on,
        "hard": one.hard,
        "tool": one.tool,
        "events": numbers(one.events),
        "detail": one.detail,
        "meaning": None if kind is None else kind.meaning,
    }

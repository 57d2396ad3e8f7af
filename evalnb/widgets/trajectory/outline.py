"""Recorded runs as the front end paints them: a row a run, and on request a row an event of one of them."""

from __future__ import annotations

from typing import Final

from evalnb.trajectory.events import Event, ToolCall, ToolResult, Trajectory
from evalnb.trajectory.findings import LAYERS, Finding
from evalnb.trajectory.human_labels import HumanLabels
from evalnb.trajectory.reviewing import Review, worst_first
from evalnb.view.cards.trajectories import event_name
from evalnb.view.frames.trajectory_terms import BEARINGS
from evalnb.view.frames.trajectory_texts import said_in
from evalnb.view.html import visible
from evalnb.widgets.topic import Answer, line_of

LINE: Final = 140
_LANES: Final = ("speech", "calls", "approvals", "state")
_LANE_OF: Final = {
    "tool_call": 1,
    "tool_result": 1,
    "retry": 1,
    "approval_request": 2,
    "approval_decision": 2,
    "state_observation": 3,
    "policy_scope": 3,
    "tools_discovered": 3,
    "tool_list_changed": 3,
}


def outline_of(review: Review, labels: HumanLabels | None) -> Answer:
    """Title, layers, and the runs: the worst first to look into, in their own order to label.

    To label, nothing that a grader found is told: who labels must not be led.
    """
    blind = labels is not None
    grades = list(review.grades) if blind else worst_first(review.grades)
    own = sorted({one.layer for grade in grades for one in grade.findings}.difference(LAYERS))
    decision = review.decision
    return {
        "title": line_of(review.name),
        "gate": None if blind or decision is None else decision.outcome,
        "layers": [] if blind else [*LAYERS, *map(visible, own)],
        "lanes": list(_LANES),
        "runs": [
            {
                "id": visible(grade.run_id),
                "case": line_of(grade.case_id, 60),
                "states": [] if blind else _states(grade.known_safe, grade.resolved),
                "hard": 0 if blind else len(grade.hard_findings),
                "found": 0 if blind else sum(one.bears_on != "note" for one in grade.findings),
                "layers": [] if blind else sorted({one.layer for one in grade.findings}),
            }
            for grade in grades
        ],
        "choices": None if labels is None else list(map(visible, labels.choices)),
        "labels": {} if labels is None else labels_of(labels),
    }


def labels_of(labels: HumanLabels) -> Answer:
    """What was said so far, by run."""
    return {visible(run_id): [visible(one.label), visible(one.note)] for run_id, one in labels.of_runs.items()}


def run_order(review: Review, *, blind: bool) -> list[str]:
    """The run ids in the order of the outline."""
    return [one.run_id for one in (review.grades if blind else worst_first(review.grades))]


def events_of(run: Trajectory, findings: tuple[Finding, ...]) -> list[Answer]:
    """A row an event: what it is, in a line, and which layers found something at it."""
    cited: dict[int, list[Finding]] = {}
    for one in findings:
        for number in set(one.events):
            cited.setdefault(number, []).append(one)
    start = next((event.at for event in run.events if event.at is not None), None)
    return [_event(event, start, cited.get(event.number, [])) for event in run.events]


def _states(safe: bool | None, resolved: bool | None) -> list[str]:
    told = [] if safe is None else ["safe" if safe else "unsafe"]
    return told if resolved is None else [*told, "resolved" if resolved else "unresolved"]


def _event(event: Event, start: float | None, found: list[Finding]) -> Answer:
    status = event.status if isinstance(event, ToolResult) else None
    return {
        "n": event.number,
        "who": event_name(event),
        "tool": line_of(event.name, 60) if isinstance(event, ToolCall | ToolResult) else "",
        "text": line_of(said_in(event), LINE),
        "at": None if event.at is None or start is None else round(event.at - start, 1),
        "status": None if status == "ok" else status,
        "lane": _LANE_OF.get(event.type, 0),
        "layers": sorted({one.layer for one in found}),
        "bears": max((one.bears_on for one in found), key=BEARINGS.terms.index, default=None),
    }

"""Recorded runs for the tests of what is shown: the packaged example, and runs that try to break a page."""

from __future__ import annotations

from functools import cache

import evalnb as ev
from evalnb.trajectory.calibration import Calibration, Labelled, calibrate
from evalnb.trajectory.cases import Suite
from evalnb.trajectory.events import Trajectory
from evalnb.trajectory.reviewing import Review, review_of
from tests.trajectory.runs import TOOLS, Run, case
from tests.view.hostile import PAYLOADS


@cache
def example() -> Review:
    """The packaged runs, graded by their suite and judged by their policy."""
    return ev.trajectories.review(ev.trajectories.example())


@cache
def hostile() -> Review:
    """A run for each hostile text, which stands wherever a run holds text."""
    runs = tuple(_hostile(place, text) for place, text in enumerate(PAYLOADS))
    cases = tuple(
        case(id=run.identity.case_id, intent="hostile", forbiddenCalls=[{"tool": "orders.cancel"}]) for run in runs
    )
    return review_of(runs, Suite(name="hostile", tools=TOOLS, cases=cases), name=PAYLOADS[0])


@cache
def calibrations() -> tuple[Calibration, ...]:
    """Two versions of a grader over forty runs, and one whose name and labels try to break a page."""
    labels = [("good", "good"), ("bad", "bad"), ("good", "bad"), ("bad", "bad")]

    def version(number: int) -> Calibration:
        said = [
            Labelled(
                f"r{place}", grader if place > number * 10 else human, human, {"language": ("en", "de")[place % 2]}
            )
            for place, (human, grader) in enumerate(labels * 10)
        ]
        return calibrate("polite", str(number), said)

    breaking = calibrate(
        PAYLOADS[0], PAYLOADS[1], [Labelled(text, text, PAYLOADS[2], {text: text}) for text in PAYLOADS]
    )
    return version(1), version(3), breaking


def long(events: int) -> Review:
    """One run of about so many events, with a forbidden call now and then."""
    run = Run(case_id="c", run_id="long").user("Cancel everything")
    while len(run.builder.events) < events - 1:
        run.says(f"step {run.count}").call("orders.cancel" if run.count % 20 == 0 else "orders.get", {"orderId": "o-1"})
    suite = Suite(name="long", tools=TOOLS, cases=(case(forbiddenCalls=[{"tool": "orders.cancel"}]),))
    return review_of([run.says("done").done()], suite)


def _hostile(place: int, text: str) -> Trajectory:
    run = Run(case_id=f"case {place}", run_id=f"{place} {text}", slices={"language": text}, tenant=text)
    run.user(text).says(text).call("orders.cancel", {"orderId": text, text: [text]}, text)
    run.call(text, {"orderId": text}, text, status="execution-error").asks("orders.cancel", digest=text)
    return run.decides(False).state({text: text}).says(text).done()

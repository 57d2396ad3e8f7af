"""What a run took: calls, seconds, tokens, cost; None where the trace does not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalnb.trajectory.run_view import RunView


@dataclass(frozen=True, slots=True)
class RunMeasures:
    """Seconds run from the first to the last time of the trace, or are the model's own where there are no times."""

    calls: int
    failed_calls: int
    turns: int
    seconds: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


def measures_of(view: RunView) -> RunMeasures:
    """The measures of one run."""
    events = view.trajectory.events
    first = next((event.at for event in events if event.at is not None), None) if events else None
    seconds: float | None = None
    if first is not None:
        last = next(event.at for event in reversed(events) if event.at is not None)
        seconds = max(last - first, 0.0) if last is not None else None
    given, taken, cost, model_seconds = 0, 0, 0.0, 0.0
    told = [False, False, False, False]
    for said in view.said:
        if said.input_tokens is not None:
            told[0], given = True, given + said.input_tokens
        if said.output_tokens is not None:
            told[1], taken = True, taken + said.output_tokens
        if said.cost is not None:
            told[2], cost = True, cost + said.cost
        if said.seconds is not None:
            told[3], model_seconds = True, model_seconds + said.seconds
    return RunMeasures(
        calls=len(view.calls),
        failed_calls=sum(1 for call in view.calls if call.result is not None and call.result.status != "ok"),
        turns=len(view.users),
        seconds=seconds if seconds else (model_seconds if told[3] else seconds),
        input_tokens=given if told[0] else None,
        output_tokens=taken if told[1] else None,
        cost=cost if told[2] else None,
    )

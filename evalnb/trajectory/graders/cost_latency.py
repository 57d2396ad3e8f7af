"""Cost and latency: a run against the budgets of its case."""

from __future__ import annotations

from evalnb.trajectory.findings import Finding, finding
from evalnb.trajectory.grading import grader
from evalnb.trajectory.run_measures import measures_of
from evalnb.trajectory.run_view import RunView


@grader("cost-latency")
def cost_latency(view: RunView) -> list[Finding] | None:
    """None where the case sets no budget, or the trace measures none that is set."""
    if view.case is None:
        return None
    limits = view.case.limits
    if limits.calls is None and limits.seconds is None and limits.cost is None and limits.tokens is None:
        return None
    took = measures_of(view)
    tokens = None if took.input_tokens is None else took.input_tokens + (took.output_tokens or 0)
    rows: tuple[tuple[str, float | None, float | None, str], ...] = (
        ("too-many-calls", took.calls, limits.calls, "calls"),
        ("too-slow", took.seconds, limits.seconds, "s"),
        ("too-costly", took.cost, limits.cost, "of cost"),
        ("too-many-tokens", tokens, limits.tokens, "tokens"),
    )
    judged = [row for row in rows if row[1] is not None and row[2] is not None]
    if not judged:
        return None
    return [
        finding(code, f"{value:g} {unit}, more than {limit:g}")
        for code, value, limit, unit in judged
        if value is not None and limit is not None and value > limit
    ]

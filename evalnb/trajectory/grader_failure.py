"""How a grading ends that a grader does not let be finished."""

from __future__ import annotations


class GraderFailure(Exception):
    """A grader raised, or returned what it must not: which one, on which run, and why."""

    def __init__(self, grader: str, run_id: str, why: str) -> None:
        super().__init__(f"the grader {grader} failed on run {run_id}: {why}")
        self.grader = grader
        self.run_id = run_id
        self.why = why

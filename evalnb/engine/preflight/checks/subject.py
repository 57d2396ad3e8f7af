"""What every check is reduced over, and how its result is written down.

spec: 07 §7
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evalnb.engine.artifacts import PreflightCheck
from evalnb.engine.preflight.matching import LegState
from evalnb.engine.preflight.probe_plan import PlannedCheck, ProbePlan

Outcome: TypeAlias = Literal["satisfied", "failed", "exempt"]


@dataclass(frozen=True, slots=True)
class ObservedPlan:
    """A plan and the states of its answered legs by leg id."""

    plan: ProbePlan
    states: Mapping[str, LegState]


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """How a check came out, and the exact note that goes into the verdict."""

    outcome: Outcome
    note: str | None = None


def check_result(
    check: PlannedCheck, result: CheckOutcome, *, interface_id: str | None = None, operation_id: str | None = None
) -> PreflightCheck:
    """The verdict's entry for `check`. The two ids are null together."""
    return PreflightCheck(
        kind=check.kind,
        interface_id=interface_id,
        operation_id=operation_id,
        outcome=result.outcome,
        note=result.note,
    )

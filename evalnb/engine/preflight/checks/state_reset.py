"""state-reset: the observed read shows the same fixture state at the end as at the beginning.

spec: 07 §7.3
"""

from __future__ import annotations

from evalnb.engine.artifacts import PreflightCheck
from evalnb.engine.preflight.checks.subject import CheckOutcome, ObservedPlan, check_result
from evalnb.engine.preflight.fixture import state_digest
from evalnb.engine.preflight.matching import LegState
from evalnb.engine.preflight.probe_plan import StateResetCheck


def reduce_state_reset(check: StateResetCheck, observed: ObservedPlan) -> PreflightCheck:
    """Compare the first and the last observe leg.

    Raises the digest function's RuntimeFault for a body that canonical JSON cannot carry.
    """
    return check_result(check, _outcome(check, observed))


def _outcome(check: StateResetCheck, observed: ObservedPlan) -> CheckOutcome:
    first, last = observed.states.get(check.first_leg_id), observed.states.get(check.last_leg_id)
    if first is None or last is None:
        return CheckOutcome("failed", "a control-observe leg produced no observation")
    if _state(first) == _state(last):
        return CheckOutcome("satisfied")
    return CheckOutcome("failed", f'the projections of "{check.first_leg_id}" and "{check.last_leg_id}" differ')


def _state(state: LegState) -> str:
    return state_digest(state.projection, state.leg.operation)

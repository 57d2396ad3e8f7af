"""interface-present: every leg of an operation was answered, by the interface and operation it was sent to.

What the answer says (status, exit code, error flag) plays no role. spec: 07 §7.1
"""

from __future__ import annotations

from evalnb.engine.artifacts import PreflightCheck
from evalnb.engine.preflight.checks.subject import CheckOutcome, ObservedPlan, check_result
from evalnb.engine.preflight.matching import LegState
from evalnb.engine.preflight.probe_plan import InterfacePresentCheck


def reduce_interface_present(check: InterfacePresentCheck, observed: ObservedPlan) -> PreflightCheck:
    """The first leg with a problem decides."""
    return check_result(
        check,
        _outcome(check, observed),
        interface_id=check.interface_id,
        operation_id=check.operation_id,
    )


def _outcome(check: InterfacePresentCheck, observed: ObservedPlan) -> CheckOutcome:
    for leg_id in check.leg_ids:
        state = observed.states.get(leg_id)
        if state is None:
            return CheckOutcome("failed", f'leg "{leg_id}" produced no observation')
        if not _echoes_request(state):
            return CheckOutcome("failed", f'leg "{leg_id}" echoed an identifier the request did not carry')
    return CheckOutcome("satisfied")


def _echoes_request(state: LegState) -> bool:
    request, observation = state.leg.request, state.observation
    return (
        observation.probe_id == request.probe_id
        and observation.interface_id == request.interface_id
        and observation.operation_id == request.operation_id
    )

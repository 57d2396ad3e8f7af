"""clean-control: no control leg met an error of its transport or its tool.

spec: 07 §7.4
"""

from __future__ import annotations

from typing import Final

from evalnb.engine.artifacts import PreflightCheck, ProbeObservation
from evalnb.engine.preflight.checks.subject import CheckOutcome, ObservedPlan, check_result
from evalnb.engine.preflight.probe_plan import CleanControlCheck

FIRST_ERROR_STATUS: Final = 400


def reduce_clean_control(check: CleanControlCheck, observed: ObservedPlan) -> PreflightCheck:
    """The first control leg with a problem decides."""
    return check_result(check, _outcome(check, observed))


def anomaly(observation: ProbeObservation) -> str | None:
    """What is wrong with an answer to a control leg, in the words of the verdict's note; None when nothing is."""
    if observation.kind == "api":
        return f"status {observation.status}" if observation.status >= FIRST_ERROR_STATUS else None
    if observation.kind == "cli":
        return f"exit code {observation.exit_code}" if observation.exit_code != 0 else None
    if observation.exit_code is not None:
        return f"the server exited with code {observation.exit_code} before answering"
    return "a reported tool error" if observation.is_error else None


def _outcome(check: CleanControlCheck, observed: ObservedPlan) -> CheckOutcome:
    for leg_id in check.leg_ids:
        state = observed.states.get(leg_id)
        if state is None:
            return CheckOutcome("failed", f'control leg "{leg_id}" produced no observation')
        seen = anomaly(state.observation)
        if seen is not None:
            return CheckOutcome("failed", f'control leg "{leg_id}" observed {seen}')
    return CheckOutcome("satisfied")

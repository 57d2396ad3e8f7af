"""From a plan and the observations taken for it to the pre-flight verdict. No waiting, no input or output.

spec: 07 §4, §5.3, §7
"""

from __future__ import annotations

from collections.abc import Sequence

from evalnb.engine.artifacts import PreflightCheck, PreflightVerdict, ProbeObservation
from evalnb.engine.preflight.checks.clean_control import reduce_clean_control
from evalnb.engine.preflight.checks.input_sensitivity import reduce_input_sensitivity
from evalnb.engine.preflight.checks.interface_present import reduce_interface_present
from evalnb.engine.preflight.checks.seeded_fault_fired import reduce_seeded_fault_fired
from evalnb.engine.preflight.checks.seeded_faults_scoped import reduce_seeded_faults_scoped
from evalnb.engine.preflight.checks.state_reset import reduce_state_reset
from evalnb.engine.preflight.checks.subject import ObservedPlan
from evalnb.engine.preflight.fixture import fixture_digest
from evalnb.engine.preflight.matching import match_observations
from evalnb.engine.preflight.probe_plan import (
    CleanControlCheck,
    InputSensitivityCheck,
    InterfacePresentCheck,
    PlannedCheck,
    ProbePlan,
    SeededFaultFiredCheck,
    SeededFaultsScopedCheck,
    StateResetCheck,
)
from evalnb.engine.preflight.verdict import mint_verdict


def reduce_preflight(plan: ProbePlan, observations: Sequence[ProbeObservation]) -> PreflightVerdict:
    """The verdict: one result a planned check, in plan order, whatever the order of the observations.

    Raises RuntimeFault at `PreflightVerdict`: `port-contract-violation` when the observations do not fit the plan
    (spec 07 §4), the digest function's own fault for a body that canonical JSON cannot carry, and
    `schema-parse-failure` for an empty run id.
    """
    observed = ObservedPlan(plan, match_observations(plan, observations))
    results = [reduce_planned_check(check, observed) for check in plan.checks]
    digest = fixture_digest(state.projection for state in observed.states.values())
    return mint_verdict(plan.run_id, digest, results)


def reduce_planned_check(check: PlannedCheck, observed: ObservedPlan) -> PreflightCheck:
    """The result of one check: a row a kind."""
    match check:
        case InterfacePresentCheck():
            return reduce_interface_present(check, observed)
        case InputSensitivityCheck():
            return reduce_input_sensitivity(check, observed)
        case StateResetCheck():
            return reduce_state_reset(check, observed)
        case CleanControlCheck():
            return reduce_clean_control(check, observed)
        case SeededFaultsScopedCheck():
            return reduce_seeded_faults_scoped(check, observed)
        case SeededFaultFiredCheck():
            return reduce_seeded_fault_fired(check, observed)

"""input-sensitivity: the operation's answers depend on what it was asked, as its witness relation states.

spec: 07 §7.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evalnb.engine.artifacts import PreflightCheck, SensitivityWitness
from evalnb.engine.operations import declares_no_request_keys
from evalnb.engine.preflight.checks.subject import CheckOutcome, ObservedPlan, check_result
from evalnb.engine.preflight.probe_plan import InputSensitivityCheck
from evalnb.engine.preflight.relations import Resolution, resolve_relation

_BY_RESOLUTION: Final[Mapping[Resolution, CheckOutcome]] = {
    "insufficient-evidence": CheckOutcome("failed", "The witness relation resolved insufficient-evidence."),
    "true": CheckOutcome("satisfied"),
    "false": CheckOutcome("failed", "The witness relation resolved false."),
}


def reduce_input_sensitivity(check: InputSensitivityCheck, observed: ObservedPlan) -> PreflightCheck:
    """Exempt only where there is no input to be sensitive to."""
    if check.witness is not None:
        outcome = _witnessed(check, check.witness, observed)
    elif declares_no_request_keys(check.operation):
        outcome = CheckOutcome("exempt", "The operation declares no inputs in any channel.")
    else:
        outcome = CheckOutcome("failed", "The operation declares request keys and no sensitivity witness.")
    return check_result(check, outcome, interface_id=check.interface_id, operation_id=check.operation_id)


def _witnessed(check: InputSensitivityCheck, witness: SensitivityWitness, observed: ObservedPlan) -> CheckOutcome:
    evidence = {}
    for leg in witness.legs:
        state = observed.states.get(leg.leg_id)
        if state is None:
            return CheckOutcome("failed", f'witness leg "{leg.leg_id}" produced no observation')
        evidence[leg.leg_id] = state.evidence
    return _BY_RESOLUTION[resolve_relation(witness.relation, evidence, check.operation, observed.plan)]

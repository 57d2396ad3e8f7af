"""seeded-fault-fired: a planted defect shows on the leg that was made to show it.

spec: 07 §7.6
"""

from __future__ import annotations

from evalnb.engine.artifacts import ManifestationWitness, PreflightCheck
from evalnb.engine.operations import AnyOperation
from evalnb.engine.preflight.checks.subject import CheckOutcome, ObservedPlan, check_result
from evalnb.engine.preflight.probe_plan import SeededFaultFiredCheck
from evalnb.engine.preflight.relations import resolve_relation


def reduce_seeded_fault_fired(check: SeededFaultFiredCheck, observed: ObservedPlan) -> PreflightCheck:
    """Satisfied only when the witness relation resolves true on its own leg."""
    if check.witness is None or check.operation is None:
        note = "the defect declares no manifestation witness, so it cannot be observed to fire"
        return check_result(check, CheckOutcome("failed", f"{check.defect_id}: {note}"))
    return check_result(
        check,
        _outcome(check.defect_id, check.witness, check.operation, observed),
        interface_id=check.witness.interface_id,
        operation_id=check.witness.operation_id,
    )


def _outcome(
    defect_id: str, witness: ManifestationWitness, operation: AnyOperation, observed: ObservedPlan
) -> CheckOutcome:
    fault = observed.states.get(witness.leg_id)
    if fault is None:
        return CheckOutcome("failed", f"{defect_id}: the fault leg produced no observation")
    evidence = {witness.leg_id: fault.evidence}
    resolution = resolve_relation(witness.relation, evidence, operation, observed.plan)
    if resolution == "true":
        return CheckOutcome("satisfied", defect_id)
    return CheckOutcome("failed", f"{defect_id}: the manifestation witness resolved {resolution} on its own fault leg")

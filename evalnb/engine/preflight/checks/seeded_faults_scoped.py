"""seeded-faults-scoped: a planted defect does not show on the other legs of its operation.

A leg that got the fault leg's own answer to the fault leg's own request says nothing about scope and is left out.
spec: 07 §7.5
"""

from __future__ import annotations

from evalnb.engine.artifacts import PreflightCheck
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json
from evalnb.engine.preflight.checks.subject import CheckOutcome, ObservedPlan, check_result
from evalnb.engine.preflight.matching import LegState
from evalnb.engine.preflight.probe_plan import SeededFaultsScopedCheck
from evalnb.engine.preflight.relations import resolve_relation
from evalnb.engine.preflight.verdict import VERDICT_PATH
from evalnb.engine.preflight.wire import wire_document


def reduce_seeded_faults_scoped(check: SeededFaultsScopedCheck, observed: ObservedPlan) -> PreflightCheck:
    """Fails on the first clean leg where the witness fires, and when no leg is left that could tell."""
    return check_result(
        check,
        _outcome(check, observed),
        interface_id=check.witness.interface_id,
        operation_id=check.witness.operation_id,
    )


def _outcome(check: SeededFaultsScopedCheck, observed: ObservedPlan) -> CheckOutcome:
    dropped = _legs_that_repeat_the_fault(check, observed)
    examined = [leg_id for leg_id in check.clean_leg_ids if leg_id not in dropped]
    if not examined:
        return CheckOutcome("failed", f"{check.defect_id}: {_nothing_examined(dropped)}")
    for leg_id in examined:
        state = observed.states.get(leg_id)
        if state is not None and _fires_on(state, check, observed):
            return CheckOutcome("failed", f'{check.defect_id}: the manifestation witness fires on clean leg "{leg_id}"')
    return CheckOutcome("satisfied", check.defect_id)


def _fires_on(state: LegState, check: SeededFaultsScopedCheck, observed: ObservedPlan) -> bool:
    # The relation addresses the witness's own leg, so the clean leg's evidence is put in that place.
    evidence = {check.witness.leg_id: state.evidence}
    resolution = resolve_relation(check.witness.relation, evidence, check.operation, observed.plan)
    return resolution == "true"


def _legs_that_repeat_the_fault(check: SeededFaultsScopedCheck, observed: ObservedPlan) -> tuple[str, ...]:
    fault = observed.states.get(check.witness.leg_id)
    if fault is None:
        return ()
    return tuple(
        leg_id
        for leg_id in check.clean_leg_ids
        if leg_id in observed.states and _same_probe(observed.states[leg_id], fault)
    )


def _same_probe(left: LegState, right: LegState) -> bool:
    """Whether two legs are one request and one answer under two labels."""
    return _same_digest(_unlabelled_request(left), _unlabelled_request(right)) and _same_digest(
        _unlabelled_evidence(left), _unlabelled_evidence(right)
    )


def _unlabelled_request(state: LegState) -> Json:
    return {**wire_document(state.leg.request), "probeId": ""}


def _unlabelled_evidence(state: LegState) -> Json:
    return {**wire_document(state.evidence), "observationId": ""}


def _same_digest(left: Json, right: Json) -> bool:
    left_digest = _digest(left)
    return left_digest is not None and left_digest == _digest(right)


def _digest(value: Json) -> str | None:
    """The canonical digest, or None for a value that has none; no digest equals nothing."""
    try:
        return digest_artifact(value, VERDICT_PATH)
    except RuntimeFault:
        return None


def _nothing_examined(dropped: tuple[str, ...]) -> str:
    if not dropped:
        return (
            "the operation has no leg besides the fault leg, "
            "so nothing here establishes that the defect is scoped to it"
        )
    listed = ", ".join(f'"{leg_id}"' for leg_id in dropped)
    return (
        f"every other leg of the operation issued the fault leg's own request and received its answer ({listed}), "
        "so nothing here establishes that the defect is scoped to it"
    )

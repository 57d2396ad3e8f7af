"""Legs that witnesses ask for: two a sensitivity witness, one a seeded defect.

spec: 07 §3.2 step 4, §3.4
"""

from __future__ import annotations

from collections.abc import Sequence

from evalnb.engine.artifacts import Defect, EvalContract, ManifestationWitness, Probe
from evalnb.engine.compile.inputs import check_inputs_fit
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.operations import AnyOperation
from evalnb.engine.preflight.draft import DeclaredTarget, PlanDraft
from evalnb.engine.preflight.probe_plan import (
    InputSensitivityCheck,
    SeededFaultFiredCheck,
    SeededFaultsScopedCheck,
)
from evalnb.engine.preflight.targets import find_target


def add_sensitivity_legs(draft: PlanDraft, contract: EvalContract) -> None:
    """Append the legs of every sensitivity witness and a check an operation, with or without a witness."""
    for i, interface in enumerate(contract.permitted_interfaces):
        operations: tuple[AnyOperation, ...] = interface.operations
        for j, operation in enumerate(operations):
            target = DeclaredTarget(interface.logical_id, operation)
            witness = operation.sensitivity_witness
            legs_path = f"EvalContract.permittedInterfaces[{i}].operations[{j}].sensitivityWitness.legs"
            for k, leg in enumerate(witness.legs if witness is not None else ()):
                draft.add_leg(target, leg.leg_id, "sensitivity", leg.inputs, f"{legs_path}[{k}].legId")
            draft.checks.append(InputSensitivityCheck(interface.logical_id, operation.operation_id, witness, operation))


def add_seeded_defects(draft: PlanDraft, contract: EvalContract, probes: Sequence[Probe]) -> None:
    """Append the leg and the checks of every defect of every probe that is not expected clean.

    Raises StructuralFailure: `unreachable-check-evidence` for a witness of an undeclared operation,
    `undeclared-mandatory-input` for inputs that the operation does not accept.
    """
    for probe in probes:
        if probe.expected_clean:
            continue
        for defect in probe.defects:
            _add_seeded_defect(draft, contract, probe.probe_id, defect)


def _add_seeded_defect(draft: PlanDraft, contract: EvalContract, probe_id: str, defect: Defect) -> None:
    witness = defect.manifestation_witness
    if witness is None:
        draft.checks.append(SeededFaultFiredCheck(defect.defect_id, None, None))
        return
    path = f"Probe[probeId={probe_id}].defects[defectId={defect.defect_id}].manifestationWitness"
    target = _witnessed_target(contract, witness, path)
    check_inputs_fit(witness.inputs, target.operation, f'leg "{witness.leg_id}"', f"{path}.inputs")
    # Taken before the fault leg joins its operation's legs: a fault never counts as its own clean leg.
    clean_leg_ids = draft.leg_ids_of(target)
    draft.add_leg(target, witness.leg_id, "seeded-fault", witness.inputs, f"{path}.legId")
    draft.checks.append(SeededFaultsScopedCheck(defect.defect_id, witness, target.operation, clean_leg_ids))
    draft.checks.append(SeededFaultFiredCheck(defect.defect_id, witness, target.operation))


def _witnessed_target(contract: EvalContract, witness: ManifestationWitness, path: str) -> DeclaredTarget:
    target = find_target(contract, witness.interface_id, witness.operation_id)
    if target is None:
        raise StructuralFailure(
            "unreachable-check-evidence",
            path,
            f'no interface "{witness.interface_id}" declares an operation "{witness.operation_id}"',
        )
    return target

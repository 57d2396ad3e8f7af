"""Planning pre-flight: which legs to send and which checks to make of their answers.

Equal inputs give equal plans; the first thing that is wrong ends the planning. spec: 07 §3
"""

from __future__ import annotations

from collections.abc import Sequence

from evalnb.engine.artifacts import EvalContract, Probe
from evalnb.engine.compile.requirements import check_interface_identifiers, check_interface_kinds
from evalnb.engine.evaluate import reference_set_keys_of
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.preflight.control import add_control_legs
from evalnb.engine.preflight.draft import PlanDraft
from evalnb.engine.preflight.inputs import check_probe_stamp
from evalnb.engine.preflight.probe_plan import ProbePlan
from evalnb.engine.preflight.witness_legs import add_seeded_defects, add_sensitivity_legs


def plan_preflight(contract: EvalContract, probes: Sequence[Probe], run_id: str) -> ProbePlan:
    """The plan for measuring `contract`'s environment with `probes`.

    Raises StructuralFailure as listed in spec 07 §3.6, and RuntimeFault `schema-version-mismatch` for a probe whose
    stamp is out of range.
    """
    for probe in probes:
        check_probe_stamp(probe)
    check_interface_identifiers(contract.permitted_interfaces)
    check_interface_kinds(contract.permitted_interfaces)
    draft = PlanDraft()
    add_sensitivity_legs(draft, contract)
    add_control_legs(draft, contract, probes)
    add_seeded_defects(draft, contract, probes)
    draft.require_distinct_leg_ids()
    if not draft.legs:
        raise StructuralFailure(
            "unreachable-check-evidence",
            "EvalContract.permittedInterfaces",
            "no operation can be asked anything, so the environment would be judged without being observed",
        )
    return ProbePlan(
        run_id=run_id,
        legs=tuple(draft.legs),
        checks=(*draft.presence_checks(), *draft.checks),
        reference_sets=contract.reference_sets or {},
        reference_set_keys=reference_set_keys_of(contract),
    )

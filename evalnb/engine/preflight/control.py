"""Control legs: a safe read taken twice, with a mutation and a reset between the two where the contract has them.

spec: 07 §3.3
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from evalnb.engine.artifacts import EvalContract, FixtureReset, Probe, WitnessInputs
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.operations import AnyOperation, declares_no_required_keys
from evalnb.engine.preflight.draft import DeclaredTarget, PlanDraft
from evalnb.engine.preflight.probe_plan import CleanControlCheck, StateResetCheck
from evalnb.engine.preflight.requests import empty_inputs
from evalnb.engine.preflight.targets import declared_targets, find_target

OBSERVE_LEG: Final = "preflight-control-observe"
MUTATE_LEG: Final = "preflight-control-mutate"


def add_control_legs(draft: PlanDraft, contract: EvalContract, probes: Sequence[Probe]) -> None:
    """Append the control legs and the two checks over them; nothing where no safe read can be asked for.

    Raises StructuralFailure `unreachable-check-evidence` at `EvalContract.fixtureReset` when the operation that
    resets is not declared where the mutating one is.
    """
    targets = declared_targets(contract)
    observed = _first_control_target(t for t in targets if not t.operation.state_change_marker)
    if observed is None:
        return
    mint = LegIdMint(_taken_leg_ids(contract, probes))
    first_control = len(draft.legs)
    first = _add_observe_leg(draft, observed, mint)
    if contract.fixture_reset is not None:
        _add_mutation_and_reset(draft, contract, contract.fixture_reset, mint)
    last = _add_observe_leg(draft, observed, mint)
    draft.checks.append(StateResetCheck(first, last))
    draft.checks.append(CleanControlCheck(tuple(leg.leg_id for leg in draft.legs[first_control:])))


class LegIdMint:
    """Makes leg ids that no leg or step of the contract and its probes carries."""

    __slots__ = ("_taken",)

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def mint(self, base: str) -> str:
        """`base` itself, otherwise the first free one of `base-2`, `base-3`, ..."""
        leg_id, number = base, 1
        while leg_id in self._taken:
            number += 1
            leg_id = f"{base}-{number}"
        self._taken.add(leg_id)
        return leg_id


def control_inputs(operation: AnyOperation) -> WitnessInputs | None:
    """What a control leg against `operation` sends, or None when nothing is known that it would accept."""
    if operation.sensitivity_witness is not None and operation.sensitivity_witness.legs:
        return operation.sensitivity_witness.legs[0].inputs
    return empty_inputs(operation) if declares_no_required_keys(operation) else None


@dataclass(frozen=True, slots=True)
class ControlTarget:
    """An operation that a control leg can be sent to, and what is sent."""

    declared: DeclaredTarget
    inputs: WitnessInputs

    @property
    def operation_id(self) -> str:
        """The operation's own id."""
        return self.declared.operation.operation_id


def _first_control_target(targets: Iterable[DeclaredTarget]) -> ControlTarget | None:
    for target in targets:
        inputs = control_inputs(target.operation)
        if inputs is not None:
            return ControlTarget(target, inputs)
    return None


def _add_observe_leg(draft: PlanDraft, observed: ControlTarget, mint: LegIdMint) -> str:
    leg_id = mint.mint(OBSERVE_LEG)
    source = f'the minted control-observe leg against "{observed.operation_id}"'
    draft.add_leg(observed.declared, leg_id, "control-observe", observed.inputs, source)
    return leg_id


def _add_mutation_and_reset(draft: PlanDraft, contract: EvalContract, reset: FixtureReset, mint: LegIdMint) -> None:
    """Append the mutating leg and the resetting one; nothing when the reset's interface has no usable mutation."""
    mutating = _first_control_target(
        target
        for target in declared_targets(contract)
        if target.interface_id == reset.interface_id and target.operation.state_change_marker
    )
    if mutating is None:
        return
    source = f'the minted control-mutate leg against "{mutating.operation_id}"'
    draft.add_leg(mutating.declared, mint.mint(MUTATE_LEG), "control-mutate", mutating.inputs, source)
    resetting = find_target(contract, reset.interface_id, reset.operation_id)
    if resetting is None:
        raise StructuralFailure(
            "unreachable-check-evidence",
            "EvalContract.fixtureReset",
            f'interface "{reset.interface_id}" declares no operation "{reset.operation_id}"',
        )
    draft.add_leg(resetting, reset.leg_id, "control-reset", reset.inputs, "EvalContract.fixtureReset.legId")


def _taken_leg_ids(contract: EvalContract, probes: Sequence[Probe]) -> Iterable[str]:
    yield from (step.step_id for step in contract.interaction_plan)
    for probe in probes:
        if not probe.expected_clean:
            yield from (d.manifestation_witness.leg_id for d in probe.defects if d.manifestation_witness)
    for target in declared_targets(contract):
        if target.operation.sensitivity_witness is not None:
            yield from (leg.leg_id for leg in target.operation.sensitivity_witness.legs)
    if contract.fixture_reset is not None:
        yield contract.fixture_reset.leg_id

"""The contract under compilation with what several checks read of it, each part made once and only when asked for.

spec: 04 §3.3, §3.5, §4 C7
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from evalnb.engine.artifacts import (
    CapturedBinding,
    EvalContract,
    InteractionStep,
    PermittedInterface,
    SensitivityWitness,
)
from evalnb.engine.compile.walks import ExpressionSite, expression_site
from evalnb.engine.json_values import quote, utf16_key
from evalnb.engine.operations import AnyOperation, bound_channels
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import InteractionPointer, parse_interaction_pointer


@dataclass(frozen=True, slots=True)
class CaptureEdge:
    """One captured binding of the plan: where it is bound, and what it captures."""

    step: InteractionStep
    channel: str
    key: str
    pointer: str
    target: InteractionPointer

    @property
    def path(self) -> str:
        return binding_path(self.step, self.channel, self.key)


class PlacedOperation(NamedTuple):
    """An operation and its artifact path by position."""

    operation: AnyOperation
    path: str


class WitnessedOperation(NamedTuple):
    """An operation that declares a sensitivity witness, the witness, and its artifact path by position."""

    operation: AnyOperation
    witness: SensitivityWitness
    path: str


@dataclass(frozen=True)
class Subject:
    """A contract being compiled."""

    contract: EvalContract

    @property
    def interfaces(self) -> tuple[PermittedInterface, ...]:
        return self.contract.permitted_interfaces

    @cached_property
    def index(self) -> PlanIndex:
        """The plan and the operations, duplicates resolving to nothing."""
        return PlanIndex.build(self.contract)

    @cached_property
    def oracle_sites(self) -> tuple[ExpressionSite, ...]:
        """The check of every oracle that has one, contract order."""
        return tuple(
            expression_site(oracle.check, f"EvalContract.oracles[id={oracle.id}].check", self.operation_of_step)
            for oracle in self.contract.oracles
            if oracle.check is not None
        )

    @cached_property
    def witnessed(self) -> tuple[WitnessedOperation, ...]:
        """Every operation with a witness, contract order."""
        return tuple(
            WitnessedOperation(operation, operation.sensitivity_witness, f"{path}.sensitivityWitness")
            for operation, path in self.operations()
            if operation.sensitivity_witness is not None
        )

    @cached_property
    def witness_sites(self) -> tuple[ExpressionSite, ...]:
        """The relation of every witness, in the order of `witnessed`."""
        return tuple(map(witness_site, self.witnessed))

    @cached_property
    def sites(self) -> tuple[ExpressionSite, ...]:
        """Every expression of the contract: oracle checks, then witness relations."""
        return self.oracle_sites + self.witness_sites

    @cached_property
    def captures(self) -> tuple[CaptureEdge, ...]:
        """Every captured binding: plan order, channels in vocabulary order, keys sorted."""
        return tuple(
            CaptureEdge(step, bound.channel, key, value.captured, parse_interaction_pointer(value.captured))
            for step in self.contract.interaction_plan
            for bound in bound_channels(step)
            for key, value in sorted((bound.keys or {}).items(), key=lambda item: utf16_key(item[0]))
            if isinstance(value, CapturedBinding)
        )

    def operations(self) -> Iterator[PlacedOperation]:
        """Every operation, contract order."""
        for i, interface in enumerate(self.interfaces):
            operations: tuple[AnyOperation, ...] = interface.operations
            for j, operation in enumerate(operations):
                yield PlacedOperation(operation, f"EvalContract.permittedInterfaces[{i}].operations[{j}]")

    def operation_of_step(self, step_id: str) -> AnyOperation | None:
        """The operation that the one step of that id names."""
        declared = self.index.operation_of_step(step_id)
        return None if declared is None else declared.operation


def witness_site(witnessed: WitnessedOperation) -> ExpressionSite:
    """A witness relation as an expression site: its two leg ids mean the operation itself, other ids nothing."""
    leg_ids = {leg.leg_id for leg in witnessed.witness.legs}
    operation = witnessed.operation
    return expression_site(
        witnessed.witness.relation,
        f"{witnessed.path}.relation",
        lambda step_id: operation if step_id in leg_ids else None,
    )


def binding_path(step: InteractionStep, channel: str, key: str) -> str:
    """The artifact path of one bound key of a step."""
    return f"EvalContract.interactionPlan[stepId={step.step_id}].inputBinding.{channel}[{quote(key)}]"

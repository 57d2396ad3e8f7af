"""A contract looked at from every side at once: which oracle reads which step, which step calls which operation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from evalnb.engine.artifacts import AnyOperation, Behavior, EvalContract, InteractionStep, Oracle
from evalnb.engine.coverage import CoverageReport, coverage
from evalnb.engine.coverage.oracle_view import view_oracle
from evalnb.engine.plan_index import DeclaredOperation, PlanIndex
from evalnb.view.frames.contract import steps_read

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class ContractFacts:
    """The parts of a contract by their names. Of several with one name the first is meant.

    `operations` goes by `interface.operation`, and so do the values of `operation_of_step`.
    """

    contract: EvalContract
    index: PlanIndex
    coverage: CoverageReport
    behaviors: Mapping[str, Behavior]
    oracles: Mapping[str, Oracle]
    steps: Mapping[str, InteractionStep]
    operations: Mapping[str, DeclaredOperation]
    operation_of_step: Mapping[str, str]
    steps_of_oracle: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, contract: EvalContract) -> ContractFacts:
        steps = _first((step.step_id, step) for step in contract.interaction_plan)
        return cls(
            contract=contract,
            index=PlanIndex.build(contract),
            coverage=coverage(contract),
            behaviors=_first((one.id, one) for one in contract.behaviors),
            oracles=_first((one.id, one) for one in contract.oracles),
            steps=steps,
            operations=_first(_operations(contract)),
            operation_of_step={
                name: operation_name(step.interface_id, step.operation_id) for name, step in steps.items()
            },
            steps_of_oracle={one.id: tuple(steps_read(view_oracle(one))) for one in contract.oracles},
        )

    def operations_of(self, oracle_id: str) -> dict[str, list[str]]:
        """The steps an oracle reads, by the operation they call; a step the plan lacks is left out."""
        found: dict[str, list[str]] = {}
        for step_id in self.steps_of_oracle[oracle_id]:
            if step_id in self.operation_of_step:
                found.setdefault(self.operation_of_step[step_id], []).append(step_id)
        return found

    def behaviors_of(self, oracle_id: str) -> list[Behavior]:
        """The behaviors that list an oracle."""
        return [one for one in self.contract.behaviors if oracle_id in one.oracles]

    def readers_of(self, step_id: str) -> list[str]:
        """The oracles that read a step."""
        return [name for name, steps in self.steps_of_oracle.items() if step_id in steps]


def _first(named: Iterable[tuple[str, Part]]) -> dict[str, Part]:
    found: dict[str, Part] = {}
    for name, part in named:
        found.setdefault(name, part)
    return found


def _operations(contract: EvalContract) -> Iterator[tuple[str, DeclaredOperation]]:
    for interface in contract.permitted_interfaces:
        operations: tuple[AnyOperation, ...] = interface.operations
        for operation in operations:
            name = operation_name(interface.logical_id, operation.operation_id)
            yield name, DeclaredOperation(interface.logical_id, interface.kind, operation)


def operation_name(interface_id: str, operation_id: str) -> str:
    """What an operation is called among those of all interfaces."""
    return f"{interface_id}.{operation_id}" if interface_id else operation_id

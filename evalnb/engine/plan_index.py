"""Looks up the steps of an interaction plan and the operations they name.

An identifier declared twice is never guessed at: it resolves to nothing, or building the index is refused.
spec: 03 §5.2, 04 §3.3, 05 §4
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from evalnb.engine.artifacts import UNRESOLVED_INTERFACE

if TYPE_CHECKING:
    from evalnb.engine.artifacts import AnyOperation, EvalContract, InteractionStep, PermittedInterface

Duplicates: TypeAlias = Literal["unresolved", "throw"]
InterfaceKind: TypeAlias = Literal["api", "web", "cli", "mcp"]


@dataclass(frozen=True, slots=True)
class DeclaredOperation:
    """An operation together with the interface that declares it."""

    interface_id: str
    interface_kind: InterfaceKind
    operation: AnyOperation


@dataclass(frozen=True, slots=True)
class PlanIndex:
    """Steps by id and operations by (interface, operation); build one with `build` or `of`.

    Plan order is kept in `steps_using`, which also lists steps whose own id is duplicated.
    """

    _steps: dict[str, InteractionStep | None]
    _operations: dict[tuple[str, str], DeclaredOperation | None]
    _users: dict[tuple[str, str], list[InteractionStep]]
    _declarers: dict[str, set[str]]
    _interface_kinds: dict[str, InterfaceKind]

    @classmethod
    def build(cls, contract: EvalContract, *, duplicates: Duplicates = "unresolved") -> PlanIndex:
        """The index of a contract's plan and interfaces; with `throw`, a duplicate is a TypeError."""
        return cls.of(contract.interaction_plan, contract.permitted_interfaces, duplicates=duplicates)

    @classmethod
    def of(
        cls,
        steps: Iterable[InteractionStep],
        interfaces: Iterable[PermittedInterface],
        *,
        duplicates: Duplicates = "unresolved",
    ) -> PlanIndex:
        """As `build`, from the two lists alone."""
        index = cls({}, {}, {}, {}, {})
        for step in steps:
            index._add_step(step, duplicates)
        for interface in interfaces:
            index._interface_kinds[interface.logical_id] = interface.kind
            for operation in interface.operations:
                declared = DeclaredOperation(interface.logical_id, interface.kind, operation)
                index._add_operation(declared, duplicates)
        return index

    def step(self, step_id: str) -> InteractionStep | None:
        """The one step of that id."""
        return self._steps.get(step_id)

    def operation(self, interface_id: str, operation_id: str) -> DeclaredOperation | None:
        """The one operation that the interface declares under that id."""
        return self._operations.get((interface_id, operation_id))

    def operation_of(self, step: InteractionStep) -> DeclaredOperation | None:
        """The operation that a step names."""
        return self._operations.get((step.interface_id, step.operation_id))

    def operation_of_step(self, step_id: str) -> DeclaredOperation | None:
        """The operation named by the one step of that id."""
        step = self.step(step_id)
        return None if step is None else self.operation_of(step)

    def interface_kind(self, interface_id: str) -> InterfaceKind | None:
        """The interface's kind; the last declaration wins."""
        return self._interface_kinds.get(interface_id)

    def steps_using(self, interface_id: str, operation_id: str) -> list[InteractionStep]:
        """The steps that name the operation, in plan order; none where the interface could not be found."""
        if interface_id == UNRESOLVED_INTERFACE:
            return []
        return list(self._users.get((interface_id, operation_id), ()))

    def is_operation_id_shared(self, operation_id: str) -> bool:
        """Whether more than one interface declares the id."""
        return len(self._declarers.get(operation_id, ())) > 1

    def is_operation_duplicated(self, interface_id: str, operation_id: str) -> bool:
        """Whether one interface declares the id twice."""
        key = (interface_id, operation_id)
        return key in self._operations and self._operations[key] is None

    def undeclared_clause(self, step: InteractionStep) -> str:
        """Why the step's operation does not resolve, to follow the operation's name."""
        twice = self.is_operation_duplicated(step.interface_id, step.operation_id)
        reason = "declares more than once" if twice else "does not declare"
        return f'on interface "{step.interface_id}", which that interface {reason}'

    def require_step(self, step_id: str) -> InteractionStep:
        """As `step`; TypeError where there is none."""
        step = self.step(step_id)
        if step is None:
            raise TypeError(f"evidence target names a step the interaction plan does not declare: {step_id}")
        return step

    def require_operation_of(self, step: InteractionStep) -> DeclaredOperation:
        """As `operation_of`; TypeError where there is none."""
        declared = self.operation_of(step)
        if declared is None:
            clause = self.undeclared_clause(step)
            raise TypeError(f'step names operation "{step.operation_id}" {clause}')
        return declared

    def _add_step(self, step: InteractionStep, duplicates: Duplicates) -> None:
        if step.step_id in self._steps:
            if duplicates == "throw":
                raise TypeError(f"duplicate interaction step id: {step.step_id}")
            self._steps[step.step_id] = None
        else:
            self._steps[step.step_id] = step
        self._users.setdefault((step.interface_id, step.operation_id), []).append(step)

    def _add_operation(self, declared: DeclaredOperation, duplicates: Duplicates) -> None:
        operation_id = declared.operation.operation_id
        key = (declared.interface_id, operation_id)
        if key in self._operations:
            if duplicates == "throw":
                raise TypeError(f"duplicate operation id within interface {declared.interface_id}: {operation_id}")
            self._operations[key] = None
            return
        self._operations[key] = declared
        self._declarers.setdefault(operation_id, set()).add(declared.interface_id)

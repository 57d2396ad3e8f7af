"""A plan while it is being made: legs with the place each came from, and the legs of each operation.

spec: 07 §3.2, §3.5
"""

from __future__ import annotations

from dataclasses import dataclass, field

from evalnb.engine.artifacts import WitnessInputs
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.operations import AnyOperation
from evalnb.engine.preflight.probe_plan import (
    InterfacePresentCheck,
    LegPurpose,
    PlannedCheck,
    PlannedLeg,
)
from evalnb.engine.preflight.requests import build_request


@dataclass(frozen=True, slots=True)
class OperationKey:
    """One operation of one interface. An operation id alone may occur on several interfaces."""

    interface_id: str
    operation_id: str


@dataclass(frozen=True, slots=True)
class DeclaredTarget:
    """An operation together with the interface that declares it."""

    interface_id: str
    operation: AnyOperation

    @property
    def key(self) -> OperationKey:
        """What the target's legs are grouped by."""
        return OperationKey(self.interface_id, self.operation.operation_id)


@dataclass(slots=True)
class PlanDraft:
    """Collects legs and checks in planning order."""

    legs: list[PlannedLeg] = field(default_factory=list)
    checks: list[PlannedCheck] = field(default_factory=list)
    _source_paths: list[str] = field(default_factory=list)
    _groups: dict[OperationKey, list[str]] = field(default_factory=dict)

    def add_leg(
        self,
        target: DeclaredTarget,
        leg_id: str,
        purpose: LegPurpose,
        inputs: WitnessInputs,
        source_path: str,
    ) -> None:
        """Append a leg against `target`; StructuralFailure when the inputs are of another kind than the operation."""
        request = build_request(leg_id, target.interface_id, target.operation, inputs)
        self.legs.append(PlannedLeg(leg_id, purpose, request, target.operation, inputs))
        self._source_paths.append(source_path)
        self._groups.setdefault(target.key, []).append(leg_id)

    def leg_ids_of(self, target: DeclaredTarget) -> tuple[str, ...]:
        """The ids of the legs against `target` so far, in leg order."""
        return tuple(self._groups.get(target.key, ()))

    def require_distinct_leg_ids(self) -> None:
        """Raise `malformed-operator-expression` at the source of the first leg whose id was already taken."""
        seen: set[str] = set()
        for leg, source_path in zip(self.legs, self._source_paths, strict=True):
            if leg.leg_id in seen:
                raise StructuralFailure(
                    "malformed-operator-expression",
                    source_path,
                    f'the leg id "{leg.leg_id}" is already the id of an earlier leg, '
                    "so an answer could not be told from that leg's",
                )
            seen.add(leg.leg_id)

    def presence_checks(self) -> tuple[InterfacePresentCheck, ...]:
        """One check an operation that has legs, ordered by the first of them."""
        return tuple(
            InterfacePresentCheck(key.interface_id, key.operation_id, tuple(leg_ids))
            for key, leg_ids in self._groups.items()
        )

"""What pre-flight will ask of the system and what it will make of the answers: legs and planned checks.

A plan embeds operations and witnesses, because the reducer receives nothing else. spec: 07 §3.1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from evalnb.engine.artifacts import (
    ManifestationWitness,
    ProbeRequest,
    ReferenceSetDeclaration,
    SensitivityWitness,
    WitnessInputs,
)
from evalnb.engine.operations import AnyOperation

LegPurpose: TypeAlias = Literal["sensitivity", "control-observe", "control-mutate", "control-reset", "seeded-fault"]


@dataclass(frozen=True, slots=True)
class PlannedLeg:
    """One request to the system under test. Its request carries the leg id as `probeId`."""

    leg_id: str
    purpose: LegPurpose
    request: ProbeRequest
    operation: AnyOperation
    inputs: WitnessInputs


@dataclass(frozen=True, slots=True)
class InterfacePresentCheck:
    """Every leg of one operation was answered, and by that operation."""

    kind: ClassVar[Literal["interface-present"]] = "interface-present"
    interface_id: str
    operation_id: str
    leg_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InputSensitivityCheck:
    """The operation's answers depend on its inputs, as its witness says."""

    kind: ClassVar[Literal["input-sensitivity"]] = "input-sensitivity"
    interface_id: str
    operation_id: str
    witness: SensitivityWitness | None
    operation: AnyOperation


@dataclass(frozen=True, slots=True)
class StateResetCheck:
    """The first and the last observed read show the same fixture state."""

    kind: ClassVar[Literal["state-reset"]] = "state-reset"
    first_leg_id: str
    last_leg_id: str


@dataclass(frozen=True, slots=True)
class CleanControlCheck:
    """No control leg met an error."""

    kind: ClassVar[Literal["clean-control"]] = "clean-control"
    leg_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeededFaultsScopedCheck:
    """The defect does not show on the operation's other legs."""

    kind: ClassVar[Literal["seeded-faults-scoped"]] = "seeded-faults-scoped"
    defect_id: str
    witness: ManifestationWitness
    operation: AnyOperation
    clean_leg_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeededFaultFiredCheck:
    """The defect shows on its own leg. Witness and operation are null together."""

    kind: ClassVar[Literal["seeded-fault-fired"]] = "seeded-fault-fired"
    defect_id: str
    witness: ManifestationWitness | None
    operation: AnyOperation | None


PlannedCheck: TypeAlias = (
    InterfacePresentCheck
    | InputSensitivityCheck
    | StateResetCheck
    | CleanControlCheck
    | SeededFaultsScopedCheck
    | SeededFaultFiredCheck
)


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """Legs and checks in the order they are taken, and the contract's reference sets for the relations."""

    run_id: str
    legs: tuple[PlannedLeg, ...]
    checks: tuple[PlannedCheck, ...]
    reference_sets: Mapping[str, ReferenceSetDeclaration]
    reference_set_keys: Mapping[str, Sequence[str]]

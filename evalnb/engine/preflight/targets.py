"""Finding operations in a contract, in declaration order.

spec: 07 §3.3, §3.4
"""

from __future__ import annotations

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.preflight.draft import DeclaredTarget


def declared_targets(contract: EvalContract) -> tuple[DeclaredTarget, ...]:
    """Every operation of every interface, in declaration order."""
    return tuple(
        DeclaredTarget(interface.logical_id, operation)
        for interface in contract.permitted_interfaces
        for operation in interface.operations
    )


def find_target(contract: EvalContract, interface_id: str, operation_id: str) -> DeclaredTarget | None:
    """The first operation of that id on the interface of that id, or None."""
    return next(
        (
            target
            for target in declared_targets(contract)
            if target.interface_id == interface_id and target.operation.operation_id == operation_id
        ),
        None,
    )

"""Whether a pointer addresses a collection that the addressed operation declares.

spec: 03 §5
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalnb.engine.evaluate.values import DenotesCollection
from evalnb.engine.operations import targets_described_channel
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import (
    InteractionPointer,
    decode_tail,
    is_bound_element,
    parse_interaction_pointer,
)

if TYPE_CHECKING:
    from evalnb.engine.artifacts import AnyOperation, EvalContract


def make_denotes_collection(contract: EvalContract, index: PlanIndex | None = None) -> DenotesCollection:
    """The collection test of a contract.

    Without an index one is built at the first pointer that needs it, and a duplicate id then is a TypeError.
    """
    known = index

    def denotes(pointer: str) -> bool:
        nonlocal known
        if is_bound_element(pointer):
            return False
        target = parse_interaction_pointer(pointer)
        if known is None:
            known = PlanIndex.build(contract, duplicates="throw")
        declared = known.operation_of_step(target.step_id)
        return declared is not None and addresses_collection(target, declared.operation)

    return denotes


def make_operation_denotes_collection(operation: AnyOperation | None) -> DenotesCollection:
    """The collection test where every pointer is read against one operation; None declares no collection."""

    def denotes(pointer: str) -> bool:
        if operation is None or is_bound_element(pointer):
            return False
        return addresses_collection(parse_interaction_pointer(pointer), operation)

    return denotes


def addresses_collection(target: InteractionPointer, operation: AnyOperation) -> bool:
    """Whether the target is, token for token, a collection location of the operation's descriptor."""
    if not targets_described_channel(target, operation):
        return False
    locations = operation.response_descriptor.collection_locations or ()
    return any(decode_tail(location.pointer) == target.tail for location in locations)

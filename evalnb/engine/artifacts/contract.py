"""The evaluation contract, and how documents of older schema versions become the newest shape in memory.

spec: 02a §13, 00 "Versions read and written"
"""

from collections.abc import Iterator
from typing import Annotated, Any, Final

from pydantic import Field

from evalnb.engine.artifacts.behaviors import Behavior, Oracle
from evalnb.engine.artifacts.bodies import RawRequestBody
from evalnb.engine.artifacts.declarations import (
    Budgets,
    ReferenceSetDeclaration,
    ScopedResource,
    SiblingGroups,
    SiblingOperation,
    TestData,
    Waiver,
)
from evalnb.engine.artifacts.interfaces import AnyOperation, PermittedInterface
from evalnb.engine.artifacts.model import INTERFACE_IDS, RAW_BODIES, VOLATILE_WILDCARDS, Artifact, Items, OlderStamps
from evalnb.engine.artifacts.plan import InteractionStep
from evalnb.engine.artifacts.primitives import (
    Digest,
    ForbiddenInput,
    Identifier,
    MapOf,
    NonNegativeInt,
    PositiveInt,
)
from evalnb.engine.artifacts.rubric import RubricBody
from evalnb.engine.artifacts.witnesses import FixtureReset
from evalnb.engine.pointers import WILDCARD

UNRESOLVED_INTERFACE: Final = ""
"""The interface of a reference that names an operation which no interface, or more than one, declares."""


class EvalContract(Artifact):
    """Everything an author writes about one evaluation."""

    schema_version: PositiveInt
    parent_digest: Digest | None
    revision_count: NonNegativeInt
    contract_id: Identifier
    source_spec_digest: Digest | None
    behaviors: Annotated[Items[Behavior], Field(min_length=1)]
    oracles: Items[Oracle]
    rubrics: Items[RubricBody]
    waivers: Items[Waiver]
    permitted_interfaces: Items[PermittedInterface]
    reference_sets: MapOf[Identifier, ReferenceSetDeclaration] | None
    sibling_groups: SiblingGroups | None
    interaction_plan: Items[InteractionStep]
    scoped_resources: Items[ScopedResource] | None
    forbidden_inputs: Items[ForbiddenInput]
    test_data: TestData
    budgets: Budgets
    safety_limits: Items[str]
    required_evidence: Items[str]
    probe_step_bound: NonNegativeInt | None
    fixture_reset: FixtureReset | None


# Stands in for the interface of an older step until the interfaces that declare its operation are known.
_PENDING: Final = "pending"


def _lift(raw: dict[str, Any], without: frozenset[str]) -> dict[str, Any] | None:
    """Steps and sibling members of version 5, which name a bare operation, in the shape that names an interface too."""
    if INTERFACE_IDS not in without:
        return raw
    plan, groups = raw.get("interactionPlan"), raw.get("siblingGroups")
    lifted = dict(raw)
    if isinstance(plan, list):
        if any(not isinstance(step, dict) or "interfaceId" in step for step in plan):
            return None
        lifted["interactionPlan"] = [{**step, "interfaceId": _PENDING} for step in plan]
    if isinstance(groups, dict) and isinstance(groups.get("operations"), list):
        if any(not isinstance(group, list) for group in groups["operations"]):
            return None
        pairs = [[_pending(member) for member in group] for group in groups["operations"]]
        lifted["siblingGroups"] = {**groups, "operations": pairs}
    return lifted


def _pending(operation_id: Any) -> dict[str, Any]:
    return {"interfaceId": _PENDING, "operationId": operation_id}


def _settle(contract: EvalContract, without: frozenset[str]) -> EvalContract | None:
    """`contract` with the interfaces its bare operations belong to; None where it uses what its version lacks."""
    if (RAW_BODIES in without and _has_raw_body(contract)) or (
        VOLATILE_WILDCARDS in without and _has_wildcards_or_resets(contract)
    ):
        return None
    if INTERFACE_IDS not in without:
        return contract
    owner_of = sole_declarers(contract)
    plan = tuple(_owned(step, owner_of) for step in contract.interaction_plan)
    groups = contract.sibling_groups
    if groups is not None:
        operations = tuple(tuple(_owned(member, owner_of) for member in group) for group in groups.operations)
        groups = groups.model_copy(update={"operations": operations})
    return contract.model_copy(update={"interaction_plan": plan, "sibling_groups": groups})


def sole_declarers(contract: EvalContract) -> dict[str, str]:
    """The interface of every operation id that exactly one interface declares.

    This is how documents that name a bare operation refer to an interface (contract 5, run record 6).
    """
    declarers: dict[str, list[str]] = {}
    for interface in contract.permitted_interfaces:
        for operation_id in {operation.operation_id for operation in interface.operations}:
            declarers.setdefault(operation_id, []).append(interface.logical_id)
    return {operation_id: ids[0] for operation_id, ids in declarers.items() if len(ids) == 1}


def _owned(reference: InteractionStep | SiblingOperation, owner_of: dict[str, str]) -> Any:
    owner = owner_of.get(reference.operation_id, UNRESOLVED_INTERFACE)
    return reference.model_copy(update={"interface_id": owner})


def _operations(contract: EvalContract) -> Iterator[AnyOperation]:
    for interface in contract.permitted_interfaces:
        yield from interface.operations


def _has_raw_body(contract: EvalContract) -> bool:
    inputs = [
        leg.inputs for op in _operations(contract) if op.sensitivity_witness for leg in op.sensitivity_witness.legs
    ]
    if contract.fixture_reset is not None:
        inputs.append(contract.fixture_reset.inputs)
    carriers: list[object] = [step.input_binding for step in contract.interaction_plan]
    carriers += inputs
    return any(isinstance(getattr(carrier, "body", None), RawRequestBody) for carrier in carriers)


def _has_wildcards_or_resets(contract: EvalContract) -> bool:
    return any(
        operation.state_reset_pointers is not None
        or any(WILDCARD in pointer.split("/") for pointer in operation.volatile_pointers)
        for operation in _operations(contract)
    )


OLDER_STAMPS: Final = OlderStamps(_lift, _settle)

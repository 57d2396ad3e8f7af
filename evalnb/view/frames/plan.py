"""What a contract may reach and how it goes about it: its operations, and the steps of its interaction plan."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pandas as pd

from evalnb.engine.artifacts import (
    AnyOperation,
    CapturedBinding,
    CommandOperation,
    EvalContract,
    InteractionStep,
    LiteralBinding,
    MatcherBinding,
    McpOperation,
)
from evalnb.engine.coverage.oracle_view import view_oracle
from evalnb.engine.operations import bound_keys, captured_keys, channel_shapes, raw_body
from evalnb.engine.plan_index import PlanIndex
from evalnb.view.frames.columns import COUNT, FLAG, TEXT, Column, Row, frame, joined, tabulated
from evalnb.view.frames.contract import steps_read
from evalnb.view.frames.vocabularies import CARDINALITIES, INTERFACE_KINDS

OPERATIONS = (
    Column("contract_id", TEXT, "the contract"),
    Column("interface_id", TEXT, "the interface"),
    Column("interface_kind", INTERFACE_KINDS, "its kind"),
    Column("operation_id", TEXT, "the operation"),
    Column("target", TEXT, "method and path, command line or tool name"),
    Column("changes_state", FLAG, "whether it is marked as changing state"),
    Column("required_inputs", TEXT, "input keys it requires, channel.key"),
    Column("permitted_inputs", TEXT, "input keys it permits besides"),
    Column("required_keys", TEXT, "response keys it always answers with"),
    Column("permitted_keys", TEXT, "response keys it may answer with"),
    Column("success_indicator", TEXT, "the pointer that tells success"),
    Column("collections", TEXT, "pointers of the collections in the response"),
    Column("volatile_pointers", TEXT, "what may differ between equal calls"),
    Column("has_witness", FLAG, "whether a sensitivity witness is declared"),
    Column("step_count", COUNT, "steps of the plan that call it"),
)
STEPS = (
    Column("contract_id", TEXT, "the contract"),
    Column("position", COUNT, "the step's place in the plan, from 1"),
    Column("step_id", TEXT, "the step"),
    Column("interface_id", TEXT, "the interface it calls"),
    Column("operation_id", TEXT, "the operation it calls"),
    Column("after", TEXT, "the step it follows"),
    Column("cardinality", CARDINALITIES, "how many observations it may select"),
    Column("inputs", TEXT, "what it sends, channel.key = value"),
    Column("captures", TEXT, "the pointers whose values it sends on"),
    Column("oracle_ids", TEXT, "the oracles that read it"),
)


@tabulated(OPERATIONS)
def operations(contract: EvalContract) -> pd.DataFrame:
    """One row an operation of an interface, in the order of the contract."""
    index = PlanIndex.build(contract)
    return frame(
        OPERATIONS,
        (
            {
                "contract_id": contract.contract_id,
                "interface_id": interface.logical_id,
                "interface_kind": interface.kind,
                **_operation(operation),
                "step_count": len(index.steps_using(interface.logical_id, operation.operation_id)),
            }
            for interface in contract.permitted_interfaces
            for operation in interface.operations
        ),
    )


@tabulated(STEPS)
def steps(contract: EvalContract) -> pd.DataFrame:
    """One row a step of the interaction plan, in plan order."""
    readers = {oracle.id: steps_read(view_oracle(oracle)) for oracle in contract.oracles}
    return frame(
        STEPS,
        (
            {
                "contract_id": contract.contract_id,
                "position": position,
                "step_id": step.step_id,
                "interface_id": step.interface_id or None,
                "operation_id": step.operation_id,
                "after": step.after,
                "cardinality": step.cardinality,
                "inputs": joined(_inputs(step)),
                "captures": joined(bound.pointer for bound in captured_keys(step)),
                "oracle_ids": joined(oracle_id for oracle_id, read in readers.items() if step.step_id in read),
            }
            for position, step in enumerate(contract.interaction_plan, start=1)
        ),
    )


def _operation(operation: AnyOperation) -> Row:
    response = operation.response_descriptor
    shapes = list(channel_shapes(operation))
    return {
        "operation_id": operation.operation_id,
        "target": _target(operation),
        "changes_state": operation.state_change_marker,
        "required_inputs": joined(f"{channel}.{key}" for channel, shape in shapes for key in shape.required_keys),
        "permitted_inputs": joined(f"{channel}.{key}" for channel, shape in shapes for key in shape.permitted_keys),
        "required_keys": joined(response.required_keys),
        "permitted_keys": joined(response.permitted_keys),
        "success_indicator": response.success_indicator,
        "collections": joined(location.pointer for location in response.collection_locations or ()),
        "volatile_pointers": joined(operation.volatile_pointers),
        "has_witness": operation.sensitivity_witness is not None,
    }


def _target(operation: AnyOperation) -> str:
    if isinstance(operation, CommandOperation):
        return " ".join((operation.invocation.executable, *operation.invocation.subcommand_path))
    if isinstance(operation, McpOperation):
        return operation.tool_name
    return f"{operation.method} {operation.path_template}"


def _inputs(step: InteractionStep) -> Iterator[str]:
    for bound in bound_keys(step):
        yield f"{bound.channel}.{bound.key} = {_bound_value(bound.value)}"
    body = raw_body(step.input_binding)
    if body is not None:
        yield f"body = raw {body.content_type}"


def _bound_value(value: object) -> str:
    if isinstance(value, LiteralBinding):
        return json.dumps(value.literal, ensure_ascii=False)
    if isinstance(value, MatcherBinding):
        return f"<{value.matcher}>"
    if isinstance(value, CapturedBinding):
        return f"<from {value.captured}>"
    return f"<principal {getattr(value, 'principal', '')}>"

"""The request of a leg: the operation's own address and the leg's inputs, copied without conversion.

spec: 07 §3.5
"""

from __future__ import annotations

from evalnb.engine.artifacts import (
    AbsentBody,
    ApiProbeRequest,
    ApiWitnessInputs,
    CliProbeRequest,
    CommandOperation,
    CommandWitnessInputs,
    McpOperation,
    McpProbeRequest,
    McpWitnessInputs,
    Operation,
    ProbeRequest,
    WitnessInputs,
)
from evalnb.engine.artifacts.port_messages import ApiChannels, CliChannels, McpChannels
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.operations import INPUT_CHANNELS_BY_KIND, AnyOperation, operation_kind, witness_inputs_kind


def build_request(leg_id: str, interface_id: str, operation: AnyOperation, inputs: WitnessInputs) -> ProbeRequest:
    """The port message of one leg.

    It is not validated here: the port boundary does that before anything is sent. Raises StructuralFailure
    `undeclared-mandatory-input` for inputs of another kind than the operation.
    """
    # The kinds of operation and inputs are matched together, so that a request never mixes them.
    match operation, inputs:
        case McpOperation(), McpWitnessInputs():
            return McpProbeRequest.model_construct(
                probe_id=leg_id,
                interface_id=interface_id,
                operation_id=operation.operation_id,
                kind="mcp",
                tool_name=operation.tool_name,
                channels=McpChannels.model_construct(arguments=inputs.arguments),
            )
        case CommandOperation(), CommandWitnessInputs():
            return CliProbeRequest.model_construct(
                probe_id=leg_id,
                interface_id=interface_id,
                operation_id=operation.operation_id,
                kind="cli",
                executable=operation.invocation.executable,
                subcommand_path=operation.invocation.subcommand_path,
                channels=CliChannels.model_construct(
                    argument=inputs.argument,
                    option=inputs.option,
                    environment=inputs.environment,
                    stdin=inputs.stdin,
                ),
            )
        case Operation(), ApiWitnessInputs():
            return ApiProbeRequest.model_construct(
                probe_id=leg_id,
                interface_id=interface_id,
                operation_id=operation.operation_id,
                kind="api",
                method=operation.method,
                path_template=operation.path_template,
                channels=ApiChannels.model_construct(
                    path=inputs.path, query=inputs.query, header=inputs.header, body=inputs.body
                ),
            )
    raise _wrong_channels(leg_id, interface_id, operation, inputs)


def empty_inputs(operation: AnyOperation) -> WitnessInputs:
    """Inputs of the operation's kind that carry nothing."""
    match operation:
        case McpOperation():
            return McpWitnessInputs(arguments={})
        case CommandOperation():
            return CommandWitnessInputs(argument={}, option={}, environment={}, stdin=AbsentBody(kind="absent"))
        case Operation():
            return ApiWitnessInputs(path={}, query={}, header={}, body=AbsentBody(kind="absent"))


def _wrong_channels(
    leg_id: str, interface_id: str, operation: AnyOperation, inputs: WitnessInputs
) -> StructuralFailure:
    accepted = ", ".join(INPUT_CHANNELS_BY_KIND[operation_kind(operation)])
    supplied = ", ".join(INPUT_CHANNELS_BY_KIND[witness_inputs_kind(inputs)])
    return StructuralFailure(
        "undeclared-mandatory-input",
        f"EvalContract.permittedInterfaces[logicalId={interface_id}].operations[operationId={operation.operation_id}]",
        f'leg "{leg_id}" supplies the channels {supplied} where operation "{operation.operation_id}" '
        f"accepts {accepted}",
    )

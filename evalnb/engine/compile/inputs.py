"""Inputs must be declared: what a plan step binds, and what a witness leg or the fixture reset supplies.

spec: 04 §5 C15, C16; §6.1
"""

from __future__ import annotations

from evalnb.engine.artifacts import PrincipalBinding, WitnessInputs
from evalnb.engine.compile.subject import Subject, binding_path
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.json_values import own_keys
from evalnb.engine.operations import (
    AnyOperation,
    OperationKind,
    bound_channels,
    channel_shape,
    channel_shapes,
    declares_key,
    declares_no_request_keys,
    operation_kind,
    witness_inputs_kind,
)

CHANNELS_NAMED: dict[OperationKind, str] = {"api": "transport", "cli": "command", "mcp": "tool-call"}


def check_declared_inputs(subject: Subject) -> None:
    """C15. Refuses a bound key, or a principal, that is not declared (`undeclared-mandatory-input`)."""
    principals = subject.contract.test_data.principals or {}
    for step in subject.contract.interaction_plan:
        declared = subject.index.operation_of(step)
        if declared is None:
            continue
        operation = declared.operation
        for bound in bound_channels(step):
            channel, values = bound.channel, dict(bound.keys or {})
            shape = channel_shape(operation, channel)
            for key in own_keys(values):
                value = values[key]
                if not declares_key(shape, key):
                    detail = (
                        f'operation "{operation.operation_id}" declares "{key}" in neither requiredKeys nor'
                        " permittedKeys of"
                        f" its {channel} channel"
                    )
                elif isinstance(value, PrincipalBinding) and value.principal not in principals:
                    detail = f'binds the principal "{value.principal}", which testData.principals does not declare'
                else:
                    continue
                raise StructuralFailure("undeclared-mandatory-input", binding_path(step, channel, key), detail)


def check_witness_declared(subject: Subject) -> None:
    """C16. Refuses request keys without a witness, and a leg that does not fit them (`undeclared-mandatory-input`)."""
    for operation, path in subject.operations():
        witness = operation.sensitivity_witness
        if witness is None:
            if not declares_no_request_keys(operation):
                raise StructuralFailure(
                    "undeclared-mandatory-input",
                    path,
                    f'operation "{operation.operation_id}" declares request keys and no sensitivity witness, so'
                    " nothing shows"
                    " that its answers depend on them; declare two legs that differ",
                )
            continue
        for n, leg in enumerate(witness.legs):
            check_inputs_fit(leg.inputs, operation, f'leg "{leg.leg_id}"', f"{path}.sensitivityWitness.legs[{n}]")


def check_inputs_fit(inputs: WitnessInputs, operation: AnyOperation, owner: str, path: str) -> None:
    """Refuses inputs of another kind, without a required key or with an undeclared one (`undeclared-mandatory-input`).

    `owner` names who supplies the inputs, in the detail. spec: 04 §6.1
    """
    reason = _unfit(inputs, operation)
    if reason is not None:
        raise StructuralFailure("undeclared-mandatory-input", path, f"{owner} {reason}")


def _unfit(inputs: WitnessInputs, operation: AnyOperation) -> str | None:
    supplied, accepted = witness_inputs_kind(inputs), operation_kind(operation)
    named = operation.operation_id
    if supplied != accepted:
        return (
            f'supplies {CHANNELS_NAMED[supplied]} channels to operation "{named}", which accepts'
            f" {CHANNELS_NAMED[accepted]} channels"
        )
    for channel, shape in channel_shapes(operation):
        value = getattr(inputs, channel)
        form = getattr(value, "kind", None)
        if form == "raw":
            continue
        if form == "text":
            count = len(shape.required_keys)
            if count != 1:
                ambiguity = (
                    f"{count} required keys there, so nothing says which the text fills"
                    if count
                    else "no required key there, so the text fills nothing"
                )
                return f'supplies text on {channel} to operation "{named}", which declares {ambiguity}'
            continue
        keys = _supplied_keys(value)
        missing = next((key for key in shape.required_keys if key not in keys), None)
        if missing is not None:
            return f'omits "{missing}" from {channel}, where operation "{named}" requires it'
        extra = next((key for key in keys if not declares_key(shape, key)), None)
        if extra is not None:
            return (
                f'supplies "{extra}" on {channel}, which operation "{named}" declares in neither requiredKeys nor'
                " permittedKeys"
            )
    return None


def _supplied_keys(value: object) -> list[str]:
    """The keys a channel's value supplies, in property order; a tagged body supplies those of its JSON object."""
    content = value if isinstance(value, dict) else getattr(value, "value", None)
    return own_keys(content) if isinstance(content, dict) else []

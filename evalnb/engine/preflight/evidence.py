"""A leg's answer in the shape of a recorded observation, so that witness relations resolve as checks do.

spec: 07 §6
"""

from __future__ import annotations

from typing import Any

from evalnb.engine.artifacts import (
    AbsentBody,
    ApiWitnessInputs,
    CommandWitnessInputs,
    McpWitnessInputs,
    Observation,
    ObservedCallInputs,
    ProbeObservation,
    ProbeObservedBody,
    ProbeRequestBody,
    ProbeRequestStdin,
    WitnessInputs,
)
from evalnb.engine.json_values import Json
from evalnb.engine.operations import AnyOperation, described_artifact, described_channel
from evalnb.engine.preflight.project import ProjectedObservation


def leg_evidence(
    observation: ProbeObservation,
    projection: ProjectedObservation,
    operation: AnyOperation,
    inputs: WitnessInputs,
) -> Observation:
    """The synthetic observation of one leg; its body is the projected one, without volatile fields."""
    is_command = observation.kind == "cli"
    channel, artifact_id = described_channel(operation), described_artifact(operation)
    absent = AbsentBody(kind="absent")
    # Built without validation: everything in it was parsed before, only the digest judges the body's values.
    return Observation.model_construct(
        observation_id=projection.leg_id,
        sequence=1,
        interface_id=projection.interface_id,
        operation_id=projection.operation_id,
        provenance="baseline",
        principal=None,
        call_inputs=_call_inputs(inputs),
        response_body=None if is_command else _plain_value(projection.body),
        response_headers=dict(observation.headers) if observation.kind == "api" else None,
        response_status=_response_status(observation),
        stdout=projection.body if channel == "stdout" else absent,
        stderr=projection.body if channel == "stderr" else absent,
        exit_code=projection.exit_code,
        artifacts={} if artifact_id is None else {artifact_id: projection.body},
    )


def _plain_value(body: ProbeObservedBody) -> Json:
    return None if body.kind == "absent" else body.value


def _response_status(observation: ProbeObservation) -> int | None:
    if observation.kind == "api":
        return observation.status
    if observation.kind == "mcp":
        return 1 if observation.is_error else 0
    return None


def _call_inputs(inputs: WitnessInputs) -> ObservedCallInputs:
    sent: dict[str, Any] = dict.fromkeys(ObservedCallInputs.model_fields)
    match inputs:
        case ApiWitnessInputs():
            sent |= {"path": inputs.path, "query": inputs.query, "header": inputs.header}
            sent["body"] = _object_only(inputs.body)
        case CommandWitnessInputs():
            sent |= {"argument": inputs.argument, "option": inputs.option, "environment": inputs.environment}
            sent["stdin"] = _object_only(inputs.stdin)
        case McpWitnessInputs():
            sent["arguments"] = inputs.arguments
    return ObservedCallInputs.model_construct(**sent)


def _object_only(body: ProbeRequestBody | ProbeRequestStdin) -> dict[str, Any] | None:
    # Raw bytes and text have no keys that a pointer could reach, so they read as nothing (07, open question 7).
    return body.value if body.kind == "json" and isinstance(body.value, dict) else None

"""The part of an observation that counts as fixture state: identifiers, transport result, pruned described body.

Headers and whatever the operation's descriptor does not describe are left out. spec: 07 §5.1
"""

from __future__ import annotations

from dataclasses import dataclass

from evalnb.engine.artifacts import (
    AbsentBody,
    CliProbeObservation,
    ProbeObservation,
    ProbeObservedBody,
)
from evalnb.engine.json_values import Json
from evalnb.engine.operations import AnyOperation, described_artifact, described_channel
from evalnb.engine.preflight.prune import prune_body
from evalnb.engine.preflight.wire import wire_document


@dataclass(frozen=True, slots=True)
class ProjectedObservation:
    """An observation as the reducer and the fixture digest see it."""

    leg_id: str
    interface_id: str
    operation_id: str
    status: int | None
    exit_code: int | None
    tool_error: bool | None
    body: ProbeObservedBody

    def transport(self) -> dict[str, Json]:
        """Which operation answered and how its transport ended, under the published field names."""
        return {
            "interfaceId": self.interface_id,
            "operationId": self.operation_id,
            "status": self.status,
            "exitCode": self.exit_code,
            "toolError": self.tool_error,
        }

    def document(self) -> dict[str, Json]:
        """All seven fields under the published names: one member of the fixture digest."""
        return {"legId": self.leg_id, **self.transport(), "body": wire_document(self.body)}


def project(observation: ProbeObservation, operation: AnyOperation) -> ProjectedObservation:
    """Project an observation of `operation`. The kinds of the two are known to agree."""
    status: int | None = None
    exit_code: int | None = None
    tool_error: bool | None = None
    if observation.kind == "api":
        status, body = observation.status, observation.body
    elif observation.kind == "cli":
        exit_code, body = observation.exit_code, _described_output(observation, operation)
    else:
        exit_code, tool_error, body = observation.exit_code, observation.is_error, observation.result
    return ProjectedObservation(
        leg_id=observation.probe_id,
        interface_id=observation.interface_id,
        operation_id=observation.operation_id,
        status=status,
        exit_code=exit_code,
        tool_error=tool_error,
        body=prune_body(body, operation.volatile_pointers),
    )


def _described_output(observation: CliProbeObservation, operation: AnyOperation) -> ProbeObservedBody:
    artifact_id = described_artifact(operation)
    if artifact_id is not None:
        return observation.artifacts.get(artifact_id, AbsentBody(kind="absent"))
    return observation.stderr if described_channel(operation) == "stderr" else observation.stdout

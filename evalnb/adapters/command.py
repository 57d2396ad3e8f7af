"""The command-line adapter: a probe of a `cli` interface becomes one process, its end one observation.

Nothing runs that the target policy does not name, nothing of this host's environment reaches it but PATH. spec: 10 §7
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evalnb.adapters.budget import artifact_fault
from evalnb.adapters.command_arguments import argument_vector, stdin_text
from evalnb.adapters.command_policy import command_connection
from evalnb.adapters.command_run import (
    COMMAND_REQUEST,
    CommandMechanism,
    CommandResult,
    CommandRun,
    LocalProcesses,
)
from evalnb.adapters.policies.decisions import CommandTarget, Denied, evaluate_command_target, evaluate_environment
from evalnb.adapters.policies.secrets import SecretMask
from evalnb.adapters.port_boundary import PortMethod, run_port_method
from evalnb.adapters.process_connection import KnownSecrets, known_secrets
from evalnb.adapters.wire_text import observed_body
from evalnb.engine.artifacts.port_messages import CliProbeRequest, ProbeObservation, ProbeRequest
from evalnb.engine.artifacts.target_policies import CommandTargetAuthorization, CommandTargetPolicy
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json
from evalnb.engine.port_seam import AbortSignal
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY

_ABSENT: Final[dict[str, Json]] = {"kind": "absent"}


class CommandLineAdapter:
    """An environment probe for `cli` requests under a command target policy, which is taken as given.

    `policy` is the chapter's own or a `CommandPolicy`. `mechanism` starts processes and reads files, `environment`
    holds the secrets; both are replaceable for tests.
    """

    def __init__(
        self,
        policy: CommandTargetPolicy,
        mechanism: CommandMechanism | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        principal: str | None = None,
    ) -> None:
        self._policy = policy
        self._mechanism = mechanism or LocalProcesses()
        self._environment = environment
        self._principal = principal
        self._method = PortMethod(boundary=PROBE_BOUNDARY, call=self._call, assemble=_assemble)

    def acting_as(self, principal: str) -> CommandLineAdapter:
        """This adapter giving its commands the secrets of `principal`."""
        return CommandLineAdapter(self._policy, self._mechanism, environment=self._environment, principal=principal)

    async def probe(self, request: object, signal: AbortSignal) -> ProbeObservation:
        """Run the command once and observe its end, its streams and its artifacts; raises `RuntimeFault`."""
        return await run_port_method(self._method, request, signal)

    async def _call(self, request: ProbeRequest, signal: AbortSignal) -> _Observed:
        if not isinstance(request, CliProbeRequest):
            raise RuntimeFault(
                "forbidden-target",
                PROBE_BOUNDARY.request_path,
                f'a request of kind "{request.kind}" reached the adapter for commands',
                reason="interface-not-authorized",
            )
        authorization = self._authorize(request)
        secrets = known_secrets(
            command_connection(self._policy, request.interface_id), self._principal, self._environment
        )
        try:
            return await self._observe(request, authorization, secrets, signal)
        except RuntimeFault as raised:
            fault = secrets.mask.fault(raised)
        # Raised out here: a fault that keeps the original as its context would keep its secrets.
        raise fault

    async def _observe(
        self,
        request: CliProbeRequest,
        authorization: CommandTargetAuthorization,
        secrets: KnownSecrets,
        signal: AbortSignal,
    ) -> _Observed:
        mask = secrets.mask
        result = await self._run(_prepared(request, authorization, secrets.values), signal)
        artifacts = {
            name: await self._artifact(os.path.join(authorization.cwd, path), authorization.max_output_bytes, mask)
            for name, path in authorization.artifacts.items()
        }
        return _Observed(result.exit_code, _body(result.stdout, mask), _body(result.stderr, mask), artifacts)

    def _authorize(self, request: CliProbeRequest) -> CommandTargetAuthorization:
        decision = evaluate_command_target(
            self._policy, CommandTarget(request.interface_id, request.executable, request.subcommand_path)
        )
        if isinstance(decision, Denied):
            raise decision.fault()
        denied = evaluate_environment(decision.authorization.permitted_environment_keys, request.channels.environment)
        if denied is not None:
            raise denied.fault()
        return decision.authorization

    async def _run(self, run: CommandRun, signal: AbortSignal) -> CommandResult:
        try:
            return await self._mechanism.run(run, signal)
        except OSError as error:
            if error.errno != errno.E2BIG:
                raise
            raise RuntimeFault(
                "port-failure",
                PROBE_BOUNDARY.response_path,
                "the arguments and the environment are larger than the system lets a program start with",
                error,
                port_failure_reason="launch-too-large",
            ) from error

    async def _artifact(self, path: str, max_bytes: int, mask: SecretMask) -> dict[str, Json]:
        reading = await self._mechanism.read_artifact(path, max_bytes)
        if not reading.present:
            return _ABSENT
        if reading.truncated:
            raise artifact_fault(COMMAND_REQUEST, path, max_bytes)
        return _body(reading.text, mask)


@dataclass(frozen=True, slots=True)
class _Observed:
    """What one invocation showed: its exit code and the bodies of its outputs."""

    exit_code: int
    stdout: dict[str, Json]
    stderr: dict[str, Json]
    artifacts: dict[str, dict[str, Json]]


def _prepared(
    request: CliProbeRequest, authorization: CommandTargetAuthorization, secrets: Mapping[str, str]
) -> CommandRun:
    host_path = os.environ.get("PATH")
    return CommandRun(
        argv=argument_vector(authorization.target, request.subcommand_path, request.channels),
        environment={
            **({} if host_path is None else {"PATH": host_path}),
            **request.channels.environment,
            **secrets,
        },
        cwd=authorization.cwd,
        stdin=stdin_text(request.channels),
        max_elapsed_ms=authorization.max_elapsed_ms,
        max_output_bytes=authorization.max_output_bytes,
    )


def _body(text: str, mask: SecretMask) -> dict[str, Json]:
    body: dict[str, Json] = mask.json(observed_body(text))
    return body


def _assemble(request: ProbeRequest, observed: _Observed) -> dict[str, Json]:
    return {
        "kind": request.kind,
        "probeId": request.probe_id,
        "interfaceId": request.interface_id,
        "operationId": request.operation_id,
        "exitCode": observed.exit_code,
        "stdout": observed.stdout,
        "stderr": observed.stderr,
        "artifacts": dict(observed.artifacts),
    }

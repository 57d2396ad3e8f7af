"""The MCP adapter: a probe of an `mcp` interface becomes one tool call, its answer one observation.

Nothing starts that the target policy does not name, nothing of this host's environment reaches it but PATH.
spec: 10 §8
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from evalnb.adapters.mcp_discovery import ServerListing
from evalnb.adapters.mcp_policy import (
    McpConnection,
    McpHttpConnection,
    ResultReading,
    mcp_connection,
    mcp_http_server,
)
from evalnb.adapters.mcp_results import SchemaCheck, ToolAnswer
from evalnb.adapters.mcp_servers import LocalServers, McpMechanism, Server, ToolCall, describe
from evalnb.adapters.mcp_wire import ServerAddress, ServerLaunch
from evalnb.adapters.policies.decisions import Allowed, Denied, McpTarget, evaluate_mcp_target
from evalnb.adapters.policies.secrets import SecretMask
from evalnb.adapters.port_boundary import PortMethod, run_port_method
from evalnb.adapters.process_connection import KnownSecrets, known_secrets
from evalnb.engine.artifacts.port_messages import McpProbeRequest, ProbeObservation, ProbeRequest
from evalnb.engine.artifacts.target_policies import McpTargetAuthorization, McpTargetPolicy, ProbeTargetPolicy
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json, quote
from evalnb.engine.port_seam import AbortSignal
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY

if TYPE_CHECKING:
    from evalnb.adapters.http_target import Resolver


@dataclass(frozen=True, slots=True)
class ToolCallReport:
    """Where the observation of a tool call comes from, for a record that keeps it.

    `reading` is what the result was read from, `content_kinds` the types of all content blocks, `note` why the
    result is not all of what the policy asked for. `output_schema` says how the structured content compares with
    the schema that the tool publishes, `schema_issues` where it differs.
    """

    probe_id: str
    interface_id: str
    operation_id: str
    tool_name: str
    reading: ResultReading
    content_kinds: tuple[str, ...]
    note: str | None
    output_schema: SchemaCheck
    schema_issues: tuple[str, ...]


class McpAdapter:
    """An environment probe for `mcp` requests under a tool-server target policy, which is taken as given.

    `policy` is the chapter's own or an `McpPolicy`; `http_policy` decides where its servers over HTTP may be reached.
    `mechanism` makes the calls, `resolve` gives the addresses of a name and `environment` holds the secrets; each is
    replaceable for tests. `on_call` gets a report of every observed call; only where somebody listens are
    output schemas asked for. Close the adapter after a run, which ends the sessions that the run kept.
    """

    def __init__(
        self,
        policy: McpTargetPolicy,
        mechanism: McpMechanism | None = None,
        *,
        http_policy: ProbeTargetPolicy | None = None,
        resolve: Resolver | None = None,
        environment: Mapping[str, str] | None = None,
        principal: str | None = None,
        on_call: Callable[[ToolCallReport], None] | None = None,
    ) -> None:
        self._policy = policy
        self._mechanism = mechanism or LocalServers()
        self._http_policy = http_policy or ProbeTargetPolicy(authorizations=())
        self._resolve = resolve
        self._environment = environment
        self._principal = principal
        self._on_call = on_call
        self._method = PortMethod(boundary=PROBE_BOUNDARY, call=self._call, assemble=_assemble)

    def acting_as(self, principal: str) -> McpAdapter:
        """This adapter with the secrets of `principal`; a session kept for a run is another one for each principal."""
        return McpAdapter(
            self._policy,
            self._mechanism,
            http_policy=self._http_policy,
            resolve=self._resolve,
            environment=self._environment,
            principal=principal,
            on_call=self._on_call,
        )

    async def probe(self, request: object, signal: AbortSignal) -> ProbeObservation:
        """Call the tool once and observe its answer; raises `RuntimeFault`."""
        return await run_port_method(self._method, request, signal)

    async def describe(self, interface_id: str, tool_name: str) -> ServerListing:
        """What the server behind an interface says of itself, where it may be asked for `tool_name`.

        Raises RuntimeFault `forbidden-target`, `port-failure` or `budget-exhausted`.
        """
        authorized = self._authorize(McpTarget(interface_id, tool_name))
        secrets = known_secrets(mcp_connection(self._policy, interface_id), self._principal, self._environment)
        try:
            return await describe(self._server(interface_id, authorized, secrets))
        except RuntimeFault as raised:
            fault = secrets.mask.fault(raised)
        raise fault

    async def aclose(self) -> None:
        """End every session that is still open, and its server."""
        await self._mechanism.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _call(self, request: ProbeRequest, signal: AbortSignal) -> _Observed:
        if not isinstance(request, McpProbeRequest):
            raise Denied(
                "interface-not-authorized", f'a request of kind "{request.kind}" reached the adapter for tool servers'
            ).fault()
        authorized = self._authorize(McpTarget(request.interface_id, request.tool_name))
        connection = mcp_connection(self._policy, request.interface_id)
        secrets = known_secrets(connection, self._principal, self._environment)
        call = self._prepared(request, connection, self._server(request.interface_id, authorized, secrets))
        try:
            answer = await self._mechanism.call_tool(call, signal)
        except RuntimeFault as raised:
            fault = secrets.mask.fault(raised)
        else:
            self._report(request, answer, secrets.mask)
            return _Observed(answer.is_error, secrets.mask.json(answer.body), answer.exit_code)
        # Raised out here: a fault that keeps the original as its context would keep its secrets.
        raise fault

    def _authorize(self, target: McpTarget) -> McpTargetAuthorization | McpHttpConnection:
        """The server that may be asked for this tool; raises the fault of the denial otherwise."""
        decision = evaluate_mcp_target(self._policy, target)
        if isinstance(decision, Allowed):
            return decision.authorization
        reached = mcp_http_server(self._policy, target.interface_id)
        if reached is None or decision.reason != "interface-not-authorized":
            raise decision.fault()
        if target.tool_name not in reached.tools:
            detail = f"the tool {quote(target.tool_name)} of {quote(target.interface_id)} is not permitted"
            raise Denied("tool-not-authorized", detail).fault()
        return reached

    def _server(
        self, interface_id: str, authorized: McpTargetAuthorization | McpHttpConnection, secrets: KnownSecrets
    ) -> Server:
        if isinstance(authorized, McpTargetAuthorization):
            return _launch(authorized, secrets)
        return ServerAddress(
            interface_id=interface_id,
            url=authorized.url,
            headers={**(authorized.headers or {}), **secrets.values},
            ca_file=authorized.ca_file,
            policy=self._http_policy,
            resolve=self._resolve,
        )

    def _prepared(self, request: McpProbeRequest, connection: McpConnection, server: Server) -> ToolCall:
        return ToolCall(
            interface_id=request.interface_id,
            server=server,
            session=connection.session or "per-call",
            tool_name=request.tool_name,
            arguments=request.channels.arguments,
            reading=connection.reading_of(request.tool_name),
            checks_schema=self._on_call is not None,
        )

    def _report(self, request: McpProbeRequest, answer: ToolAnswer, mask: SecretMask) -> None:
        if self._on_call is None:
            return
        self._on_call(
            ToolCallReport(
                probe_id=request.probe_id,
                interface_id=request.interface_id,
                operation_id=request.operation_id,
                tool_name=request.tool_name,
                reading=answer.reading,
                content_kinds=tuple(map(mask.text, answer.content_kinds)),
                note=None if answer.note is None else mask.text(answer.note),
                output_schema=answer.output_schema,
                schema_issues=tuple(map(mask.text, answer.schema_issues)),
            )
        )


@dataclass(frozen=True, slots=True)
class _Observed:
    """What one call showed."""

    is_error: bool
    result: dict[str, Json]
    exit_code: int | None


def _launch(authorization: McpTargetAuthorization, secrets: KnownSecrets) -> ServerLaunch:
    host_path = os.environ.get("PATH")
    return ServerLaunch(
        argv=(authorization.target, *authorization.target_args),
        environment={
            **({} if host_path is None else {"PATH": host_path}),
            **authorization.server_environment,
            **secrets.values,
        },
        cwd=authorization.cwd,
        max_elapsed_ms=authorization.max_elapsed_ms,
        max_output_bytes=authorization.max_output_bytes,
    )


def _assemble(request: ProbeRequest, observed: _Observed) -> dict[str, Json]:
    observation: dict[str, Json] = {
        "kind": request.kind,
        "probeId": request.probe_id,
        "interfaceId": request.interface_id,
        "operationId": request.operation_id,
        "isError": observed.is_error,
        "result": observed.result,
    }
    if observed.exit_code is not None:
        observation["exitCode"] = observed.exit_code
    return observation

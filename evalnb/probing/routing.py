"""One environment probe over all adapters: a request goes to the adapter of its kind, under the targets of its leg.

An adapter is loaded with the first request of its kind, so a run over commands never loads the MCP SDK.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from evalnb.adapters.command_policy import CommandPolicy
from evalnb.adapters.mcp_policy import McpPolicy
from evalnb.adapters.targets import TargetsFile
from evalnb.engine.artifacts.port_messages import ProbeObservation, ProbeRequest
from evalnb.engine.port_seam import AbortSignal
from evalnb.probing.live_targets import FaultLegs, LiveTargets, TargetKind

if TYPE_CHECKING:
    from evalnb.adapters.mcp import McpAdapter, ToolCallReport


class Adapter(Protocol):
    """What the three adapters have in common."""

    async def probe(self, request: object, signal: AbortSignal) -> ProbeObservation:
        """Carry out one request."""
        ...


class LiveProbePort:
    """An environment probe for every kind of interface. Close it after the run: sessions kept for a run end then.

    `fault_legs` says whose probe a leg is, for overrides that name probes; `environment` holds the secrets, this
    process's own when None. `tool_reports` grows with every answered tool call.
    """

    def __init__(
        self,
        targets: LiveTargets,
        fault_legs: FaultLegs | None = None,
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._targets = targets
        self._fault_legs = fault_legs or FaultLegs()
        self._environment = environment
        self._adapters: dict[tuple[int | None, TargetKind], Adapter] = {}
        self._tool_servers: list[McpAdapter] = []
        self.tool_reports: list[ToolCallReport] = []

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> ProbeObservation:
        """Hand one request to its adapter; raises `RuntimeFault` as the adapter does."""
        kind = request.kind
        probe_id = self._fault_legs.probe_of_leg.get(request.probe_id)
        place = self._targets.route(kind, request.probe_id, probe_id)
        adapter = self._adapters.get((place, kind))
        if adapter is None:
            adapter = self._adapters[place, kind] = self._load(kind, self._targets.at(place))
        return await adapter.probe(request, signal)

    async def aclose(self) -> None:
        """End every session that was kept for the run."""
        for server in self._tool_servers:
            await server.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _load(self, kind: TargetKind, targets: TargetsFile) -> Any:
        if kind == "api":
            from evalnb.adapters.http_probe import HttpAdapter

            return HttpAdapter(targets.http_policy, environment=self._environment)
        if kind == "cli":
            from evalnb.adapters.command import CommandLineAdapter

            return CommandLineAdapter(_at_home(targets.command_policy), environment=self._environment)
        from evalnb.adapters.mcp import McpAdapter

        server = McpAdapter(
            _at_home(targets.mcp_policy), environment=self._environment, on_call=self.tool_reports.append
        )
        self._tool_servers.append(server)
        return server


Policy = TypeVar("Policy", CommandPolicy, McpPolicy)


def _at_home(policy: Policy) -> Policy:
    """The policy with working directories as this process sees them, whatever its adapter starts targets from."""
    authorizations = tuple(
        entry.model_copy(update={"cwd": os.path.abspath(entry.cwd)}) for entry in policy.authorizations
    )
    return policy.model_copy(update={"authorizations": authorizations})

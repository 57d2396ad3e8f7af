"""One port over all adapters that can act in the name of a principal; the sessions it keeps end with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evalnb.adapters.targets import TargetsFile
from evalnb.engine.artifacts import ProbeObservation, ProbeRequest
from evalnb.engine.port_seam import AbortSignal

if TYPE_CHECKING:
    from evalnb.adapters.mcp import McpAdapter
    from evalnb.adapters.mcp_discovery import ServerListing


class AdapterPort:
    """The adapters of one system. `acting_as` gives a view of the same sessions for a principal."""

    def __init__(self, targets: TargetsFile, environment: Mapping[str, str] | None = None) -> None:
        self._targets = targets
        self._environment = environment
        self._adapters: dict[str, Any] = {}
        self._servers: list[McpAdapter] = []
        self._principals: dict[str, _PrincipalPort] = {}

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> ProbeObservation:
        """Hand one request to the adapter of its kind; raises `RuntimeFault` as the adapter does."""
        answer: ProbeObservation = await self.adapter(request.kind).probe(request, signal)
        return answer

    def acting_as(self, principal: str) -> _PrincipalPort:
        """The same system in the name of `principal`; the policy holds the credentials."""
        return self._principals.setdefault(principal, _PrincipalPort(self, principal))

    def adapter(self, kind: str) -> Any:
        """The adapter of one kind of interface, loaded with its first request."""
        if kind not in self._adapters:
            self._adapters[kind] = self._load(kind)
        return self._adapters[kind]

    async def describe(self, interface_id: str, tool_name: str) -> ServerListing:
        """What the tool server behind an interface says of itself. Raises RuntimeFault."""
        listing: ServerListing = await self.adapter("mcp").describe(interface_id, tool_name)
        return listing

    async def aclose(self) -> None:
        """End every session and the servers behind them."""
        for server in self._servers:
            await server.aclose()

    def _load(self, kind: str) -> Any:
        if kind == "api":
            from evalnb.adapters.http_probe import HttpAdapter

            return HttpAdapter(self._targets.http_policy, environment=self._environment)
        if kind == "cli":
            from evalnb.adapters.command import CommandLineAdapter

            return CommandLineAdapter(self._targets.command_policy, environment=self._environment)
        from evalnb.adapters.mcp import McpAdapter

        server = McpAdapter(
            self._targets.mcp_policy, http_policy=self._targets.http_policy, environment=self._environment
        )
        self._servers.append(server)
        return server


class _PrincipalPort:
    """The port of one principal, over the adapters of the port it came from."""

    def __init__(self, origin: AdapterPort, principal: str) -> None:
        self._origin = origin
        self._principal = principal
        self._acting: dict[str, Any] = {}

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> ProbeObservation:
        """One call in the principal's name."""
        if request.kind not in self._acting:
            self._acting[request.kind] = self._origin.adapter(request.kind).acting_as(self._principal)
        answer: ProbeObservation = await self._acting[request.kind].probe(request, signal)
        return answer

    def acting_as(self, principal: str) -> _PrincipalPort:
        """The port of another principal."""
        return self._origin.acting_as(principal)

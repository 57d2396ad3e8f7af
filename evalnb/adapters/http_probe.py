"""The HTTP adapter: a probe of an `api` interface becomes one request, redirects included, and its answer.

Nothing is dialled that the target policy does not name, and no name is resolved twice. spec: 10 §1.2, §5.4
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar

import httpx2

from evalnb.adapters.http_answer import API_REQUEST, HttpAnswer, observed_answer
from evalnb.adapters.http_credentials import Credentials, read_credentials
from evalnb.adapters.http_exchange import DirectConnections, HttpExchange, HttpMechanism
from evalnb.adapters.http_policy import ApiConnection, api_connection
from evalnb.adapters.http_redirect import Hop, next_hop
from evalnb.adapters.http_request import joined, request_parts
from evalnb.adapters.http_target import AdmittedTarget, Origin, Resolver, admit, system_resolver
from evalnb.adapters.policies.decisions import Denied
from evalnb.adapters.port_boundary import PortMethod, run_port_method
from evalnb.engine.artifacts.port_messages import ApiProbeRequest, ProbeObservation, ProbeRequest
from evalnb.engine.artifacts.target_policies import LONGEST_TIMER_MS, ProbeTargetPolicy
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json, quote
from evalnb.engine.port_seam import AbortSignal
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY


class HttpAdapter:
    """An environment probe for `api` requests under an HTTP target policy, which is taken as given.

    `policy` is the chapter's own or an `HttpPolicy`. `mechanism` carries one exchange out, `resolve` gives the
    addresses of a name, `environment` holds the secrets (this process's when None); each is replaceable for tests.
    """

    def __init__(
        self,
        policy: ProbeTargetPolicy,
        mechanism: HttpMechanism | None = None,
        *,
        resolve: Resolver = system_resolver,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._policy = policy
        self._mechanism = mechanism or DirectConnections()
        self._resolve = resolve
        self._environment = environment
        self._principal: str | None = None
        self._cookies: dict[tuple[str, str | None], CookieJar] = {}
        self._trust: dict[str | None, ssl.SSLContext] = {}
        self._method = PortMethod(boundary=PROBE_BOUNDARY, call=self._call, assemble=_assemble)

    def acting_as(self, principal: str) -> HttpAdapter:
        """An adapter of the same policy that sends the credentials of `principal`."""
        other = HttpAdapter(self._policy, self._mechanism, resolve=self._resolve, environment=self._environment)
        other._principal = principal
        other._cookies, other._trust = self._cookies, self._trust
        return other

    async def probe(self, request: object, signal: AbortSignal) -> ProbeObservation:
        """Send one request and observe the answer, whatever its status; raises `RuntimeFault`."""
        return await run_port_method(self._method, request, signal)

    async def _call(self, request: ProbeRequest, signal: AbortSignal) -> dict[str, Json]:
        if not isinstance(request, ApiProbeRequest):
            detail = f'a request of kind "{request.kind}" reached the adapter for HTTP'
            raise Denied("interface-not-authorized", detail).fault()
        connection = api_connection(self._policy, request.interface_id)
        budget = _Budget(self._longest_budget(request.interface_id))
        try:
            async with asyncio.timeout_at(budget.deadline) as timer:
                base, target = await self._first_target(request, connection)
                budget.max_ms = target.authorization.max_elapsed_ms
                timer.reschedule(budget.deadline)
                credentials = read_credentials(connection, self._principal, self._environment)
                chain = _Chain(request, connection, credentials, self._jar(request.interface_id, connection))
                return await credentials.guarded(self._observe(chain, base, target))
        except TimeoutError:
            if not timer.expired():
                raise
        raise RuntimeFault("budget-exhausted", API_REQUEST, f"no answer within maxElapsedMs ({budget.max_ms} ms)")

    def _longest_budget(self, interface_id: str) -> int:
        """The time for finding out which authorization holds; its own budget counts from the same moment."""
        named = (entry for entry in self._policy.authorizations if entry.interface_id == interface_id)
        return max((entry.max_elapsed_ms for entry in named), default=LONGEST_TIMER_MS)

    async def _first_target(
        self, request: ApiProbeRequest, connection: ApiConnection
    ) -> tuple[httpx2.URL, AdmittedTarget]:
        named = (entry for entry in self._policy.authorizations if entry.interface_id == request.interface_id)
        first = next(named, None)
        if first is None:
            detail = f"no authorization names the interface {quote(request.interface_id)}"
            raise Denied("interface-not-authorized", detail).fault()
        base = _url(connection.base_url) if connection.base_url else Origin.of_authorization(first).url
        return base, await self._admit(request.interface_id, Origin.of_url(base), request.method)

    async def _admit(self, interface_id: str, origin: Origin, method: str) -> AdmittedTarget:
        return await admit(self._policy, interface_id, origin, method, self._resolve)

    async def _observe(self, chain: _Chain, base: httpx2.URL, target: AdmittedTarget) -> dict[str, Json]:
        """Send the first request and follow what it is redirected to, each target admitted before it is dialled."""
        parts = request_parts(chain.request)
        hop = Hop(parts.method, base.copy_with(raw_path=joined(base, parts.path_and_query)), parts.headers, parts.body)
        max_redirects = target.authorization.max_redirects
        followed = 0
        while True:
            answer = await self._send(chain, hop, target)
            following = next_hop(hop, answer) if chain.connection.redirects != "observe" else None
            if following is None:
                return observed_answer(answer)
            target = await self._admit(chain.request.interface_id, following.origin, following.method)
            if followed == max_redirects:
                detail = f"the answer redirects more often than maxRedirects ({max_redirects})"
                raise RuntimeFault("budget-exhausted", API_REQUEST, detail)
            hop, followed = following, followed + 1

    async def _send(self, chain: _Chain, hop: Hop, target: AdmittedTarget) -> HttpAnswer:
        limit = target.authorization.max_request_bytes
        if hop.body is not None and len(hop.body) > limit:
            detail = f"the request's body is larger than maxRequestBytes ({limit} bytes)"
            raise RuntimeFault("budget-exhausted", API_REQUEST, detail)
        policy_headers = chain.credentials.headers if hop.trusted else {}
        return await self._mechanism.exchange(
            HttpExchange(
                method=hop.method,
                url=hop.url,
                headers={**policy_headers, **hop.headers},
                body=hop.body,
                addresses=target.addresses,
                max_response_bytes=target.authorization.max_response_bytes,
                cookies=chain.cookies,
                trust=self._trusted(chain.connection.ca_file) if hop.url.scheme == "https" else None,
            )
        )

    def _jar(self, interface_id: str, connection: ApiConnection) -> CookieJar | None:
        if not connection.keep_cookies:
            return None
        return self._cookies.setdefault((interface_id, connection.acting(self._principal)), CookieJar())

    def _trusted(self, ca_file: str | None) -> ssl.SSLContext:
        if ca_file not in self._trust:
            self._trust[ca_file] = (
                ssl.create_default_context(cafile=ca_file) if ca_file else httpx2.create_ssl_context(trust_env=False)
            )
        return self._trust[ca_file]


def _url(text: str) -> httpx2.URL:
    try:
        return httpx2.URL(text)
    except httpx2.InvalidURL as error:
        raise Denied("host-not-authorized", f"the base URL {quote(text)} cannot be read").fault() from error


@dataclass(frozen=True, slots=True)
class _Chain:
    """What stays the same over the hops of one probe."""

    request: ApiProbeRequest
    connection: ApiConnection
    credentials: Credentials
    cookies: CookieJar | None


class _Budget:
    """The elapsed budget of one probe, counted from its start in the event loop's time."""

    def __init__(self, max_ms: int) -> None:
        self._start = asyncio.get_running_loop().time()
        self.max_ms = max_ms

    @property
    def deadline(self) -> float:
        return self._start + min(self.max_ms, LONGEST_TIMER_MS) / 1000


def _assemble(request: ProbeRequest, answer: dict[str, Json]) -> dict[str, Json]:
    return {
        "kind": "api",
        "probeId": request.probe_id,
        "interfaceId": request.interface_id,
        "operationId": request.operation_id,
        **answer,
    }

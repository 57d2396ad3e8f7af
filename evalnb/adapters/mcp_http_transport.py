"""What carries a session over HTTP: every request passes the target policy, every answer is counted and read along.

Nothing is raised into the SDK's own tasks, which would tear the session down around its caller: what goes wrong ends
the wire instead, and the SDK sees an empty answer. spec: 10 §1.2, §5.4
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final

import httpx2

from evalnb.adapters.budget import ByteCount
from evalnb.adapters.http_target import Origin, Resolver, admit
from evalnb.adapters.mcp_inbox import Inbox, MalformedLine
from evalnb.adapters.mcp_wire import MCP_REQUEST
from evalnb.adapters.sse_events import EventReader
from evalnb.adapters.wire_text import parse_json_text
from evalnb.engine.artifacts.target_policies import ProbeTargetPolicy
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY

_ENDED_EARLY: Final = 503
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class HttpBounds:
    """What a session may reach and how much it may carry, by the interface's HTTP authorizations."""

    interface_id: str
    policy: ProbeTargetPolicy
    resolve: Resolver
    max_request_bytes: int
    trust: ssl.SSLContext | None


class PolicedTransport(httpx2.AsyncBaseTransport):
    """Connects to validated addresses only; the name stays in the Host header and in TLS.

    `received` counts what the server sends, `finish` takes the fault that ends the wire.
    """

    def __init__(
        self, bounds: HttpBounds, inbox: Inbox, received: ByteCount, finish: Callable[[RuntimeFault], None]
    ) -> None:
        self._bounds = bounds
        self._inbox = inbox
        self._received = received
        self._finish = finish
        verify = True if bounds.trust is None else bounds.trust
        self._inner = httpx2.AsyncHTTPTransport(verify=verify, trust_env=False, retries=0)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request of the session; an answer without a body where that could not be done."""
        request_id = _request_id(request)
        try:
            response = await self._send(request)
        except Exception as error:  # noqa: BLE001 - raised here it would end the SDK's task group
            # The stream of the server's own messages is optional: a server, or a policy, may have none.
            if request.method == "POST":
                self._finish(_fault_of(error))
            return httpx2.Response(_ENDED_EARLY, request=request)
        if response.has_redirect_location and request.method == "POST":
            self._finish(_unusable("the server redirects; name the address it really has in the policy"))
        tap = _Tap(self._inbox, request_id, response)
        response.stream = _TappedStream(response.stream, tap, self)
        return response

    def admits(self, chunk: bytes) -> bool:
        """Count what the server sent; whether it is still within its bounds."""
        return self._received.admits(chunk)

    def fail(self, error: Exception) -> None:
        """End the wire for a body that could not be read to its end."""
        self._finish(_fault_of(error))

    async def aclose(self) -> None:
        """Close every connection."""
        await self._inner.aclose()

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        bounds = self._bounds
        if len(request.content) > bounds.max_request_bytes:
            raise RuntimeFault(
                "budget-exhausted", MCP_REQUEST, f"a request went past maxRequestBytes ({bounds.max_request_bytes})"
            )
        url = request.url
        name = url.raw_host.decode("ascii")
        origin = Origin(url.scheme, name, url.port or _DEFAULT_PORTS.get(url.scheme, 0))
        admitted = await admit(bounds.policy, bounds.interface_id, origin, request.method, bounds.resolve)
        failure: Exception = OSError("no address may be connected to")
        for address in admitted.addresses:
            pinned = httpx2.Request(
                request.method,
                url.copy_with(host=address),
                headers=request.headers,
                content=request.content,
                extensions={**request.extensions, "sni_hostname": name.rstrip(".")},
            )
            try:
                return await self._inner.handle_async_request(pinned)
            except httpx2.ConnectError as error:
                failure = error
        raise failure


class _Tap:
    """Reads an answer along: the messages in it, whatever the SDK makes of them."""

    def __init__(self, inbox: Inbox, request_id: int | float | str | None, response: httpx2.Response) -> None:
        self._inbox = inbox
        self._request_id = request_id
        self._refused = response.status_code >= 400
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self._events = EventReader() if kind == "text/event-stream" else None
        self._collects = kind == "application/json" and request_id is not None
        self._parts: list[bytes] = []

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the body, before the SDK does."""
        if self._events is not None:
            for data in self._events.feed(chunk):
                self._take(data)
        elif self._collects:
            self._parts.append(chunk)

    def finish(self) -> None:
        """Take the body as a whole."""
        if self._collects:
            self._take(b"".join(self._parts).decode("utf-8", "replace"))

    def _take(self, text: str) -> None:
        if self._refused:
            self._take_refusal(text)
            return
        try:
            self._inbox.take_line(text)
        except MalformedLine:
            return  # the SDK finds out as well, and ends the request

    def _take_refusal(self, text: str) -> None:
        """A refused request may be answered by an error that does not know its id."""
        try:
            message = parse_json_text(text)
        except (ValueError, RecursionError):
            return
        if isinstance(message, dict) and message.get("error") is not None:
            self._inbox.take_frame({**message, "id": self._request_id})


class _TappedStream(httpx2.AsyncByteStream):
    """A body that is counted and read along; it ends early where it cannot go on."""

    def __init__(self, inner: object, tap: _Tap, transport: PolicedTransport) -> None:
        assert isinstance(inner, httpx2.AsyncByteStream)
        self._inner = inner
        self._tap = tap
        self._transport = transport

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._inner:
                if not self._transport.admits(chunk):
                    return
                self._tap.feed(chunk)
                yield chunk
            self._tap.finish()
        except httpx2.HTTPError as error:
            self._transport.fail(error)

    async def aclose(self) -> None:
        """Give the connection back, or close it."""
        await self._inner.aclose()


def _request_id(request: httpx2.Request) -> int | float | str | None:
    """The JSON-RPC id that a POST carries; None for a notification, an answer, or anything else."""
    if request.method != "POST":
        return None
    try:
        message: Json = parse_json_text(request.content.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or "method" not in message:
        return None
    named = message.get("id")
    return named if isinstance(named, int | float | str) and not isinstance(named, bool) else None


def _fault_of(error: Exception) -> RuntimeFault:
    if isinstance(error, RuntimeFault):
        return error
    return _unusable(str(error) or type(error).__name__, error)


def _unusable(detail: str, cause: Exception | None = None) -> RuntimeFault:
    return RuntimeFault("port-failure", PROBE_BOUNDARY.response_path, detail, cause)

"""One HTTP exchange over a connection to an address that was validated, and to no other.

Host header, TLS name and certificate check keep the name; nothing is resolved here, no proxy and no other variable of
the environment is read. spec: 10 §1.2
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final, Protocol

import httpcore2
import httpx2

from evalnb.adapters.http_answer import ACCEPTED_ENCODINGS, BoundedBody, HttpAnswer
from evalnb.adapters.policies.secrets import SecretMask
from evalnb.version import __version__

_DEFAULT_HEADERS: Final = {
    "accept": "*/*",
    "accept-encoding": ACCEPTED_ENCODINGS,
    "user-agent": f"evalnb/{__version__}",
}
_LOGGERS: Final = ("httpx2", "httpcore2.connection", "httpcore2.http11", "httpcore2.proxy")


@dataclass(frozen=True, slots=True)
class HttpExchange:
    """One request and where it may go. `cookies` is None where none are kept; `trust` is used for https only."""

    method: str
    url: httpx2.URL
    headers: Mapping[str, str]
    body: bytes | None
    addresses: tuple[str, ...]
    max_response_bytes: int
    cookies: CookieJar | None
    trust: ssl.SSLContext | None


class HttpMechanism(Protocol):
    """What carries one exchange out; the adapter calls it once a hop."""

    async def exchange(self, exchange: HttpExchange) -> HttpAnswer:
        """The whole answer, whatever its status; RuntimeFault for a cap, any other error for a failed connection."""
        ...


class DirectConnections:
    """Opens a connection for each exchange and closes it afterwards."""

    async def exchange(self, exchange: HttpExchange) -> HttpAnswer:
        """Send one request and read its answer within the exchange's bounds."""
        transport = _PinnedTransport(exchange)
        cookies = exchange.cookies if exchange.cookies is not None else _no_cookies()
        client = httpx2.AsyncClient(
            transport=transport, trust_env=False, follow_redirects=False, timeout=None, cookies=cookies
        )
        async with client:
            request = client.build_request(
                exchange.method, exchange.url, headers={**_DEFAULT_HEADERS, **exchange.headers}, content=exchange.body
            )
            response = await client.send(request, stream=True)
            try:
                return await _read(response, exchange.max_response_bytes)
            finally:
                await response.aclose()


async def _read(response: httpx2.Response, limit: int) -> HttpAnswer:
    lines = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in response.headers.raw)
    encodings = ", ".join(value for name, value in lines if name == "content-encoding")
    body = BoundedBody(encodings, limit)
    async for chunk in response.aiter_raw():
        body.feed(chunk)
    return HttpAnswer(response.status_code, lines, body.finish())


def _no_cookies() -> CookieJar:
    return CookieJar(DefaultCookiePolicy(allowed_domains=[]))


class _PinnedBackend(httpcore2.AsyncNetworkBackend):
    """Dials the given addresses in order, whatever host it is asked for, until one accepts."""

    def __init__(self, addresses: tuple[str, ...]) -> None:
        self._addresses = addresses
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        failure: Exception = httpcore2.ConnectError("no address may be dialled")
        for address in self._addresses:
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except httpcore2.ConnectError as error:
                failure = error
        raise failure

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.AsyncNetworkStream:
        raise httpcore2.UnsupportedProtocol("only addresses are dialled")

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)


class _PinnedTransport(httpx2.AsyncBaseTransport):
    """An httpx2 transport whose connections are pinned to the addresses of one exchange."""

    def __init__(self, exchange: HttpExchange) -> None:
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=exchange.trust,
            max_connections=1,
            max_keepalive_connections=0,
            http1=True,
            http2=False,
            retries=0,
            network_backend=_PinnedBackend(exchange.addresses),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        # A name in TLS has no dot at its end, wherever it is written with one.
        extensions = {**request.extensions, "sni_hostname": request.url.raw_host.decode("ascii").rstrip(".")}
        answer = await self._pool.handle_async_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=extensions,
            )
        )
        return httpx2.Response(
            answer.status, headers=answer.headers, stream=_Stream(answer), extensions=answer.extensions
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, answer: httpcore2.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._answer.aiter_stream():
            yield chunk

    async def aclose(self) -> None:
        await self._answer.aclose()


_MASK: ContextVar[SecretMask | None] = ContextVar("evalnb_http_mask", default=None)


class _MaskingFilter(logging.Filter):
    """Masks, in what the HTTP libraries log, the secrets of the exchange they log it for."""

    def filter(self, record: logging.LogRecord) -> bool:
        mask = _MASK.get()
        if mask:
            record.msg, record.args = mask.text(record.getMessage()), ()
        return True


_FILTER: Final = _MaskingFilter()


@contextmanager
def masked_logs(mask: SecretMask) -> Iterator[None]:
    """Mask the secrets of `mask` in what is logged about the exchanges made inside."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_FILTER)  # adding it again changes nothing
    token = _MASK.set(mask)
    try:
        yield
    finally:
        _MASK.reset(token)

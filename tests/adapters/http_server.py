"""A server on loopback that answers raw bytes from a script and keeps what it was sent."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from evalnb.adapters.http_policy import HttpPolicy
from evalnb.adapters.http_probe import HttpAdapter
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController


@dataclass(frozen=True)
class Received:
    """One request as it came over the wire, header names in lower case."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def target(self) -> str:
        return self.line.split(" ")[1]

    @property
    def method(self) -> str:
        return self.line.split(" ")[0]


Answer = bytes | Callable[[Received, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class ScriptedServer(AbstractAsyncContextManager["ScriptedServer"]):
    """Answers by path (`*` for any other); `connections` counts every accepted connection."""

    answers: dict[str, Answer]
    host: str = "127.0.0.1"
    tls: ssl.SSLContext | None = None
    connections: int = 0
    received: list[Received] = field(default_factory=list)
    port: int = 0

    async def __aenter__(self) -> ScriptedServer:
        self._server = await asyncio.start_server(self._serve, self.host, self.port, ssl=self.tls)
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            line, *lines = head.split("\r\n")
            headers = {name.lower(): value for name, _, value in (text.partition(": ") for text in lines if text)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            received = Received(line, headers, body)
            self.received.append(received)
            answer = self.answers.get(received.target.partition("?")[0], self.answers.get("*", response()))
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(received, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


def response(status: int = 200, body: bytes = b"", *headers: str) -> bytes:
    """A whole answer; its length is stated unless a header says how the body is framed."""
    framed = any(header.lower().startswith(("content-length", "transfer-encoding")) for header in headers)
    lines = [f"HTTP/1.1 {status} Answer", *headers, *([] if framed else [f"Content-Length: {len(body)}"])]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def authorization(listening: int, /, **changes: Any) -> dict[str, Any]:
    """An authorization of the interface `orders` at orders.test, which is 127.0.0.1."""
    return {
        "interfaceId": "orders",
        "scheme": "http",
        "host": "orders.test",
        "port": listening,
        "addresses": ["127.0.0.1"],
        "methods": ["GET", "POST", "PUT", "HEAD", "DELETE"],
        "safeMethods": ["GET"],
        "maxRedirects": 0,
        "maxElapsedMs": 5000,
        "maxRequestBytes": 4096,
        "maxResponseBytes": 4096,
        **changes,
    }


def policy(*authorizations: dict[str, Any], **connection: Any) -> HttpPolicy:
    """A policy of these authorizations, and the connection of `orders` where one is given."""
    document: dict[str, Any] = {"authorizations": list(authorizations)}
    if connection:
        document["connections"] = {"orders": connection}
    parsed: HttpPolicy = validated(HttpPolicy, document)
    return parsed


def request(method: str = "GET", path: str = "/", /, **channels: Any) -> dict[str, Any]:
    """A probe request of the interface `orders`; channels that are not given are empty."""
    empty: dict[str, Any] = {"path": {}, "query": {}, "header": {}, "body": {"kind": "absent"}}
    return {
        "kind": "api",
        "probeId": "leg-one",
        "interfaceId": "orders",
        "operationId": "list-orders",
        "method": method,
        "pathTemplate": path,
        "channels": {**empty, **channels},
    }


class Names:
    """A resolver whose answers are scripted: a later look-up of a name may give another address."""

    def __init__(self, answers: dict[str, Any] | None = None, /, **dotted: list[str] | list[list[str]]) -> None:
        self._answers: dict[str, Any] = {name.replace("_", "."): answer for name, answer in dotted.items()}
        self._answers |= answers or {}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        answer = self._answers.get(host, ["127.0.0.1"])
        if answer and isinstance(answer[0], list):
            turn = min(self.asked.count(host), len(answer)) - 1
            answer = answer[turn]
        return [str(address) for address in answer]


async def probe(adapter: HttpAdapter, sent: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the adapter observes, as JSON."""
    observation = await adapter.probe(sent or request(), AbortController().signal)
    return observation.model_dump(mode="json", by_alias=True)


async def fault_of(adapter: HttpAdapter, sent: dict[str, Any] | None = None) -> RuntimeFault:
    """The fault the probe ends in."""
    try:
        observation = await probe(adapter, sent)
    except RuntimeFault as fault:
        return fault
    raise AssertionError(f"the probe was answered: {observation}")

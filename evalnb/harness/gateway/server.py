"""The gateway's end on loopback: one HTTP server for a trial, behind a path that only its evaluator is told.

/<token>/api/<interface>/...   an HTTP interface, as the system itself would answer
/<token>/tool                  one tool call, from the tool server's face
/<token>/command               one command, from a wrapper
"""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from evalnb.adapters.wire_text import compact_json
from evalnb.engine.artifacts import ProbeObservation
from evalnb.engine.preflight.wire import wire_document
from evalnb.harness.gateway.ledger import Answered, Ledger, Refused, matched_or_refused
from evalnb.harness.gateway.matching import HttpCall, match_command, match_http, match_tool

OBSERVATION_HEADER: Final = "evalnb-observation"
PRINCIPAL_HEADER: Final = "evalnb-principal"

_LOOPBACK: Final = "127.0.0.1"
_MOST_BYTES: Final = 16 * 1024 * 1024
_REFUSED: Final = 403
_HOP_HEADERS: Final = frozenset({"content-length", "transfer-encoding", "connection", "keep-alive", "content-encoding"})

Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]


@asynccontextmanager
async def gateway(ledger: Ledger) -> AsyncIterator[str]:
    """Serve a ledger on a free port of loopback; yields the address, which holds a secret of 128 bits."""
    import uvicorn

    from evalnb.harness.gateway.quiet_server import QuietServer

    token = secrets.token_urlsafe(16)
    with socket.create_server((_LOOPBACK, 0)) as listening:
        config = uvicorn.Config(_Face(ledger, token), log_config=None, lifespan="off", access_log=False)
        server = QuietServer(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield f"http://{_LOOPBACK}:{listening.getsockname()[1]}/{token}"
        finally:
            server.should_exit = True
            server.force_exit = True
            await serving


class _Face:
    """The ASGI application over one ledger."""

    def __init__(self, ledger: Ledger, token: str) -> None:
        self._ledger = ledger
        self._token = token

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        raw_path: bytes = scope.get("raw_path") or scope["path"].encode()
        path = raw_path.decode("ascii", "replace").split("?")[0]
        parts = path.split("/", 3)
        if len(parts) < 3 or not secrets.compare_digest(parts[1].encode(), self._token.encode()):
            await _answer(send, 404, {}, b"")
            return
        body = await _body(receive)
        if body is None:
            await _refuse(send, f"a request is at most {_MOST_BYTES} bytes")
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        rest = parts[3] if len(parts) > 3 else ""
        try:
            if parts[2] == "api":
                await self._api(send, scope, rest, headers, body)
            elif parts[2] == "tool":
                await _json(send, await self._tool(json.loads(body)))
            elif parts[2] == "command":
                await _json(send, await self._command(json.loads(body)))
            else:
                await _answer(send, 404, {}, b"")
        except Refused as refused:
            await _refuse(send, str(refused))
        except (ValueError, KeyError, TypeError, RecursionError):
            await _refuse(send, str(self._ledger.refusal("the call cannot be read")))

    async def _api(
        self, send: Send, scope: Mapping[str, Any], rest: str, headers: Mapping[str, str], body: bytes
    ) -> None:
        name, _, path = rest.partition("/")
        interface = self._ledger.interface(name)
        call = HttpCall(scope["method"], f"/{path}", scope["query_string"].decode("latin-1"), headers, body)
        matched = matched_or_refused(self._ledger, match_http, interface, call)
        found = await self._ledger.call(matched, headers.get(PRINCIPAL_HEADER))
        answer = found.answer
        assert answer.kind == "api"
        kept = {name: value for name, value in answer.headers.items() if name.lower() not in _HOP_HEADERS}
        content = b"" if answer.body.kind == "absent" else _content(answer.body)
        await _answer(send, answer.status, {**kept, OBSERVATION_HEADER: found.observation_id}, content)

    async def _tool(self, given: Mapping[str, Any]) -> dict[str, Any]:
        interface = self._ledger.interface(str(given["interface"]))
        matched = matched_or_refused(self._ledger, match_tool, interface, str(given["tool"]), dict(given["arguments"]))
        return _told(await self._ledger.call(matched, given.get("principal")))

    async def _command(self, given: Mapping[str, Any]) -> dict[str, Any]:
        interface = self._ledger.interface(str(given["interface"]))
        words = [str(word) for word in given["words"]]
        stdin = base64.b64decode(given["stdin"])
        environment = {str(name): str(value) for name, value in dict(given["environment"]).items()}
        matched = matched_or_refused(
            self._ledger, match_command, interface, str(given["executable"]), words, stdin, environment
        )
        return _told(await self._ledger.call(matched, given.get("principal")))


def _told(found: Answered) -> dict[str, Any]:
    answer: ProbeObservation = found.answer
    return {"observation": found.observation_id, "answer": wire_document(answer)}


def _content(body: Any) -> bytes:
    text = compact_json(body.value) if body.kind == "json" else body.value
    return str(text).encode("utf-8", "replace")


async def _body(receive: Receive) -> bytes | None:
    """The whole body; None where it is larger than anybody needs."""
    parts = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(parts)
        parts += message.get("body", b"")
        if len(parts) > _MOST_BYTES:
            return None
        if not message.get("more_body"):
            return bytes(parts)


async def _json(send: Send, value: Any) -> None:
    await _answer(send, 200, {"content-type": "application/json"}, json.dumps(value).encode())


async def _refuse(send: Send, why: str) -> None:
    await _answer(send, _REFUSED, {"content-type": "application/json"}, json.dumps({"refused": why}).encode())


async def _answer(send: Send, status: int, headers: Mapping[str, str], content: bytes) -> None:
    named = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": named})
    await send({"type": "http.response.body", "body": content})

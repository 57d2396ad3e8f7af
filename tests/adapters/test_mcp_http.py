"""Tool servers over streamable HTTP: the policy decides every request, and every odd answer has one outcome."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from evalnb.adapters.mcp import McpAdapter, ToolCallReport
from evalnb.adapters.mcp_policy import McpPolicy
from evalnb.adapters.sse_events import EventReader
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.artifacts.target_policies import ProbeTargetPolicy
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController
from tests.adapters.servers import HERE
from tests.adapters.servers.scripted import OPENED
from tests.adapters.targets import mcp_request


def http_policy(port: int, **changes: Any) -> ProbeTargetPolicy:
    authorization = {
        "interfaceId": "mcp",
        "scheme": "http",
        "host": "tools.example",
        "port": port,
        "addresses": ["127.0.0.1"],
        "methods": ["POST"],
        "safeMethods": [],
        "maxRedirects": 3,
        "maxElapsedMs": 4000,
        "maxRequestBytes": 10_000,
        "maxResponseBytes": 20_000,
        **changes,
    }
    policy: ProbeTargetPolicy = validated(ProbeTargetPolicy, {"authorizations": [authorization]})
    return policy


def tools(port: int, **connection: Any) -> McpPolicy:
    server = {"url": f"http://tools.example:{port}/mcp", "tools": ["echo", "add", "remember", "boom"], **connection}
    policy: McpPolicy = validated(McpPolicy, {"authorizations": [], "httpServers": {"mcp": server}})
    return policy


async def loopback(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


# --- a server of the SDK's own


@pytest.fixture(scope="module")
def shop() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, str(HERE / "http_tools.py"), str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(port)
        yield port
    finally:
        process.kill()
        process.wait()


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server did not start")


def probe_shop(port: int, calls: list[tuple[str, dict[str, Any]]], **connection: Any) -> list[Any]:
    """What several calls observed, and the reports about them."""

    async def call_all() -> list[Any]:
        reports: list[ToolCallReport] = []
        policy = http_policy(port, host="127.0.0.1", methods=["POST", "GET", "DELETE"])
        url = f"http://127.0.0.1:{port}/mcp"
        adapter = McpAdapter(tools(port, url=url, **connection), http_policy=policy, on_call=reports.append)
        async with adapter:
            observed = [
                await adapter.probe(mcp_request(arguments, tool), AbortController().signal) for tool, arguments in calls
            ]
        return [
            (o.is_error, getattr(o.result, "value", None), r.output_schema)
            for o, r in zip(observed, reports, strict=True)
        ]

    return asyncio.run(call_all())


def test_structured_results_and_errors_are_observed(shop: int) -> None:
    assert probe_shop(shop, [("add", {"a": 1, "b": 2}), ("boom", {})]) == [
        (False, {"sum": 3}, "conforms"),
        (True, None, "not-checked"),
    ]


def test_text_can_be_read(shop: int) -> None:
    assert probe_shop(shop, [("add", {"a": 1, "b": 2})], result="text-json") == [(False, {"sum": 3}, "conforms")]


def test_a_session_may_last_a_run(shop: int) -> None:
    calls = [("remember", {"word": word}) for word in ("a", "b")]
    (_, first, _), (_, second, _) = probe_shop(shop, calls, session="per-run")
    assert len(second["result"]) == len(first["result"]) + 1


# --- a server that answers what a test wants


@dataclass
class Answering:
    """A raw HTTP server: `answer` gives the whole response to one request's head and JSON-RPC message."""

    answer: Callable[[dict[str, Any]], bytes]
    heads: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                self.heads.append(head)
                length = next(
                    (
                        int(line.split(":")[1])
                        for line in head.splitlines()
                        if line.lower().startswith("content-length")
                    ),
                    0,
                )
                message = json.loads(await reader.readexactly(length) or b"{}")
                response = self.answer(message)
                writer.write(response)
                await writer.drain()
                if b"connection: close" in response.lower():
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()


def reply(body: str, status: str = "200 OK", kind: str = "application/json", extra: str = "") -> bytes:
    data = body.encode()
    return f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{extra}content-length: {len(data)}\r\n\r\n".encode() + data


def shaking(call: Callable[[dict[str, Any]], bytes]) -> Callable[[dict[str, Any]], bytes]:
    """Shake hands, then answer calls with `call`."""

    def answer(message: dict[str, Any]) -> bytes:
        if message.get("method") == "initialize":
            return reply(OPENED)
        return call(message) if message.get("method") == "tools/call" else reply("", "202 Accepted")

    return answer


def saying(body: str, **how: str) -> Callable[[dict[str, Any]], bytes]:
    return shaking(lambda message: reply(body, **how))


@dataclass(frozen=True)
class Outcome:
    observed: Any
    fault: RuntimeFault | None
    heads: list[str]


def probe(
    answer: Callable[[dict[str, Any]], bytes],
    *,
    policy: dict[str, Any] | None = None,
    connection: dict[str, Any] | None = None,
    resolve: Any = loopback,
    environment: dict[str, str] | None = None,
    arguments: dict[str, Any] | None = None,
) -> Outcome:
    """What one call of a server that answers like this comes to."""

    async def call() -> Outcome:
        server = Answering(answer)
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        adapter = McpAdapter(
            tools(port, **(connection or {})),
            http_policy=http_policy(port, **(policy or {})),
            resolve=resolve,
            environment=environment,
        )
        try:
            observed = await adapter.probe(mcp_request(arguments), AbortController().signal)
            return Outcome(observed, None, server.heads)
        except RuntimeFault as fault:
            return Outcome(None, fault, server.heads)
        finally:
            listening.close()
            await asyncio.sleep(0.01)

    return asyncio.run(call())


@pytest.mark.parametrize(
    ("answer", "is_error", "result"),
    [
        (saying('{"jsonrpc":"2.0","id":2,"result":{"structuredContent":5}}'), False, {"kind": "json", "value": 5}),
        (
            saying('{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m"}}'),
            True,
            {"kind": "json", "value": {"code": 1, "message": "m"}},
        ),
        (saying('{"id":2,"error":"plain"}'), True, {"kind": "json", "value": "plain"}),
        (saying('{"id":"2","result":[]}'), False, {"kind": "absent"}),
        (
            saying('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}', status="400 Bad Request"),
            True,
            {"kind": "json", "value": {"code": -32600, "message": "m"}},
        ),
        (
            saying(
                ': hi\nevent: message\ndata: {"jsonrpc":"2.0","id":2,\ndata: "result":{"structuredContent":"é"}}\n\n',
                kind="text/event-stream",
            ),
            False,
            {"kind": "json", "value": "é"},
        ),
        (saying('data: {"id":2,"error":7}\r\n\r\n', kind="text/event-stream"), True, {"kind": "json", "value": 7}),
    ],
)
def test_an_answer_is_an_observation(answer: Any, is_error: bool, result: Any) -> None:
    outcome = probe(answer)
    assert outcome.fault is None
    assert (outcome.observed.is_error, outcome.observed.result.model_dump()) == (is_error, result)


def drop(message: dict[str, Any]) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\nconnection: close\r\n\r\n{"


@pytest.mark.parametrize(
    "answer",
    [
        saying("", status="500 Internal Server Error"),
        saying("<html>", kind="text/html"),
        saying("not json"),
        saying("[1]"),
        saying("", status="202 Accepted"),
        saying("data: {}\n\n", kind="text/event-stream"),
        saying("data: not json\n\n", kind="text/event-stream"),
        shaking(drop),
        drop,
        lambda message: reply("", "404 Not Found"),
        lambda message: reply('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}'),
        lambda message: reply('{"jsonrpc":"2.0","id":1}'),
        lambda message: b"\x00\x01 no http\r\nconnection: close\r\n\r\n",
    ],
)
def test_anything_that_is_no_answer_is_a_port_failure(answer: Any) -> None:
    fault = probe(answer).fault
    assert fault is not None
    assert (fault.code, fault.artifact_path) == ("port-failure", "ProbeObservation")


def slow(message: dict[str, Any]) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"


@pytest.mark.parametrize(
    ("answer", "policy", "arguments"),
    [
        (saying(json.dumps({"id": 2, "result": {"structuredContent": "x" * 30_000}})), {}, {}),
        (saying("data: " + "x" * 30_000, kind="text/event-stream"), {}, {}),
        (shaking(slow), {"maxElapsedMs": 400}, {}),
        (saying("{}"), {"maxRequestBytes": 1000}, {"word": "x" * 1000}),
    ],
)
def test_a_cap_exhausts_the_budget(answer: Any, policy: dict[str, Any], arguments: dict[str, Any]) -> None:
    fault = probe(answer, policy=policy, arguments=arguments).fault
    assert fault is not None
    assert (fault.code, fault.artifact_path) == ("budget-exhausted", "McpProbeRequest")


@pytest.mark.parametrize(
    ("policy", "connection", "reason"),
    [
        ({"interfaceId": "other"}, {}, "interface-not-authorized"),
        ({"scheme": "https"}, {}, "scheme-not-authorized"),
        ({"host": "other.example"}, {}, "host-not-authorized"),
        ({"addresses": ["127.0.0.2"]}, {}, "address-not-authorized"),
        ({"methods": ["GET"]}, {}, "method-not-authorized"),
        ({}, {"tools": ["add"]}, "tool-not-authorized"),
    ],
)
def test_a_denial_sends_nothing(policy: dict[str, Any], connection: dict[str, Any], reason: str) -> None:
    outcome = probe(saying("{}"), policy=policy, connection=connection)
    assert outcome.fault is not None
    assert (outcome.fault.code, outcome.fault.artifact_path) == ("forbidden-target", "ProbeRequest")
    assert (outcome.fault.reason, outcome.heads) == (reason, [])


def test_a_name_that_moves_between_requests_is_not_followed() -> None:
    answers = [["127.0.0.1"], ["127.0.0.1"], ["127.0.0.3"]]

    async def moving(host: str, port: int) -> Sequence[str]:
        return answers.pop(0) if len(answers) > 1 else answers[0]

    outcome = probe(saying('{"id":2,"result":{}}'), resolve=moving)
    assert outcome.fault is not None
    assert (outcome.fault.code, outcome.fault.reason) == ("forbidden-target", "address-not-authorized")
    assert not any("tools/call" in head for head in outcome.heads)


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1:1/mcp", "http://tools.example:1/other", "/elsewhere", "//[::1]/x"]
)
@pytest.mark.parametrize("status", ["301 Moved Permanently", "307 Temporary Redirect", "308 Permanent Redirect"])
def test_a_redirect_is_not_followed(location: str, status: str) -> None:
    outcome = probe(saying("", status=status, extra=f"location: {location}\r\n"))
    assert outcome.fault is not None
    assert outcome.fault.code == "port-failure"
    assert sum(head.startswith("POST") for head in outcome.heads) == 3
    assert not any("elsewhere" in head for head in outcome.heads)


def test_the_name_stays_in_the_host_header_and_secrets_are_sent_and_masked() -> None:
    def echo(message: dict[str, Any]) -> bytes:
        return reply(json.dumps({"id": 2, "result": {"structuredContent": "you sent Bearer hunter2hunter2"}}))

    outcome = probe(
        shaking(echo),
        connection={"secrets": {"Authorization": {"env": "KEY", "prefix": "Bearer "}}, "headers": {"X-Plain": "1"}},
        environment={"KEY": "hunter2hunter2"},
    )
    assert outcome.observed.result.model_dump()["value"] == "you sent Bearer [secret:KEY]"
    for head in outcome.heads:
        lines = {line.lower() for line in head.splitlines()}
        assert {"authorization: bearer hunter2hunter2", "x-plain: 1"} <= lines
        assert any(line.startswith("host: tools.example:") for line in lines)


def test_a_secret_that_no_header_can_hold_is_masked_in_the_fault() -> None:
    outcome = probe(
        saying("{}"),
        connection={"secrets": {"Authorization": {"env": "KEY"}}},
        environment={"KEY": "hunter2\r\nx: y"},
    )
    assert outcome.fault is not None
    assert (outcome.fault.code, outcome.heads) == ("port-failure", [])
    assert "hunter2" not in f"{outcome.fault!r}{outcome.fault.cause!r}{outcome.fault.__context__!r}"


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert probe(saying('{"id":2,"result":{}}')).fault is None


def test_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    probe(saying("not json but hunter2"))
    probe(saying("data: nor hunter2\n\n", kind="text/event-stream"))
    assert "hunter2" not in caplog.text


@pytest.mark.parametrize("url", ["ftp://x/", "http:///x", "http://user@x/", "http://x/#f", "tools", "http://x:0/"])
def test_an_endpoint_that_is_no_plain_url_is_refused(url: str) -> None:
    with pytest.raises(ShapeError):
        tools(1, url=url)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_events_survive_any_cut(size: int) -> None:
    stream = "data: a\r\n\r\n: comment\nid: 1\ndata:b\ndata: é\n\nevent: x\rdata: c\r\r\n\ndata: unfinished".encode()
    reader = EventReader()
    events = [event for at in range(0, len(stream), size) for event in reader.feed(stream[at : at + size])]
    assert events == ["a", "b\né", "c"]

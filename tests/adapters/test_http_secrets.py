"""Secrets of HTTP interfaces: sent in a principal's name, and left nowhere else, whoever echoes them."""

from __future__ import annotations

import asyncio
import base64
import logging
from typing import Any

import pytest

from evalnb.adapters.http_probe import HttpAdapter
from evalnb.engine.faults import RuntimeFault
from tests.adapters.http_server import (
    Names,
    Received,
    ScriptedServer,
    authorization,
    fault_of,
    policy,
    probe,
    request,
    response,
)

TOKEN = "s3cr3t/токен+1"
ENVIRONMENT = {"ADMIN_TOKEN": TOKEN, "GUEST_TOKEN": "guest-4711", "KEY": "shared-key"}
CREDENTIALS = {
    "credentials": {
        "admin": {"x-auth": {"env": "ADMIN_TOKEN"}},
        "guest": {"authorization": {"env": "GUEST_TOKEN", "prefix": "Bearer "}},
        "anonymous": {},
    },
    "secrets": {"X-Api-Key": {"env": "KEY"}},
    "headers": {"X-Client": "evalnb"},
}


def adapter(port: int, environment: dict[str, str] | None = None, **changes: Any) -> HttpAdapter:
    made = policy(authorization(port, maxRedirects=2), **{**CREDENTIALS, **changes})
    return HttpAdapter(made, resolve=Names(), environment=ENVIRONMENT if environment is None else environment)


def test_each_principal_sends_its_own_credentials() -> None:
    async def run() -> list[Received]:
        async with ScriptedServer({}) as server:
            made = adapter(server.port, {**ENVIRONMENT, "ADMIN_TOKEN": "plain"})
            for port in (made, made.acting_as("admin"), made.acting_as("guest"), made.acting_as("anonymous")):
                await probe(port)
            await probe(adapter(server.port, defaultPrincipal="guest"))
            return server.received

    received = asyncio.run(run())
    assert [(one.headers.get("x-auth"), one.headers.get("authorization")) for one in received] == [
        (None, None),
        ("plain", None),
        (None, "Bearer guest-4711"),
        (None, None),
        (None, "Bearer guest-4711"),
    ]
    assert {(one.headers["x-api-key"], one.headers["x-client"]) for one in received} == {("shared-key", "evalnb")}


def test_what_a_request_says_itself_is_not_replaced() -> None:
    async def run() -> dict[str, str]:
        async with ScriptedServer({}) as server:
            await probe(
                adapter(server.port).acting_as("guest"), request(header={"Authorization": "none", "x-client": "me"})
            )
            return server.received[0].headers

    headers = asyncio.run(run())
    assert (headers["authorization"], headers["x-client"]) == ("none", "me")


@pytest.mark.parametrize(
    ("principal", "environment", "named"),
    [("nobody", ENVIRONMENT, "nobody"), ("admin", {"KEY": "k"}, "ADMIN_TOKEN"), ("admin", {"KEY": ""}, "KEY")],
)
def test_a_missing_credential_is_found_before_anything_is_sent(
    principal: str, environment: dict[str, str], named: str
) -> None:
    async def run() -> RuntimeFault:
        async with ScriptedServer({}) as server:
            fault = await fault_of(adapter(server.port, environment).acting_as(principal))
            assert server.connections == 0
            return fault

    fault = asyncio.run(run())
    assert (fault.code, fault.artifact_path) == ("port-failure", "ProbeRequest")
    assert f'"{named}"' in fault.detail


def test_a_secret_that_no_header_can_hold_is_not_shown() -> None:
    fault = asyncio.run(fault_of(adapter(80, {**ENVIRONMENT, "KEY": "multi\nline"})))
    assert fault.code == "port-failure"
    assert "multi" not in str(fault)


ECHOES = {
    "plain": lambda secret: secret.encode(),
    "json": lambda secret: b'{"you": ["' + secret.encode() + b'"], "' + secret.encode() + b'": 1}',
    "escaped": lambda secret: b'{"a": "' + "".join(f"\\u{ord(c):04x}" for c in secret).encode() + b'"}',
    "percent": lambda secret: b"token=" + base64.b64encode(secret.encode()),
    "html": lambda secret: f"<b>{secret}</b>".encode(),
    "hex": lambda secret: secret.encode().hex().encode(),
}


@pytest.mark.parametrize("echo", ECHOES)
def test_an_echoed_secret_is_masked(echo: str) -> None:
    async def run() -> str:
        answer = response(200, ECHOES[echo]("guest-4711"), "X-Seen: Bearer guest-4711")
        async with ScriptedServer({"*": answer}) as server:
            return str(await probe(adapter(server.port).acting_as("guest")))

    observed = asyncio.run(run())
    assert "guest-4711" not in observed
    assert "[secret:GUEST_TOKEN]" in observed
    assert base64.b64encode(b"guest-4711").decode() not in observed
    assert b"guest-4711".hex() not in observed


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 guest-4711\r\nguest-4711\r\n\r\n",
        response(200, b"guest-4711" * 1000),
        response(302, b"", "Location: http://guest-4711.test/"),
        response(302, b"", "Location: http://[guest-4711"),
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nguest-4711",
    ],
)
def test_a_fault_and_its_causes_show_no_secret(answer: bytes) -> None:
    async def run() -> RuntimeFault:
        async with ScriptedServer({"*": answer}) as server:
            made = policy(authorization(server.port), **CREDENTIALS)
            return await fault_of(HttpAdapter(made, resolve=Names(), environment=ENVIRONMENT).acting_as("guest"))

    fault = asyncio.run(run())
    assert "guest-4711" not in f"{fault} {fault.detail} {fault.cause} {fault.__context__} {fault.__cause__}"
    assert fault.__context__ is None or "guest-4711" not in str(vars(fault.__context__))


def test_no_secret_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        answer = response(200, b"guest-4711", "X-Seen: guest-4711", "X-Key: shared-key")
        async with ScriptedServer({"*": answer}) as server:
            await probe(adapter(server.port).acting_as("guest"))

    with caplog.at_level(logging.DEBUG):
        asyncio.run(run())
    assert "receive_response_headers" in caplog.text
    assert "guest-4711" not in caplog.text
    assert "shared-key" not in caplog.text


def test_secrets_are_not_handed_to_another_origin() -> None:
    async def run() -> None:
        async with ScriptedServer({}) as second, ScriptedServer({}) as first:
            first.answers["/"] = response(307, b"", f"Location: http://orders.test:{second.port}/x")
            second.answers["/x"] = response(307, b"", f"Location: http://orders.test:{first.port}/back")
            both = (authorization(first.port, maxRedirects=2), authorization(second.port))
            made = HttpAdapter(policy(*both, **CREDENTIALS), resolve=Names(), environment=ENVIRONMENT)
            await probe(
                made.acting_as("guest"), request(header={"Authorization": "own", "Cookie": "own", "X-Kept": "k"})
            )
            assert first.received[0].headers["authorization"] == "own"
            assert first.received[0].headers["x-api-key"] == "shared-key"
            for one in (second.received[0], first.received[1]):
                assert one.headers["x-kept"] == "k"
                assert not {"authorization", "cookie", "x-api-key", "x-client"} & one.headers.keys()

    asyncio.run(run())

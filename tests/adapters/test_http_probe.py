"""The HTTP adapter against servers on loopback: what is sent, what is observed, and what is never dialled."""

from __future__ import annotations

import asyncio
import gzip
import os
from typing import Any

import pytest

from evalnb.adapters.http_answer import HttpAnswer
from evalnb.adapters.http_exchange import HttpExchange
from evalnb.adapters.http_probe import HttpAdapter
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController
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


def adapter(*authorizations: dict[str, Any], names: Names | None = None, **connection: Any) -> HttpAdapter:
    return HttpAdapter(policy(*authorizations, **connection), resolve=names or Names())


def redirect(to: str, status: int = 302) -> bytes:
    return response(status, b"", f"Location: {to}")


class Answers:
    """A mechanism that answers from a list and opens nothing."""

    def __init__(self, *answers: HttpAnswer | Exception) -> None:
        self._answers = list(answers)
        self.exchanges: list[HttpExchange] = []

    async def exchange(self, exchange: HttpExchange) -> HttpAnswer:
        self.exchanges.append(exchange)
        answer = self._answers[min(len(self.exchanges), len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_a_request_reaches_the_validated_address_under_its_name() -> None:
    async def run() -> None:
        async with ScriptedServer(
            {"*": response(201, b'{"id": 7}', "X-Kind: a", "X-Kind: b", "Set-Cookie: s=1")}
        ) as server:
            names = Names()
            made = adapter(authorization(server.port), names=names, baseUrl=f"http://orders.test:{server.port}/v1/")
            observed = await probe(
                made,
                request(
                    "POST",
                    "/orders/{id}",
                    path={"id": "a/b"},
                    query={"q": [1, 2]},
                    header={"X-Trace": "t"},
                    body={"kind": "json", "value": {"n": 1}},
                ),
            )
            sent = server.received[0]
        assert sent.line == "POST /v1/orders/a%2Fb?q=1&q=2 HTTP/1.1"
        assert sent.headers["host"] == f"orders.test:{server.port}"
        assert (sent.headers["x-trace"], sent.headers["content-type"]) == ("t", "application/json")
        assert sent.body == b'{"n":1}'
        assert names.asked == ["orders.test"]
        assert observed == {
            "kind": "api",
            "probeId": "leg-one",
            "interfaceId": "orders",
            "operationId": "list-orders",
            "status": 201,
            "headers": {"x-kind": "a, b", "content-length": "9"},
            "body": {"kind": "json", "value": {"id": 7}},
        }

    asyncio.run(run())


@pytest.mark.parametrize("status", [204, 304, 400, 404, 500, 503, 599])
def test_every_status_is_an_observation(status: int) -> None:
    async def run() -> dict[str, Any]:
        async with ScriptedServer({"*": response(status)}) as server:
            return await probe(adapter(authorization(server.port)))

    assert asyncio.run(run())["status"] == status


def test_a_compressed_answer_is_read_and_an_answer_to_head_has_no_body() -> None:
    async def run() -> None:
        packed = response(200, gzip.compress(b'{"a":1}'), "Content-Encoding: gzip")
        async with ScriptedServer({"/z": packed, "/h": response(200, b"", "Content-Length: 100000")}) as server:
            made = adapter(authorization(server.port))
            assert (await probe(made, request("GET", "/z")))["body"] == {"kind": "json", "value": {"a": 1}}
            assert (await probe(made, request("HEAD", "/h")))["body"] == {"kind": "absent"}
            assert server.received[0].headers["accept-encoding"] == "gzip, deflate"

    asyncio.run(run())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"interfaceId": "other"}, "interface-not-authorized"),
        ({"scheme": "https"}, "scheme-not-authorized"),
        ({"host": "elsewhere.test"}, "host-not-authorized"),
        ({"port": 1}, "port-not-authorized"),
        ({"addresses": ["127.0.0.2"]}, "address-not-authorized"),
        ({"methods": ["POST"]}, "method-not-authorized"),
    ],
)
def test_a_denied_target_is_never_dialled(changes: dict[str, Any], reason: str) -> None:
    async def run() -> None:
        async with ScriptedServer({}) as server:
            base = f"http://orders.test:{server.port}"
            fault = await fault_of(adapter(authorization(server.port, **changes), baseUrl=base))
            await asyncio.sleep(0.01)
            assert server.connections == 0
        assert (fault.code, fault.artifact_path, fault.reason) == ("forbidden-target", "ProbeRequest", reason)

    asyncio.run(run())


@pytest.mark.parametrize("host", ["127.1", "0177.0.0.1", "0x7f000001", "2130706433", "0", "localhost."])
def test_another_spelling_of_loopback_needs_its_own_authorization(host: str) -> None:
    async def run() -> None:
        async with ScriptedServer({}) as server:
            allowed = authorization(server.port, host="127.0.0.1", addresses=["127.0.0.1"])
            made = HttpAdapter(policy(allowed, baseUrl=f"http://{host}:{server.port}"))
            assert (await fault_of(made)).reason == "host-not-authorized"
            assert server.connections == 0

    asyncio.run(run())


def test_a_name_whose_answer_changes_after_the_check_is_dialled_where_it_was_checked() -> None:
    async def run() -> None:
        async with ScriptedServer({}) as good, ScriptedServer({}, host="127.0.0.2", port=good.port) as evil:
            names = Names(orders_test=[["127.0.0.1"], ["127.0.0.2"]])
            await probe(adapter(authorization(good.port), names=names))
            assert (good.connections, evil.connections) == (1, 0)
            assert names.asked == ["orders.test"]
            # The next probe is checked afresh, and denied before it dials.
            assert (await fault_of(adapter(authorization(good.port), names=names))).reason == "address-not-authorized"
            assert (good.connections, evil.connections) == (1, 0)

    asyncio.run(run())


@pytest.mark.parametrize(
    "resolved", ["127.0.0.2", "::ffff:127.0.0.2", "::127.0.0.2", "127.0.2", "0177.0.0.2", "0x7f000002"]
)
def test_no_spelling_of_a_denied_address_reaches_what_listens_there(resolved: str) -> None:
    async def run() -> None:
        async with ScriptedServer({}, host="127.0.0.2") as evil:
            fault = await fault_of(adapter(authorization(evil.port), names=Names(orders_test=[resolved])))
            await asyncio.sleep(0.01)
            assert (fault.code, evil.connections) == ("forbidden-target", 0)

    asyncio.run(run())


def test_a_name_is_resolved_by_the_system() -> None:
    async def run() -> dict[str, Any]:
        async with ScriptedServer({}) as server:
            return await probe(HttpAdapter(policy(authorization(server.port, host="localhost"))))

    assert asyncio.run(run())["status"] == 200


def test_denied_addresses_of_a_name_are_passed_over() -> None:
    async def run() -> None:
        async with ScriptedServer({}) as server:
            names = Names(orders_test=["10.255.255.1", "::1", "127.0.0.1"])
            assert (await probe(adapter(authorization(server.port), names=names)))["status"] == 200

    asyncio.run(run())


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with ScriptedServer({}) as server, ScriptedServer({}) as proxy:
            for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
                monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
            await probe(adapter(authorization(server.port)))
            assert (server.connections, proxy.connections) == (1, 0)

    asyncio.run(run())


def test_caps_on_bytes() -> None:
    async def run() -> None:
        async with ScriptedServer({"/exact": response(200, b"x" * 100), "/over": response(200, b"x" * 101)}) as server:
            made = adapter(authorization(server.port, maxResponseBytes=100, maxRequestBytes=10))
            assert (await probe(made, request("GET", "/exact")))["body"]["value"] == "x" * 100
            assert (await fault_of(made, request("GET", "/over"))).code == "budget-exhausted"
            await probe(made, request("POST", body={"kind": "json", "value": "x" * 8}))
            before = server.connections
            fault = await fault_of(made, request("POST", body={"kind": "json", "value": "x" * 9}))
            assert (fault.code, fault.artifact_path) == ("budget-exhausted", "ApiProbeRequest")
            assert server.connections == before

    asyncio.run(run())


async def _endless(received: Received, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"5\r\nhello\r\n")
        await writer.drain()
        await asyncio.sleep(0)


async def _drip(received: Received, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"1\r\nx\r\n")
        await writer.drain()
        await asyncio.sleep(0.01)


async def _informational(received: Received, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.001)


async def _silent(received: Received, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (_endless, "maxResponseBytes"),
        (_drip, "maxElapsedMs"),
        (_informational, "maxElapsedMs"),
        (_silent, "maxElapsedMs"),
    ],
)
def test_an_answer_without_end_meets_a_cap(answer: Any, named: str) -> None:
    async def run() -> RuntimeFault:
        async with ScriptedServer({"*": answer}) as server:
            elapsed = 300 if named == "maxElapsedMs" else 20_000
            return await fault_of(adapter(authorization(server.port, maxElapsedMs=elapsed, maxResponseBytes=2000)))

    fault = asyncio.run(run())
    assert (fault.code, fault.artifact_path) == ("budget-exhausted", "ApiProbeRequest")
    assert named in fault.detail


def test_a_name_that_resolves_too_slowly_meets_the_elapsed_cap() -> None:
    async def slow(host: str, port: int) -> list[str]:
        await asyncio.sleep(30)
        return []

    made = HttpAdapter(policy(authorization(80, maxElapsedMs=50)), resolve=slow)
    assert asyncio.run(fault_of(made)).code == "budget-exhausted"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd",
    ],
)
def test_what_is_no_http_answer_is_a_port_failure(answer: bytes) -> None:
    async def run() -> RuntimeFault:
        async with ScriptedServer({"*": answer}) as server:
            return await fault_of(adapter(authorization(server.port)))

    fault = asyncio.run(run())
    assert (fault.code, fault.artifact_path) == ("port-failure", "ProbeObservation")
    assert fault.cause is not None


def test_a_closed_port_and_an_unknown_name_are_port_failures() -> None:
    async def run() -> None:
        async with ScriptedServer({}) as server:
            port = server.port
        assert (await fault_of(adapter(authorization(port)))).code == "port-failure"

        async def unknown(host: str, port: int) -> list[str]:
            raise OSError("no such host")

        fault = await fault_of(HttpAdapter(policy(authorization(port)), resolve=unknown))
        assert (fault.code, fault.artifact_path) == ("port-failure", "ProbeObservation")

    asyncio.run(run())


def test_an_abort_ends_the_probe_and_its_connection() -> None:
    async def run() -> None:
        closed = asyncio.Event()

        async def wait(received: Received, writer: asyncio.StreamWriter) -> None:
            controller.abort()
            while not writer.is_closing():
                writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
                try:
                    await writer.drain()
                except ConnectionError:
                    break
                await asyncio.sleep(0.001)
            closed.set()

        async with ScriptedServer({"*": wait}) as server:
            controller = AbortController()
            with pytest.raises(RuntimeFault) as caught:
                await adapter(authorization(server.port)).probe(request(), controller.signal)
            assert (caught.value.code, caught.value.artifact_path) == ("aborted", "ProbeObservation")
            await asyncio.wait_for(closed.wait(), 5)

    asyncio.run(run())


def test_a_request_of_another_kind_is_denied() -> None:
    sent = {
        "kind": "mcp",
        "probeId": "p",
        "interfaceId": "orders",
        "operationId": "o",
        "toolName": "t",
        "channels": {"arguments": {}},
    }
    fault = asyncio.run(fault_of(adapter(authorization(80)), sent))
    assert (fault.code, fault.reason) == ("forbidden-target", "interface-not-authorized")
    assert '"mcp"' in fault.detail


def test_redirects_are_followed_within_the_policy() -> None:
    async def run() -> None:
        answers = {"/a": redirect("/b"), "/b": redirect("c?x=1", 307), "/c": response(200, b"done")}
        async with ScriptedServer(answers) as server:
            made = adapter(authorization(server.port, maxRedirects=2))
            assert (await probe(made, request("GET", "/a")))["body"] == {"kind": "text", "value": "done"}
            assert [received.target for received in server.received] == ["/a", "/b", "/c?x=1"]
            # One fewer is one too many, after one call more than may be followed.
            server.received.clear()
            fault = await fault_of(adapter(authorization(server.port, maxRedirects=1)), request("GET", "/a"))
            assert (fault.code, fault.artifact_path, len(server.received)) == ("budget-exhausted", "ApiProbeRequest", 2)

    asyncio.run(run())


def test_without_redirects_the_first_redirect_is_one_too_many_unless_it_is_to_be_observed() -> None:
    async def run() -> None:
        async with ScriptedServer({"*": redirect("/b")}) as server:
            assert (await fault_of(adapter(authorization(server.port)))).code == "budget-exhausted"
            observed = await probe(adapter(authorization(server.port, maxRedirects=5), redirects="observe"))
            assert (observed["status"], observed["headers"]["location"]) == (302, "/b")
            assert server.connections == 2

    asyncio.run(run())


@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("http://127.0.0.1:{other}/", "host-not-authorized"),
        ("http://orders.test:{other}/", "port-not-authorized"),
        ("//evil.test/", "host-not-authorized"),
        ("https://orders.test:{port}/", "scheme-not-authorized"),
        ("file:///etc/passwd", "scheme-not-authorized"),
        ("gopher://127.0.0.1:{other}/", "scheme-not-authorized"),
        ("http://[::1]:{other}/", "host-not-authorized"),
        ("http://0x7f.1:{other}/", "host-not-authorized"),
        ("http://[::ffff:127.0.0.1]:{other}/", "host-not-authorized"),
        ("http://metadata.test:{port}/", "address-not-authorized"),
        ("http://orders.test:{port}@127.0.0.1:{other}/", "host-not-authorized"),
        ("http://[broken", "host-not-authorized"),
        ("http://a b/", "host-not-authorized"),
        ("http://x:99999999/", "host-not-authorized"),
    ],
)
@pytest.mark.parametrize("max_redirects", [0, 3])
def test_a_redirect_is_checked_before_it_is_dialled(to: str, reason: str, max_redirects: int) -> None:
    async def run() -> None:
        async with ScriptedServer({}) as other, ScriptedServer({}) as server:
            server.answers["*"] = redirect(to.format(port=server.port, other=other.port))
            names = Names(metadata_test=["169.254.169.254"])
            made = adapter(
                authorization(server.port, maxRedirects=max_redirects),
                names=names,
            )
            fault = await fault_of(made)
            if "metadata" in to:  # the host is named, so its address decides
                both = (authorization(server.port), authorization(server.port, host="metadata.test"))
                assert (await fault_of(adapter(*both, names=names))).code == "forbidden-target"
            else:
                assert fault.reason == reason
            assert fault.code == "forbidden-target"
            assert (len(server.received), other.connections) == (1 if "metadata" not in to else 2, 0)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("status", "method", "followed"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "POST", "GET"),
        (303, "PUT", "GET"),
        (303, "DELETE", "GET"),
        (301, "PUT", "PUT"),
        (302, "DELETE", "DELETE"),
        (307, "POST", "POST"),
        (308, "PUT", "PUT"),
        (302, "HEAD", "HEAD"),
        (303, "HEAD", "HEAD"),
        (301, "GET", "GET"),
    ],
)
def test_the_method_after_a_redirect(status: int, method: str, followed: str) -> None:
    async def run() -> None:
        async with ScriptedServer({"/a": redirect("/b", status)}) as server:
            body = {"kind": "absent"} if method in ("GET", "HEAD") else {"kind": "json", "value": {"n": 1}}
            await probe(adapter(authorization(server.port, maxRedirects=1)), request(method, "/a", body=body))
            second = server.received[1]
        assert second.method == followed
        kept = followed == method and method not in ("GET", "HEAD")
        assert (second.body, "content-type" in second.headers) == ((b'{"n":1}', True) if kept else (b"", False))

    asyncio.run(run())


def test_the_method_after_a_redirect_needs_authorization_too() -> None:
    async def run() -> None:
        async with ScriptedServer({"/a": redirect("/b", 303)}) as server:
            made = adapter(authorization(server.port, maxRedirects=1, methods=["POST"]))
            fault = await fault_of(made, request("POST", "/a"))
            assert (fault.reason, len(server.received)) == ("method-not-authorized", 1)

    asyncio.run(run())


def test_a_redirecting_status_without_a_place_is_an_observation() -> None:
    async def run() -> None:
        async with ScriptedServer({"/a": response(302), "/b": response(300, b"", "Location: /c")}) as server:
            made = adapter(authorization(server.port))
            assert (await probe(made, request("GET", "/a")))["status"] == 302
            assert (await probe(made, request("GET", "/b")))["status"] == 300

    asyncio.run(run())


def test_cookies_live_no_longer_than_their_probe_unless_kept() -> None:
    async def run() -> None:
        answers = {
            "/set": response(200, b"", "Set-Cookie: s=1; Path=/"),
            "/jump": response(302, b"", "Location: /x", "Set-Cookie: j=1"),
        }
        async with ScriptedServer(answers) as server:
            made = adapter(authorization(server.port, maxRedirects=1))
            for path in ("/set", "/x", "/jump"):
                await probe(made, request("GET", path))
            assert not [received for received in server.received if "cookie" in received.headers]
            server.received.clear()
            kept = adapter(authorization(server.port), keepCookies=True, credentials={"ann": {}, "bob": {}})
            ann, bob = kept.acting_as("ann"), kept.acting_as("bob")
            await probe(ann, request("GET", "/set"))
            for made in (ann, bob, kept.acting_as("ann")):
                await probe(made)
            assert [received.headers.get("cookie") for received in server.received] == [None, "s=1", None, "s=1"]

    asyncio.run(run())


def test_the_mechanism_is_called_once_and_its_errors_are_port_failures() -> None:
    mechanism = Answers(OSError("unplugged"))
    fault = asyncio.run(fault_of(HttpAdapter(policy(authorization(80)), mechanism, resolve=Names())))
    assert (fault.code, fault.artifact_path, len(mechanism.exchanges)) == ("port-failure", "ProbeObservation", 1)
    assert "unplugged" in fault.detail


def test_an_answer_out_of_shape_breaks_the_port_contract() -> None:
    mechanism = Answers(HttpAnswer(999, (), b""))
    fault = asyncio.run(fault_of(HttpAdapter(policy(authorization(80)), mechanism, resolve=Names())))
    assert (fault.code, fault.artifact_path) == ("port-contract-violation", "ProbeObservation")


def test_importing_evalnb_and_its_policies_loads_no_http_library() -> None:
    import subprocess
    import sys

    script = (
        "import sys, evalnb, evalnb.adapters.policies, evalnb.adapters.http_policy; sys.exit('httpx2' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_many_probes_leave_no_connection_open() -> None:
    async def run() -> tuple[int, int]:
        answers = {"/large": response(200, b"x" * 5000), "/broken": b"nonsense\r\n\r\n", "/slow": _silent}
        async with ScriptedServer(answers) as server:
            made = adapter(authorization(server.port, maxElapsedMs=20_000))
            hasty = adapter(authorization(server.port, maxElapsedMs=5))
            await probe(made)
            before = len(os.listdir("/proc/self/fd"))
            for turn in range(100):
                await probe(made)
                await fault_of(made, request("GET", ("/large", "/broken")[turn % 2]))
                if turn % 10 == 0:
                    await fault_of(hasty, request("GET", "/slow"))
            await asyncio.sleep(0.05)
            return before, len(os.listdir("/proc/self/fd"))

    before, after = asyncio.run(run())
    assert after <= before + 12  # the slow answers' own ends of their connections

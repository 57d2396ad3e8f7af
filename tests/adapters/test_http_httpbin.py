"""The HTTP adapter against a real service that nobody here wrote: httpbin, in a process of its own.

Taken from this environment, or from the interpreter that EVALNB_HTTPBIN_PYTHON names (httpbin pins an old greenlet,
so it may need an environment of its own).
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from evalnb.adapters.http_probe import HttpAdapter
from tests.adapters.http_server import Names, authorization, fault_of, policy, probe, request

INTERPRETER = os.environ.get("EVALNB_HTTPBIN_PYTHON") or (sys.executable if find_spec("httpbin") else None)

pytestmark = pytest.mark.skipif(
    INTERPRETER is None, reason="httpbin is not installed here and EVALNB_HTTPBIN_PYTHON names no interpreter with it"
)

SERVE = """
import sys, threading
from httpbin import app
from werkzeug.serving import make_server
server = make_server("127.0.0.1", 0, app, threaded=True)
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()  # until the tests let go
"""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with subprocess.Popen(
        [str(INTERPRETER), "-c", SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as service:
        assert service.stdout is not None
        assert service.stdin is not None
        yield int(service.stdout.readline())
        service.stdin.close()
        service.wait(10)


def adapter(port: int, connection: dict[str, Any] | None = None, **changes: Any) -> HttpAdapter:
    made = policy(authorization(port, **{"maxResponseBytes": 100_000, **changes}), **(connection or {}))
    return HttpAdapter(made, resolve=Names(), environment={"TOKEN": "t0p-s3cret"})


def observed(adapter: HttpAdapter, sent: dict[str, Any]) -> dict[str, Any]:
    return asyncio.run(probe(adapter, sent))


def body(adapter: HttpAdapter, sent: dict[str, Any]) -> Any:
    return observed(adapter, sent)["body"]["value"]


def test_the_service_sees_what_the_probe_says(port: int) -> None:
    sent = request(
        "POST",
        "/anything/{name}",
        path={"name": "a/b c"},
        query={"q": ["x y", 1], "z": None},
        header={"X-Trace": "t"},
        body={"kind": "json", "value": {"ü": [1.0, None]}},
    )
    seen = body(adapter(port), sent)
    assert (seen["method"], seen["json"], seen["args"]) == ("POST", {"ü": [1, None]}, {"q": ["x y", "1"], "z": "null"})
    assert seen["headers"]["X-Trace"] == "t"
    assert seen["headers"]["Host"] == f"orders.test:{port}"
    assert seen["url"].startswith(f"http://orders.test:{port}/anything/a")


def test_raw_bytes_arrive_as_they_are(port: int) -> None:
    raw = {"kind": "raw", "base64": base64.b64encode(b"\x00\xff").decode(), "contentType": "application/x-thing"}
    seen = body(adapter(port), request("PUT", "/anything", body=raw))
    assert seen["data"] == "data:application/octet-stream;base64,AP8="
    assert seen["headers"]["Content-Type"] == "application/x-thing"


@pytest.mark.parametrize("status", [200, 204, 404, 418, 500, 503])
def test_every_status_is_observed(port: int, status: int) -> None:
    assert observed(adapter(port), request("GET", "/status/{code}", path={"code": status}))["status"] == status


@pytest.mark.parametrize(("path", "flag"), [("/gzip", "gzipped"), ("/deflate", "deflated"), ("/get", "args")])
def test_codings_are_undone(port: int, path: str, flag: str) -> None:
    assert flag in body(adapter(port), request("GET", path))


def test_redirects_are_followed_up_to_the_cap(port: int) -> None:
    three = request("GET", "/relative-redirect/{n}", path={"n": 3})
    assert observed(adapter(port, maxRedirects=3), three)["status"] == 200
    assert asyncio.run(fault_of(adapter(port, maxRedirects=2), three)).code == "budget-exhausted"


@pytest.mark.parametrize(
    "to", ["http://127.0.0.1:22/", "http://169.254.169.254/latest/meta-data/", "http://localhost/"]
)
def test_a_redirect_elsewhere_is_denied(port: int, to: str) -> None:
    fault = asyncio.run(fault_of(adapter(port, maxRedirects=3), request("GET", "/redirect-to", query={"url": to})))
    assert (fault.code, fault.reason) == ("forbidden-target", "host-not-authorized")


def test_caps_hold(port: int) -> None:
    slow = request("GET", "/drip", query={"duration": 20, "numbytes": 20, "delay": 0})
    assert asyncio.run(fault_of(adapter(port, maxElapsedMs=300), slow)).code == "budget-exhausted"
    large = request("GET", "/stream-bytes/{n}", path={"n": 90_000})
    assert asyncio.run(fault_of(adapter(port, maxResponseBytes=50_000), large)).code == "budget-exhausted"


def test_cookies_are_forgotten_between_probes(port: int) -> None:
    async def jar(made: HttpAdapter) -> Any:
        await probe(made, request("GET", "/cookies/set", query={"a": "1"}))
        return (await probe(made, request("GET", "/cookies")))["body"]["value"]["cookies"]

    assert asyncio.run(jar(adapter(port, maxRedirects=1))) == {}
    assert asyncio.run(jar(adapter(port, {"keepCookies": True}, maxRedirects=1))) == {"a": "1"}


def test_an_echoed_secret_is_masked(port: int) -> None:
    connection = {"secrets": {"authorization": {"env": "TOKEN", "prefix": "Bearer "}}}
    seen = observed(adapter(port, connection), request("GET", "/bearer"))
    assert seen["body"]["value"] == {"authenticated": True, "token": "[secret:TOKEN]"}
    assert "t0p-s3cret" not in json.dumps(observed(adapter(port, connection), request("GET", "/headers")))

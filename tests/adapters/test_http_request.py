"""How a probe request is spelled as an HTTP request, and what it may not say."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from evalnb.adapters.http_request import joined, request_parts
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.preflight.probe_port import parse_probe_request
from tests.adapters.http_server import request


def parts(method: str = "GET", path: str = "/", /, **channels: Any) -> Any:
    return request_parts(parse_probe_request(request(method, path, **channels)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("template", "values", "path"),
    [
        ("/orders/{id}", {"id": "a b"}, "/orders/a%20b"),
        ("/orders/{id}", {"id": "x/../y?z#w%"}, "/orders/x%2F..%2Fy%3Fz%23w%25"),
        ("/orders/{id}", {"id": ".."}, "/orders/%2E%2E"),
        ("/orders/{id}/lines", {"id": "."}, "/orders/%2E/lines"),
        ("/a-{id}.json", {"id": ".."}, "/a-...json"),
        ("/n/{n}", {"n": 1e21}, "/n/1e%2B21"),
        ("/n/{n}", {"n": -0.0}, "/n/0"),
        ("/b/{b}", {"b": True}, "/b/true"),
        ("/v/{v}", {"v": None}, "/v/null"),
        ("/v/{v}", {"v": {"k": [1]}}, "/v/%7B%22k%22%3A%5B1%5D%7D"),
        ("/e/{e}", {"e": ""}, "/e/"),
        ("/é/{e}", {"e": "ü"}, "/%C3%A9/%C3%BC"),
        ("/kept/%2F", {}, "/kept/%2F"),
        ("/{id}/{id}", {"id": 7}, "/7/7"),
    ],
)
def test_a_path_template_is_filled(template: str, values: dict[str, Any], path: str) -> None:
    assert _path(template, values) == path


def _path(template: str, values: dict[str, Any]) -> str:
    return str(parts("GET", template, path=values).path_and_query)


@pytest.mark.parametrize(("template", "values"), [("/o/{id}", {}), ("/o", {"id": 1}), ("/o/{id}", {"id": 1, "x": 2})])
def test_path_values_and_places_must_agree(template: str, values: dict[str, Any]) -> None:
    with pytest.raises(RuntimeFault, match="path template") as caught:
        _path(template, values)
    assert (caught.value.code, caught.value.artifact_path) == ("port-failure", "ProbeRequest")


@pytest.mark.parametrize(
    ("values", "query"),
    [
        ({"q": "a b&c=d"}, "q=a%20b%26c%3Dd"),
        ({"b": "x", "2": "y", "1": ["p", "q"]}, "1=p&1=q&2=y&b=x"),
        ({"none": []}, ""),
        ({"n": None, "t": False, "d": 0.1}, "n=null&t=false&d=0.1"),
        ({"k é": "\n"}, "k%20%C3%A9=%0A"),
        ({"o": {"b": 1, "a": "x"}}, "o=%7B%22b%22%3A1%2C%22a%22%3A%22x%22%7D"),
    ],
)
def test_a_query_repeats_lists_and_keeps_property_order(values: dict[str, Any], query: str) -> None:
    assert parts(query=values).path_and_query == (f"/?{query}" if query else "/")


@pytest.mark.parametrize(
    ("body", "sent", "content_type"),
    [
        ({"kind": "absent"}, None, None),
        (
            {"kind": "json", "value": {"b": 1.0, "a": ["ü", None]}},
            '{"b":1,"a":["ü",null]}'.encode(),
            "application/json",
        ),
        ({"kind": "json", "value": None}, b"null", "application/json"),
        (
            {"kind": "raw", "base64": "AP8=", "contentType": "application/octet-stream"},
            b"\x00\xff",
            "application/octet-stream",
        ),
        ({"kind": "raw", "base64": "", "contentType": "text/plain; charset=utf-8"}, b"", "text/plain; charset=utf-8"),
    ],
)
def test_a_body_is_json_raw_or_absent(body: dict[str, Any], sent: bytes | None, content_type: str | None) -> None:
    made = parts("POST", body=body)
    assert made.body == sent
    assert made.headers.get("content-type") == content_type


def test_a_stated_content_type_is_kept() -> None:
    made = parts("POST", header={"Content-Type": "application/merge-patch+json"}, body={"kind": "json", "value": {}})
    assert made.headers == {"content-type": "application/merge-patch+json"}


@pytest.mark.parametrize(
    ("header", "code", "reason"),
    [
        ({"Host": "other.test"}, "forbidden-target", "host-not-authorized"),
        ({"Content-Length": "0"}, "port-failure", None),
        ({"Transfer-Encoding": "chunked"}, "port-failure", None),
        ({"Connection": "upgrade"}, "port-failure", None),
        ({"x": "a\r\nEvil: 1"}, "port-failure", None),
        ({"x": "a\x00"}, "port-failure", None),
        ({"bad name": "a"}, "port-failure", None),
        ({"x\r\ny": "a"}, "port-failure", None),
    ],
)
def test_a_header_cannot_name_the_host_frame_the_message_or_smuggle_a_line(
    header: dict[str, str], code: str, reason: str | None
) -> None:
    with pytest.raises(RuntimeFault) as caught:
        parts(header=header)
    assert (caught.value.code, caught.value.reason, caught.value.artifact_path) == (code, reason, "ProbeRequest")


@pytest.mark.parametrize(
    ("base", "target"),
    [
        ("http://a.test", b"/o"),
        ("http://a.test/", b"/o"),
        ("http://a.test/v1", b"/v1/o"),
        ("http://a.test/v1/", b"/v1/o"),
    ],
)
def test_a_path_is_joined_to_the_base_path(base: str, target: bytes) -> None:
    assert joined(httpx2.URL(base), "/o") == target

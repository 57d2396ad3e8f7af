"""Which addresses of a name may be dialled, and what is never even resolved."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import httpx2
import pytest

from evalnb.adapters.http_target import AdmittedTarget, Origin, admit, system_resolver
from evalnb.engine.faults import RuntimeFault
from tests.adapters.http_server import Names, authorization, policy

ORIGIN = Origin("http", "orders.test", 8080)


def admitted(
    names: Names, *authorizations: dict[str, Any], origin: Origin = ORIGIN, method: str = "GET"
) -> AdmittedTarget:
    return asyncio.run(admit(policy(*authorizations), "orders", origin, method, names))


def denied(names: Names, *authorizations: dict[str, Any], origin: Origin = ORIGIN, method: str = "GET") -> RuntimeFault:
    with pytest.raises(RuntimeFault) as caught:
        admitted(names, *authorizations, origin=origin, method=method)
    assert (caught.value.code, caught.value.artifact_path) == ("forbidden-target", "ProbeRequest")
    return caught.value


def test_only_named_addresses_are_dialled_in_resolved_order() -> None:
    names = Names(orders_test=["10.0.0.1", "127.0.0.2", "::1", "127.0.0.1"])
    target = admitted(names, authorization(8080, addresses=["127.0.0.1", "127.0.0.2"]))
    assert target.addresses == ("127.0.0.2", "127.0.0.1")
    assert names.asked == ["orders.test"]


def test_addresses_of_one_authorization_only() -> None:
    names = Names(orders_test=["127.0.0.2", "127.0.0.1"])
    second = authorization(8080, addresses=["127.0.0.2"], maxRedirects=3)
    target = admitted(names, authorization(8080), second)
    assert (target.authorization.max_redirects, target.addresses) == (3, ("127.0.0.2",))


@pytest.mark.parametrize(
    ("resolved", "reason"),
    [
        ("127.0.0.2", "address-not-authorized"),
        ("::127.0.0.1", "address-not-authorized"),
        ("64:ff9b::127.0.0.1", "address-not-authorized"),
        ("169.254.169.254", "address-not-authorized"),
        ("fe80::1%eth0", "address-not-authorized"),
        ("127.1", "address-unparseable"),
        ("0177.0.0.1", "address-unparseable"),
        ("0x7f000001", "address-unparseable"),
        ("2130706433", "address-unparseable"),
        ("::1%lo", "address-unparseable"),
    ],
)
def test_an_address_that_is_not_named_is_denied_in_every_spelling(resolved: str, reason: str) -> None:
    assert denied(Names(orders_test=[resolved]), authorization(8080)).reason == reason


@pytest.mark.parametrize(
    ("resolved", "dialled"),
    [
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("::ffff:7f00:1", "127.0.0.1"),
        ("127.0.0.1", "127.0.0.1"),
    ],
)
def test_a_mapped_address_is_the_address_it_maps(resolved: str, dialled: str) -> None:
    assert admitted(Names(orders_test=[resolved]), authorization(8080)).addresses == (dialled,)


def test_a_link_local_address_is_dialled_with_its_zone() -> None:
    target = admitted(Names(orders_test=["fe80::1%eth0"]), authorization(8080, addresses=["fe80::1"]))
    assert target.addresses == ("fe80:0000:0000:0000:0000:0000:0000:0001%eth0",)


@pytest.mark.parametrize(
    ("origin", "reason"),
    [
        (Origin("https", "orders.test", 8080), "scheme-not-authorized"),
        (Origin("http", "evil.test", 8080), "host-not-authorized"),
        (Origin("http", "orders.test", 81), "port-not-authorized"),
    ],
)
def test_a_name_that_no_authorization_mentions_is_not_resolved(origin: Origin, reason: str) -> None:
    names = Names()
    assert denied(names, authorization(8080), origin=origin).reason == reason
    assert names.asked == []


def test_the_first_authorization_reports_the_denial() -> None:
    names = Names(orders_test=["10.0.0.1"])
    other = authorization(8080, host="other.test")
    assert denied(names, other, authorization(8080)).reason == "host-not-authorized"
    assert denied(names, authorization(8080), other).reason == "address-not-authorized"


def test_a_method_must_be_authorized() -> None:
    assert denied(Names(), authorization(8080, methods=["GET"]), method="PUT").reason == "method-not-authorized"


def test_a_literal_host_is_its_own_address() -> None:
    names = Names()
    origin = Origin("http", "::1", 80)
    target = admitted(names, authorization(80, host="::1", addresses=["::1"]), origin=origin)
    assert target.addresses == ("0000:0000:0000:0000:0000:0000:0000:0001",)
    assert names.asked == []


def test_a_name_without_addresses_cannot_be_reached() -> None:
    with pytest.raises(RuntimeFault) as caught:
        admitted(Names(orders_test=[]), authorization(8080))
    assert caught.value.code == "port-failure"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://a.test/x", Origin("http", "a.test", 80)),
        ("https://a.test", Origin("https", "a.test", 443)),
        ("http://[::1]:81/", Origin("http", "::1", 81)),
    ],
)
def test_an_origin_is_read_from_a_url(url: str, origin: Origin) -> None:
    assert Origin.of_url(httpx2.URL(url)) == origin


def test_the_system_resolver_names_the_scope_of_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolved() -> object:
        loop = asyncio.get_running_loop()

        async def found(*_: object, **__: object) -> list[Any]:
            place = ("fe80::1", 80, 0, 3)
            four = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 80))
            return [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", place), four, four]

        monkeypatch.setattr(loop, "getaddrinfo", found)
        return await system_resolver("x.test", 80)

    assert asyncio.run(resolved()) == ["fe80::1%3", "10.0.0.1"]

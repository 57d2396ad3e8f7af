"""Reading addresses: which spellings are read, as what, and which surely stay on this machine."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.artifacts.addresses import classify_address, parse_address, stays_on_host


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1", "loopback"),
        ("0.0.0.0", "loopback"),
        ("0.0.0.1", "public"),
        ("169.254.169.254", "metadata"),
        ("169.254.1.1", "link-local"),
        ("100.127.255.255", "private"),
        ("100.128.0.0", "public"),
        ("[::1]", "loopback"),
        ("::ffff:10.0.0.1", "private"),
        ("64:ff9b::7f00:1", "loopback"),
        ("::10.1.2.3", "private"),
        ("fd00:ec2::254", "metadata"),
        ("fd00:ec2::255", "private"),
        ("fe80::1%eth0", "link-local"),
        ("2001:db8::1%eth0", "unparseable"),
        ("::ffff:10.0.0.1%eth0", "unparseable"),
        ("127.0.0.1%eth0", "unparseable"),
        ("fe80::1%a%b", "unparseable"),
        ("fe80::1%", "unparseable"),
        ("010.0.0.1", "unparseable"),
        ("0x7f.0.0.1", "unparseable"),
        ("127.1", "unparseable"),
        ("127.0.0.1\n", "unparseable"),
        ("127.0.0.1:80", "unparseable"),
        ("1:2:3:4:5:6:7", "unparseable"),
        ("1:2:3:4:5:6:7:8:9", "unparseable"),
        ("1::2::3", "unparseable"),
        ("1:2:3:4:5:6:7::8", "unparseable"),
        (":::", "unparseable"),
        ("1:", "unparseable"),
        ("1.2.3.4::", "unparseable"),
        ("::1.2.3.4:5", "unparseable"),
        ("", "unparseable"),
        ("[]", "unparseable"),
        ("[[::1]]", "unparseable"),
        ("localhost", "unparseable"),
    ],
)
def test_a_spelling_has_one_class(text: str, expected: str) -> None:
    assert classify_address(text) == expected


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("127.9.9.9", True),
        ("::1", True),
        ("::", True),
        ("::ffff:127.0.0.1", True),
        ("::127.0.0.1", False),
        ("64:ff9b::127.0.0.1", False),
        ("10.0.0.1", False),
        ("nonsense", False),
    ],
)
def test_only_loopback_itself_stays_on_this_machine(text: str, stays: bool) -> None:
    assert stays_on_host(text) is stays


@given(st.ip_addresses(v=6))
def test_every_spelling_of_a_number_has_one_canonical_form(address: ipaddress.IPv6Address) -> None:
    short, long = parse_address(address.compressed), parse_address(address.exploded.upper())
    assert short is not None
    assert short == long
    if short.family == 6:
        assert short.canonical == address.exploded


@given(st.ip_addresses(v=4))
def test_a_dotted_quad_is_its_own_canonical_form(address: ipaddress.IPv4Address) -> None:
    read = parse_address(str(address))
    assert read is not None
    assert (read.family, read.canonical) == (4, str(address))

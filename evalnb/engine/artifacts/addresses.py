"""Reading an IP address as a target policy spells it, and saying what kind of place it names.

Pure text: nothing is resolved, and no spelling is accepted that two programs could read differently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

AddressClass = Literal["loopback", "private", "link-local", "metadata", "public", "unparseable"]

ADDRESS_CLASSES: tuple[AddressClass, ...] = (
    "loopback",
    "private",
    "link-local",
    "metadata",
    "public",
    "unparseable",
)

# First match wins; each row is (network, prefix length, class).
_IPV4_CLASSES: tuple[tuple[int, int, AddressClass], ...] = (
    (0xA9FEA9FE, 32, "metadata"),  # 169.254.169.254
    (0x7F000000, 8, "loopback"),
    (0x00000000, 32, "loopback"),  # 0.0.0.0 reaches this host
    (0xA9FE0000, 16, "link-local"),
    (0x0A000000, 8, "private"),
    (0xAC100000, 12, "private"),
    (0xC0A80000, 16, "private"),
    (0x64400000, 10, "private"),  # shared address space
)

_IPV6_METADATA = 0xFD000EC2_00000000_00000000_00000254
_NAT64_PREFIX = 0x0064FF9B_00000000_00000000
_IPV6_CLASSES: tuple[tuple[int, int, AddressClass], ...] = (
    (0xFE80 << 112, 10, "link-local"),
    (0xFC00 << 112, 7, "private"),
)

_OCTET = re.compile(r"0|[1-9][0-9]{0,2}", re.ASCII)
_GROUP = re.compile(r"[0-9a-fA-F]{1,4}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Address:
    """A readable address: its family, one spelling that equal addresses share, and its class."""

    family: Literal[4, 6]
    canonical: str
    address_class: AddressClass


@lru_cache(maxsize=1024)
def parse_address(text: str) -> Address | None:
    """The address that `text` spells, or None where the grammar does not read it (spec: 10 §5.3)."""
    if len(text) >= 2 and text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    text, mark, zone = text.partition("%")
    if not text or (mark and (not zone or "%" in zone)):
        return None
    if ":" not in text:
        number = _ipv4_number(text)
        return None if mark or number is None else _ipv4(number)
    groups = _ipv6_groups(text)
    if groups is None:
        return None
    return _ipv6(groups, zoned=bool(mark))


def classify_address(text: str) -> AddressClass:
    """The class of `text`, `unparseable` where it is no address."""
    address = parse_address(text)
    return "unparseable" if address is None else address.address_class


def stays_on_host(text: str) -> bool:
    """Whether traffic to `text` surely stays on this machine (spec: 10 §5.3)."""
    address = parse_address(text)
    if address is None or address.address_class != "loopback":
        return False
    # A translated IPv4 spelling is classed by what it embeds, yet leaves through a gateway.
    return address.family == 4 or address.canonical[:-1] == "0000:0000:0000:0000:0000:0000:0000:000"


def _ipv4(number: int) -> Address:
    canonical = ".".join(str(number >> shift & 0xFF) for shift in (24, 16, 8, 0))
    return Address(4, canonical, _ipv4_class(number))


def _ipv4_number(text: str) -> int | None:
    parts = text.split(".")
    if len(parts) != 4 or not all(_OCTET.fullmatch(part) and int(part) <= 255 for part in parts):
        return None
    number = 0
    for part in parts:
        number = number << 8 | int(part)
    return number


def _ipv4_class(number: int) -> AddressClass:
    for network, prefix, address_class in _IPV4_CLASSES:
        if (number ^ network) >> (32 - prefix) == 0:
            return address_class
    return "public"


def _ipv6(groups: list[int], *, zoned: bool) -> Address | None:
    number = 0
    for group in groups:
        number = number << 16 | group
    if number >> 32 == 0xFFFF:  # an IPv4-mapped spelling is that IPv4 address
        return None if zoned else _ipv4(number & 0xFFFF_FFFF)
    address_class = _ipv6_class(number)
    if zoned and address_class != "link-local":
        return None
    return Address(6, ":".join(f"{group:04x}" for group in groups), address_class)


def _ipv6_class(number: int) -> AddressClass:
    if number == _IPV6_METADATA:
        return "metadata"
    if number >> 32 == _NAT64_PREFIX or (number >> 32 == 0 and number > 1):
        return _ipv4_class(number & 0xFFFF_FFFF)
    if number <= 1:
        return "loopback"
    for network, prefix, address_class in _IPV6_CLASSES:
        if (number ^ network) >> (128 - prefix) == 0:
            return address_class
    return "public"


def _ipv6_groups(text: str) -> list[int] | None:
    head, gap, tail = text.partition("::")
    if not gap:
        groups = _groups(head, quad_allowed=True)
        return groups if groups is not None and len(groups) == 8 else None
    if "::" in tail or tail.startswith(":"):
        return None
    before = _groups(head, quad_allowed=False) if head else []
    after = _groups(tail, quad_allowed=True) if tail else []
    if before is None or after is None or len(before) + len(after) > 7:
        return None
    return [*before, *[0] * (8 - len(before) - len(after)), *after]


def _groups(text: str, *, quad_allowed: bool) -> list[int] | None:
    pieces = text.split(":")
    groups: list[int] = []
    for index, piece in enumerate(pieces):
        if "." in piece:
            quad = _ipv4_number(piece) if quad_allowed and index == len(pieces) - 1 else None
            if quad is None:
                return None
            groups += [quad >> 16, quad & 0xFFFF]
        elif _GROUP.fullmatch(piece):
            groups.append(int(piece, 16))
        else:
            return None
    return groups

"""Where an HTTP request goes: an origin, the addresses its name has, and which of those a policy lets us dial.

A name is resolved once; what was validated is what gets dialled. spec: 10 §1.2, §5.2
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import httpx2

from evalnb.adapters.policies.decisions import AddressAllowed, AddressDenied, HttpTarget, evaluate_target
from evalnb.engine.artifacts.addresses import parse_address
from evalnb.engine.artifacts.target_policies import ProbeTargetAuthorization, ProbeTargetPolicy
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import quote

DEFAULT_PORTS = {"http": 80, "https": 443}

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host name, as text, in the order to try them; OSError where it has none."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port: what a policy decides on, and what credentials belong to."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of_url(cls, url: httpx2.URL) -> Origin:
        """The origin of an absolute URL."""
        return cls(url.scheme, url.raw_host.decode("ascii"), url.port or DEFAULT_PORTS.get(url.scheme, 0))

    @classmethod
    def of_authorization(cls, authorization: ProbeTargetAuthorization) -> Origin:
        """The origin that an authorization names."""
        return cls(authorization.scheme, authorization.host, authorization.port)

    @property
    def url(self) -> httpx2.URL:
        """The root of the origin. A zone belongs to dialling and is no part of a URL."""
        return httpx2.URL(scheme=self.scheme, host=self.host.partition("%")[0].strip("[]"), port=self.port, path="/")


@dataclass(frozen=True, slots=True)
class AdmittedTarget:
    """An origin that may be reached: under which authorization, and the only addresses that may be dialled."""

    authorization: ProbeTargetAuthorization
    addresses: tuple[str, ...]


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """The addresses that this machine's resolver gives for `host`."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    addresses = [_address_text(family, place) for family, _, _, _, place in found]
    return list(dict.fromkeys(addresses))


def _address_text(family: int, place: tuple[object, ...]) -> str:
    text = str(place[0])
    scope = place[3] if family == socket.AF_INET6 and len(place) > 3 else 0
    return f"{text}%{scope}" if scope and "%" not in text else text


async def admit(
    policy: ProbeTargetPolicy, interface_id: str, origin: Origin, method: str, resolve: Resolver
) -> AdmittedTarget:
    """The addresses of `origin` that the policy lets `method` reach.

    Raises RuntimeFault `forbidden-target` when there is none; then nothing was dialled, and a name that no
    authorization mentions was not even resolved.
    """

    def decide(address: str, among: ProbeTargetPolicy = policy) -> AddressAllowed | AddressDenied:
        return evaluate_target(
            among, HttpTarget(interface_id, origin.scheme, origin.host, origin.port, address, method)
        )

    literal = parse_address(origin.host) is not None
    if not literal and not any(_awaits_address(decide("", _only(entry))) for entry in policy.authorizations):
        raise _denial(decide(""))
    addresses = [origin.host] if literal else await resolve(origin.host, origin.port)
    if not addresses:
        raise RuntimeFault("port-failure", "ProbeObservation", f"the host {quote(origin.host)} has no address")
    decisions = [(address, decide(address)) for address in addresses]
    admitted = [(address, decision) for address, decision in decisions if isinstance(decision, AddressAllowed)]
    if not admitted:
        raise _denial(decisions[0][1])
    authorization = admitted[0][1].authorization
    return AdmittedTarget(
        authorization,
        tuple(_dialled(text, decision) for text, decision in admitted if decision.authorization is authorization),
    )


def _only(authorization: ProbeTargetAuthorization) -> ProbeTargetPolicy:
    return ProbeTargetPolicy.model_construct(authorizations=(authorization,))


def _awaits_address(decision: AddressAllowed | AddressDenied) -> bool:
    """Whether scheme, host and port were found right, so that only the missing address was refused."""
    return isinstance(decision, AddressDenied) and decision.reason == "address-unparseable"


def _denial(decision: AddressAllowed | AddressDenied) -> RuntimeFault:
    assert isinstance(decision, AddressDenied)
    return decision.fault()


def _dialled(text: str, decision: AddressAllowed) -> str:
    """The address to dial: its one canonical spelling, with the zone that the canonical form leaves out."""
    _, mark, zone = text.strip("[]").partition("%")
    return f"{decision.canonical_address}{mark}{zone}"

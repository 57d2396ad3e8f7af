"""Whether a policy lets a probe reach a target. Pure decisions: nothing is resolved, opened or started here.

spec: 10 §5.2, §6.2, §7.2, §8.2
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from evalnb.engine.artifacts.addresses import AddressClass, classify_address, parse_address
from evalnb.engine.artifacts.target_policies import (
    CommandTargetAuthorization,
    CommandTargetPolicy,
    McpTargetAuthorization,
    McpTargetPolicy,
    ProbeTargetAuthorization,
    ProbeTargetPolicy,
)
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import quote

Authorization = TypeVar("Authorization")

HTTP_DENIAL_REASONS: Final = (
    "interface-not-authorized",
    "scheme-not-authorized",
    "host-not-authorized",
    "port-not-authorized",
    "address-not-authorized",
    "address-unparseable",
    "method-not-authorized",
)
"""Why an HTTP target is denied, in published order."""


@dataclass(frozen=True, slots=True)
class HttpTarget:
    """Where a request would go; `address` is what the host resolved to, as text."""

    interface_id: str
    scheme: str
    host: str
    port: int
    address: str
    method: str


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """What would be run, by the contract's names."""

    interface_id: str
    executable: str
    subcommand_path: Sequence[str]


@dataclass(frozen=True, slots=True)
class McpTarget:
    """Which tool of which server would be called."""

    interface_id: str
    tool_name: str


@dataclass(frozen=True, slots=True)
class Allowed(Generic[Authorization]):
    """The target may be reached, within the bounds of `authorization`."""

    authorization: Authorization


@dataclass(frozen=True, slots=True)
class Denied:
    """The target may not be reached; `reason` is one of the published denial reasons."""

    reason: str
    detail: str

    def fault(self, artifact_path: str = "ProbeRequest") -> RuntimeFault:
        """The fault an adapter raises for this denial."""
        return RuntimeFault("forbidden-target", artifact_path, self.detail, reason=self.reason)


@dataclass(frozen=True, slots=True)
class AddressAllowed(Allowed[ProbeTargetAuthorization]):
    """An HTTP target that may be reached, with the reading of its address."""

    address_class: AddressClass
    canonical_address: str


@dataclass(frozen=True, slots=True)
class AddressDenied(Denied):
    """An HTTP target that may not be reached; the class of its address is for the operator to read."""

    address_class: AddressClass


def evaluate_target(policy: ProbeTargetPolicy, target: HttpTarget) -> AddressAllowed | AddressDenied:
    """Decide an HTTP target: the first authorization that allows it wins, else the first one's denial is reported."""
    first_denial: AddressDenied | None = None
    for authorization in policy.authorizations:
        if authorization.interface_id != target.interface_id:
            continue
        decision = _evaluate_one(authorization, target)
        if isinstance(decision, AddressAllowed):
            return decision
        first_denial = first_denial or decision
    return first_denial or AddressDenied(
        "interface-not-authorized",
        f"no authorization names the interface {quote(target.interface_id)}",
        classify_address(target.address),
    )


def is_safe_method(authorization: ProbeTargetAuthorization, method: str) -> bool:
    """Whether a differential probe may use `method`: it is both authorized and declared safe."""
    return method in authorization.methods and method in authorization.safe_methods


def evaluate_command_target(
    policy: CommandTargetPolicy, target: CommandTarget
) -> Allowed[CommandTargetAuthorization] | Denied:
    """Decide a command: its interface and executable must be paired and the whole subcommand path permitted."""
    candidates = [
        authorization
        for authorization in policy.authorizations
        if authorization.interface_id == target.interface_id and authorization.executable == target.executable
    ]
    if not candidates:
        return _unpaired(policy, target)
    requested = tuple(target.subcommand_path)
    for authorization in candidates:
        if requested in {tuple(path) for path in authorization.permitted_subcommand_paths}:
            return Allowed(authorization)
    return Denied(
        "subcommand-not-authorized",
        f"no authorization for {quote(target.executable)} permits the subcommand path {quote(' '.join(requested))}",
    )


def evaluate_environment(permitted_keys: Iterable[str], declared_keys: Iterable[str]) -> Denied | None:
    """The denial of the first declared environment key that may not reach the command, None where all may."""
    permitted = frozenset(permitted_keys)
    for key in declared_keys:
        if key.upper() == "PATH":
            return Denied(
                "environment-key-not-authorized",
                f"the environment key {quote(key)} would choose which program runs, so no policy can permit it",
            )
        if key not in permitted:
            return Denied("environment-key-not-authorized", f"the environment key {quote(key)} is not permitted")
    return None


def evaluate_mcp_target(policy: McpTargetPolicy, target: McpTarget) -> Allowed[McpTargetAuthorization] | Denied:
    """Decide a tool call; only the first authorization that names the interface is ever consulted."""
    for authorization in policy.authorizations:
        if authorization.interface_id == target.interface_id:
            if target.tool_name in authorization.tools:
                return Allowed(authorization)
            return Denied(
                "tool-not-authorized",
                f"the tool {quote(target.tool_name)} of the interface {quote(target.interface_id)} is not permitted",
            )
    return _unnamed(target.interface_id)


def _evaluate_one(authorization: ProbeTargetAuthorization, target: HttpTarget) -> AddressAllowed | AddressDenied:
    for rule in _TARGET_RULES:
        if not rule.holds(authorization, target):
            address_class = classify_address(target.address)
            return AddressDenied(rule.reason, f"{rule.what(target)} ({address_class} address)", address_class)
    address = parse_address(target.address)
    assert address is not None  # the rules refused an unreadable address
    return AddressAllowed(authorization, address.address_class, address.canonical)


def _host_key(host: str) -> str:
    return host.lower().removesuffix(".")


def _names_address(authorization: ProbeTargetAuthorization, target: HttpTarget) -> bool:
    address = parse_address(target.address)
    named = (parse_address(text) for text in authorization.addresses)
    return address is not None and any(entry and entry.canonical == address.canonical for entry in named)


@dataclass(frozen=True, slots=True)
class _TargetRule:
    """One row of the decision: the reason given when `holds` fails, and the words for the operator."""

    reason: str
    holds: Callable[[ProbeTargetAuthorization, HttpTarget], bool]
    what: Callable[[HttpTarget], str]


# In order; the first that fails decides. Before an address parses its class is `unparseable`, so the class of the
# address is the right one for every row.
_TARGET_RULES: Final = (
    _TargetRule(
        "scheme-not-authorized",
        lambda authorization, target: authorization.scheme == target.scheme,
        lambda target: f"the scheme {quote(target.scheme)} is not authorized",
    ),
    _TargetRule(
        "host-not-authorized",
        lambda authorization, target: _host_key(authorization.host) == _host_key(target.host),
        lambda target: f"the host {quote(target.host)} is not authorized",
    ),
    _TargetRule(
        "port-not-authorized",
        lambda authorization, target: authorization.port == target.port,
        lambda target: f"the port {target.port} is not authorized",
    ),
    _TargetRule(
        "address-unparseable",
        lambda authorization, target: parse_address(target.address) is not None,
        lambda target: f"the address {quote(target.address)} cannot be read",
    ),
    _TargetRule(
        "address-not-authorized",
        _names_address,
        lambda target: f"the address {quote(target.address)} is not authorized",
    ),
    _TargetRule(
        "method-not-authorized",
        lambda authorization, target: target.method in authorization.methods,
        lambda target: f"the method {quote(target.method)} is not authorized",
    ),
)


def _unpaired(policy: CommandTargetPolicy, target: CommandTarget) -> Denied:
    if any(authorization.interface_id == target.interface_id for authorization in policy.authorizations):
        return Denied(
            "executable-not-authorized",
            f"no authorization of the interface {quote(target.interface_id)} names the executable"
            f" {quote(target.executable)}",
        )
    return _unnamed(target.interface_id)


def _unnamed(interface_id: str) -> Denied:
    return Denied("interface-not-authorized", f"no authorization names the interface {quote(interface_id)}")

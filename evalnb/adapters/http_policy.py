"""HTTP targets with their connections: the chapter's authorizations, and how each interface is reached.

A connection says where requests go, which secrets they carry and the adapter's switches; the authorizations alone
decide what may be reached.
"""

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from evalnb.adapters.policies.secrets import SecretReference
from evalnb.engine.artifacts.model import Omittable, Refined, StrictObject
from evalnb.engine.artifacts.primitives import Identifier, KeyName, MapOf, Text
from evalnb.engine.artifacts.target_policies import ProbeTargetPolicy
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import quote
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY

HeaderSecrets = MapOf[KeyName, SecretReference]
"""Secrets by the header that carries them."""


def _is_base_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        plain = not (parts.username or parts.password or parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        return False
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname)


BaseUrl = Annotated[
    Text, Refined(_is_base_url, "a base URL is http or https with a host, and has no user, query or fragment")
]


class ApiConnection(StrictObject):
    """How an HTTP interface is reached.

    `base_url` is where requests go before any redirect, by default the root of the interface's first authorization;
    what it names still needs an authorization. `secrets` are always sent, `credentials` when their principal acts.
    `redirects` set to `observe` leaves a redirecting answer as it is; `ca_file` replaces the trusted roots.
    """

    base_url: Annotated[BaseUrl | None, Omittable()] = None
    headers: Annotated[MapOf[KeyName, str] | None, Omittable()] = None
    secrets: Annotated[HeaderSecrets | None, Omittable()] = None
    credentials: Annotated[MapOf[Identifier, HeaderSecrets] | None, Omittable()] = None
    default_principal: Annotated[Identifier | None, Omittable()] = None
    keep_cookies: Annotated[bool | None, Omittable()] = None
    redirects: Annotated[Literal["follow", "observe"] | None, Omittable()] = None
    ca_file: Annotated[Text | None, Omittable()] = None

    def acting(self, principal: str | None) -> str | None:
        """Who acts when a caller names `principal`, or nobody."""
        return principal if principal is not None else self.default_principal

    def secrets_of(self, principal: str | None) -> Mapping[str, SecretReference]:
        """The secrets sent when `principal` acts; RuntimeFault `port-failure` for one without an entry."""
        acting = self.acting(principal)
        own = {} if acting is None else (self.credentials or {}).get(acting)
        if own is None:
            detail = f"the target policy names no credentials of the principal {quote(acting or '')}"
            raise RuntimeFault("port-failure", PROBE_BOUNDARY.request_path, detail)
        return {**(self.secrets or {}), **own}


class HttpPolicy(ProbeTargetPolicy):
    """The HTTP targets and, by interface, their connections; an empty list of authorizations reaches nothing."""

    connections: Annotated[MapOf[Identifier, ApiConnection] | None, Omittable()] = None


def api_connection(policy: ProbeTargetPolicy, interface_id: str) -> ApiConnection:
    """How an interface is reached; all defaults where the policy says nothing, as the chapter's own shape does."""
    connections = policy.connections if isinstance(policy, HttpPolicy) else None
    return (connections or {}).get(interface_id) or ApiConnection()

"""The secrets of an interface whose target is a process: which environment key gets which, and who is acting.

A secret is named by a policy, held by this host's environment, and masked wherever the target echoes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from evalnb.adapters.policies.secrets import Secret, SecretMask, SecretReference, read_secret
from evalnb.engine.artifacts.model import Omittable, Refined, StrictObject
from evalnb.engine.artifacts.port_messages import EnvironmentKeyName
from evalnb.engine.artifacts.primitives import Identifier, MapOf
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import quote
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY

EnvironmentSecrets = Annotated[
    MapOf[EnvironmentKeyName, SecretReference],
    Refined(
        lambda secrets: all(key.upper() != "PATH" for key in secrets),
        "PATH cannot be a secret: it would choose which program runs",
    ),
]
"""Secrets by the environment key of the target that carries them."""


class ProcessConnection(StrictObject):
    """What a target process is given besides its policy's bounds.

    `secrets` are always given, `credentials` when their principal acts.
    """

    secrets: Annotated[EnvironmentSecrets | None, Omittable()] = None
    credentials: Annotated[MapOf[Identifier, EnvironmentSecrets] | None, Omittable()] = None
    default_principal: Annotated[Identifier | None, Omittable()] = None

    def secrets_of(self, principal: str | None) -> Mapping[str, SecretReference]:
        """The secrets given when `principal` acts; RuntimeFault `port-failure` for one without an entry."""
        acting = principal if principal is not None else self.default_principal
        own = {} if acting is None else (self.credentials or {}).get(acting)
        if own is None:
            raise RuntimeFault(
                "port-failure",
                PROBE_BOUNDARY.request_path,
                f"the target policy names no credentials of the principal {quote(acting or '')}",
            )
        return {**(self.secrets or {}), **own}


@dataclass(frozen=True, slots=True)
class KnownSecrets:
    """Secrets as they are sent, by name, and the mask for whatever echoes them."""

    values: Mapping[str, str]
    mask: SecretMask


def known_secrets(
    connection: ProcessConnection, principal: str | None, environment: Mapping[str, str] | None
) -> KnownSecrets:
    """The secrets of a connection read from `environment`, by default this host's.

    Raises RuntimeFault `port-failure` for a variable that is not set.
    """
    values: dict[str, str] = {}
    secrets: list[Secret] = []
    for key, reference in connection.secrets_of(principal).items():
        secret = read_secret(reference, PROBE_BOUNDARY.request_path, environment)
        secrets.append(secret)
        values[key] = f"{reference.prefix or ''}{secret.value}"
    return KnownSecrets(values, SecretMask(secrets))

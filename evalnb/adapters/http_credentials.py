"""What the policy adds to a request in a principal's name, and the mask over everything that may echo it."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from evalnb.adapters.http_exchange import masked_logs
from evalnb.adapters.http_policy import ApiConnection
from evalnb.adapters.http_request import REQUEST_PATH, checked_headers
from evalnb.adapters.policies.secrets import SecretMask, read_secret
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json


@dataclass(frozen=True, slots=True)
class Credentials:
    """Headers sent in the policy's name, secrets among them, by lower-case name."""

    headers: Mapping[str, str]
    mask: SecretMask

    async def guarded(self, work: Coroutine[Any, Any, dict[str, Json]]) -> dict[str, Json]:
        """What `work` answers, or its failure as a fault; no secret is left in either, nor in what is logged."""
        try:
            with masked_logs(self.mask):
                answer: dict[str, Json] = self.mask.json(await work)
                return answer
        except RuntimeFault as raised:
            fault = raised
        except Exception as error:  # noqa: BLE001 - any failure may hold a secret
            fault = RuntimeFault("port-failure", "ProbeObservation", str(error) or type(error).__name__, error)
        # Raised out here: a fault that keeps the original as its context would keep its request, secrets included.
        raise self.mask.fault(fault)


def read_credentials(
    connection: ApiConnection, principal: str | None, environment: Mapping[str, str] | None
) -> Credentials:
    """The policy's headers for `principal` (the connection's default one when None).

    RuntimeFault `port-failure` for a principal without credentials, an unset variable or an unsendable header.
    """
    references = connection.secrets_of(principal)
    secrets = {name: read_secret(reference, REQUEST_PATH, environment) for name, reference in references.items()}
    values = {name: (references[name].prefix or "") + secret.value for name, secret in secrets.items()}
    headers = {**checked_headers(connection.headers or {}), **checked_headers(values)}
    return Credentials(headers, SecretMask(secrets.values()))

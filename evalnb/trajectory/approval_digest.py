"""What an approval is bound to: one digest over tool, arguments, tenant and expiry."""

from __future__ import annotations

import json
from collections.abc import Mapping

from evalnb.engine.canonical import digest_artifact, digest_bytes
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json


def approval_digest(
    tool: str, arguments: Mapping[str, Json] | None, tenant: str | None, expires_at: float | None
) -> str:
    """The digest of a call as it was reviewed: any other argument, tenant or expiry gives another one."""
    reviewed = {"tool": tool, "arguments": dict(arguments or {}), "tenant": tenant, "expiresAt": expires_at}
    try:
        return digest_artifact(reviewed, "reviewed call")
    except RuntimeFault:
        # Canonical JSON holds no half character and no integer beyond 2^53; a call may.
        return digest_bytes(json.dumps(reviewed, sort_keys=True).encode("ascii"))

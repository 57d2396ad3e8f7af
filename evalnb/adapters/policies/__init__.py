"""What the adapters may reach: target policies decided and parsed, and the secrets they name."""

from __future__ import annotations

from evalnb.adapters.policies.decisions import (
    AddressAllowed,
    AddressDenied,
    Allowed,
    CommandTarget,
    Denied,
    HttpTarget,
    McpTarget,
    evaluate_command_target,
    evaluate_environment,
    evaluate_mcp_target,
    evaluate_target,
    is_safe_method,
)
from evalnb.adapters.policies.parsing import (
    parse_command_target_policy,
    parse_mcp_target_policy,
    parse_probe_target_policy,
)
from evalnb.adapters.policies.secrets import Secret, SecretMask, SecretReference, read_secret

__all__ = [
    "AddressAllowed",
    "AddressDenied",
    "Allowed",
    "CommandTarget",
    "Denied",
    "HttpTarget",
    "McpTarget",
    "Secret",
    "SecretMask",
    "SecretReference",
    "evaluate_command_target",
    "evaluate_environment",
    "evaluate_mcp_target",
    "evaluate_target",
    "is_safe_method",
    "parse_command_target_policy",
    "parse_mcp_target_policy",
    "parse_probe_target_policy",
    "read_secret",
]

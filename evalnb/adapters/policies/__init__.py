"""What the adapters may reach: target policies decided, read from disk, and the secrets they name."""

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
from evalnb.adapters.policies.secrets import SecretMask, SecretReference, read_secret
from evalnb.adapters.policies.targets_file import TargetsFile, parse_targets, read_targets

__all__ = [
    "AddressAllowed",
    "AddressDenied",
    "Allowed",
    "CommandTarget",
    "Denied",
    "HttpTarget",
    "McpTarget",
    "SecretMask",
    "SecretReference",
    "TargetsFile",
    "evaluate_command_target",
    "evaluate_environment",
    "evaluate_mcp_target",
    "evaluate_target",
    "is_safe_method",
    "parse_command_target_policy",
    "parse_mcp_target_policy",
    "parse_probe_target_policy",
    "parse_targets",
    "read_secret",
    "read_targets",
]

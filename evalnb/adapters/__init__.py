"""Ports made real: what the engine asks for, answered from files, processes and the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalnb.engine.lazy_names import lazy_names

if TYPE_CHECKING:
    from evalnb.adapters.clock import SystemClock
    from evalnb.adapters.command import CommandLineAdapter
    from evalnb.adapters.files import LocalFiles
    from evalnb.adapters.http_probe import HttpAdapter
    from evalnb.adapters.local_corpus import LocalCorpus
    from evalnb.adapters.mcp import McpAdapter
    from evalnb.adapters.policies import (
        parse_command_target_policy,
        parse_mcp_target_policy,
        parse_probe_target_policy,
    )
    from evalnb.adapters.targets import TargetsFile, parse_targets, read_targets

__all__ = [
    "CommandLineAdapter",
    "HttpAdapter",
    "LocalCorpus",
    "LocalFiles",
    "McpAdapter",
    "SystemClock",
    "TargetsFile",
    "parse_command_target_policy",
    "parse_mcp_target_policy",
    "parse_probe_target_policy",
    "parse_targets",
    "read_targets",
]

# An adapter's libraries are loaded when the adapter is first asked for.
__getattr__ = lazy_names(
    __name__,
    {
        "evalnb.adapters.clock": ("SystemClock",),
        "evalnb.adapters.command": ("CommandLineAdapter",),
        "evalnb.adapters.files": ("LocalFiles",),
        "evalnb.adapters.http_probe": ("HttpAdapter",),
        "evalnb.adapters.local_corpus": ("LocalCorpus",),
        "evalnb.adapters.mcp": ("McpAdapter",),
        "evalnb.adapters.policies": (
            "parse_command_target_policy",
            "parse_mcp_target_policy",
            "parse_probe_target_policy",
        ),
        "evalnb.adapters.targets": ("TargetsFile", "parse_targets", "read_targets"),
    },
)

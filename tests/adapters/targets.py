"""Target policies and requests for the adapter tests, as short as the tests need them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Any

from evalnb.adapters.command_policy import CommandPolicy
from evalnb.adapters.mcp_policy import McpPolicy
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController
from tests.adapters.survivors import MARK

HOST_PATH = os.environ.get("PATH", "")


def command_policy(target: str, connection: dict[str, Any] | None = None, **changes: Any) -> CommandPolicy:
    """One command, `tool` of interface `cli`, that may run without subcommand and with `run`."""
    authorization = {
        "interfaceId": "cli",
        "executable": "tool",
        "target": target,
        "permittedSubcommandPaths": [[], ["run"], ["run", "now"]],
        "permittedEnvironmentKeys": [MARK, "GREETING"],
        "cwd": "/",
        "artifacts": {},
        "maxElapsedMs": 10_000,
        "maxOutputBytes": 1_000_000,
        **changes,
    }
    policy: CommandPolicy = validated(
        CommandPolicy, {"authorizations": [authorization], "connections": {"cli": connection or {}}}
    )
    return policy


def command_request(
    arguments: Sequence[str] = (), subcommands: Sequence[str] = (), mark: str | None = None, **channels: Any
) -> dict[str, Any]:
    """A request of that command; `arguments` are its positionals."""
    return {
        "kind": "cli",
        "probeId": "leg-1",
        "interfaceId": "cli",
        "operationId": "op",
        "executable": "tool",
        "subcommandPath": list(subcommands),
        "channels": {
            "argument": {"words": list(arguments)},
            "option": {},
            "environment": {} if mark is None else {MARK: mark},
            "stdin": {"kind": "absent"},
            **channels,
        },
    }


def mcp_policy(
    command: Sequence[str], connection: dict[str, Any] | None = None, mark: str | None = None, **changes: Any
) -> McpPolicy:
    """One tool server of interface `mcp`, with the tools `echo` and `other`."""
    authorization = {
        "interfaceId": "mcp",
        "target": command[0],
        "targetArgs": list(command[1:]),
        "tools": ["echo", "other"],
        "cwd": "/",
        "serverEnvironment": {} if mark is None else {MARK: mark},
        "maxElapsedMs": 10_000,
        "maxOutputBytes": 1_000_000,
        **changes,
    }
    policy: McpPolicy = validated(
        McpPolicy, {"authorizations": [authorization], "connections": {"mcp": connection or {}}}
    )
    return policy


def mcp_request(arguments: dict[str, Any] | None = None, tool: str = "echo") -> dict[str, Any]:
    """A call of one of its tools."""
    return {
        "kind": "mcp",
        "probeId": "leg-1",
        "interfaceId": "mcp",
        "operationId": "op",
        "toolName": tool,
        "channels": {"arguments": arguments or {}},
    }


def observe(adapter: Any, request: dict[str, Any]) -> Any:
    """What one probe observed, in an event loop of its own."""
    return asyncio.run(adapter.probe(request, AbortController().signal))


def fault_of(adapter: Any, request: dict[str, Any]) -> RuntimeFault:
    """The fault that one probe ended with."""
    try:
        observed = observe(adapter, request)
    except RuntimeFault as fault:
        return fault
    raise AssertionError(f"observed {observed}")

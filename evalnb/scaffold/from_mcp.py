"""A draft from a live tool server's own list of tools."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from typing import Final

from evalnb.adapters.mcp_discovery import ServerListing, ToolDescription
from evalnb.adapters.mcp_servers import describe
from evalnb.adapters.mcp_wire import ServerLaunch
from evalnb.scaffold.draft import Draft, DraftOperation, identifier, seems_to_read
from evalnb.scaffold.json_shapes import keys_of

_TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_ELAPSED_MS: Final = 30_000
_OUTPUT_BYTES: Final = 4_000_000


async def draft_from_server(command: str, environment: Mapping[str, str], cwd: str) -> Draft:
    """Start the server that `command` names, ask for its tools and end it; raises RuntimeFault `port-failure`.

    Raises ValueError for a command that is no command line.
    """
    argv = shlex.split(command)
    if not argv:
        raise ValueError("the command is empty")
    launch = ServerLaunch(
        tuple(argv),
        {"PATH": os.environ.get("PATH", ""), **environment},
        os.path.abspath(cwd),
        _ELAPSED_MS,
        _OUTPUT_BYTES,
    )
    listing = await describe(launch)
    return _draft(listing, argv, environment, cwd)


def _draft(listing: ServerListing, argv: list[str], environment: Mapping[str, str], cwd: str) -> Draft:
    taken: set[str] = set()
    tools = [tool for tool in listing.tools if _TOOL_NAME.fullmatch(tool.name)]
    interface_id = identifier(listing.server_name, set(), "server")
    authorization = {
        "interfaceId": interface_id,
        "target": argv[0],
        "targetArgs": argv[1:],
        "tools": [tool.name for tool in tools],
        "cwd": cwd,
        "serverEnvironment": dict(environment),
        "maxElapsedMs": _ELAPSED_MS,
        "maxOutputBytes": _OUTPUT_BYTES,
    }
    readings = {tool.name: "text" for tool in tools if tool.output_schema is None}
    connections = {interface_id: {"results": readings}} if readings else {}
    return Draft(
        interface_id,
        "mcp",
        f"the tools of {listing.server_name} {listing.server_version}",
        [_operation(tool, taken) for tool in tools],
        {"mcp": {"authorizations": [authorization] if tools else [], "connections": connections}},
        tuple(
            f"tool {tool.name!r}: its name is none that a contract can hold"
            for tool in listing.tools
            if tool not in tools
        ),
    )


def _operation(tool: ToolDescription, taken: set[str]) -> DraftOperation:
    read_only = tool.annotations.get("readOnlyHint")
    reads = read_only if isinstance(read_only, bool) else seems_to_read(tool.name)
    arguments = keys_of(tool.input_schema, tool.input_schema)
    schema = tool.output_schema
    text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    return DraftOperation(
        identifier(tool.name, taken),
        tool.name,
        tool.description or tool.title or "",
        {"toolName": tool.name},
        not reads,
        {"arguments": arguments},
        keys_of(text, {}) if schema is None else keys_of(schema, schema),
        "arguments" if arguments.permitted else None,
    )

"""A replay as an MCP server over standard input and output."""

from __future__ import annotations

from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

from evalnb.recording.frames import INTERNAL_ERROR, INVALID_PARAMS, TIMED_OUT
from evalnb.recording.replay import CAVEAT, Replay, Unmatched
from evalnb.trajectory.events import ToolResult
from evalnb.version import __version__


def build_server(replay: Replay) -> Server[Any]:
    """The server: the recorded tools and their recorded answers, and no other."""

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.input_schema if isinstance(tool.input_schema, dict) else {"type": "object"},
                    output_schema=tool.output_schema if isinstance(tool.output_schema, dict) else None,
                )
                for tool in replay.tools()
            ]
        )

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        found = replay.answer(params.name, params.arguments or {})
        if isinstance(found, Unmatched):
            raise MCPError(INVALID_PARAMS, f"{found.tool} {found.reason} ({CAVEAT})")
        return _as_recorded(found)

    return Server(
        "evalnb replay",
        version=__version__,
        instructions=f"The recorded run {replay.run.run_id}, answered again, {replay.match} matching: {CAVEAT}. "
        "Nothing here was asked of a live system.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_replay(replay: Replay) -> None:
    """Serve one client until it leaves."""
    server = build_server(replay)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _as_recorded(found: ToolResult) -> CallToolResult:
    """The answer in the form it had; a malformed one is given as the text that was recorded of it."""
    if found.status == "timeout":
        raise MCPError(TIMED_OUT, found.text or "Request timed out")
    if found.status == "protocol-error":
        raise MCPError(INTERNAL_ERROR, found.text or "Internal error")
    structured = found.structured if isinstance(found.structured, dict) else None
    content = [] if found.text is None else [TextContent(type="text", text=found.text)]
    is_error = found.status in ("execution-error", "rate-limit", "denied")
    return CallToolResult(content=content, structured_content=structured, is_error=is_error)

"""evalnb as an MCP server over stdio, or over streamable HTTP on loopback, for agents that author contracts."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from anyio import to_thread
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations

from evalnb.engine.faults import EvaluationFailure
from evalnb.serving.answers import Answer, failed, refused
from evalnb.serving.file_root import FileRoot, RefusedPath
from evalnb.serving.stage_calls import Given
from evalnb.serving.tool_table import TOOLS
from evalnb.version import __version__

LOOPBACK: Final = "127.0.0.1"
PATH: Final = "/mcp"

_INSTRUCTIONS: Final = (
    "evalnb measures evaluations. Write a contract, compile it, mend what the failure names (explain tells how), look "
    "at its coverage. Documents are given as they are, or as files below the root of this server. Nothing is written."
)
_ONLY_READS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def answer_call(name: str, arguments: Mapping[str, Any], files: FileRoot) -> Answer:
    """The structured answer of one tool call; a failure is an answer, too."""
    from evalnb.corpus import UnknownExample
    from evalnb.engine.score.designation import DesignatedOracleRefusal
    from evalnb.explain import UnknownCode

    tool = next((tool for tool in TOOLS if tool.name == name), None)
    if tool is None:
        return refused(f"there is no tool of this name; there are: {', '.join(tool.name for tool in TOOLS)}")
    issue = next(Draft202012Validator(tool.input_schema).iter_errors(dict(arguments)), None)
    if issue is not None:
        return refused(f"the arguments do not fit the tool: {issue.json_path}: {issue.message[:500]}")
    try:
        return {"ok": True, **tool.call(Given(arguments, files))}
    except EvaluationFailure as failure:
        return failed(failure)
    except (RefusedPath, UnknownCode, UnknownExample, DesignatedOracleRefusal) as refusal:
        return refused(str(refusal))


def build_server(root: Path | None = None) -> Server[Any]:
    """The server, which reads files below `root` only, and none without one."""
    files = FileRoot(root)

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=dict(tool.input_schema),
                    output_schema=dict(tool.output_schema),
                    annotations=_ONLY_READS,
                )
                for tool in TOOLS
            ]
        )

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        answer = await to_thread.run_sync(answer_call, params.name, params.arguments or {}, files)
        # A contract that does not compile is what the compiler is asked about; only a wrong call is an error.
        wrong_call = not answer["ok"] and answer["failure"]["kind"] == "request"
        text = TextContent(type="text", text=json.dumps(answer, ensure_ascii=True))
        return CallToolResult(content=[text], structured_content=answer, is_error=wrong_call)

    return Server(
        "evalnb",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(root: Path | None = None) -> None:
    """Serve one client over standard input and output, until it leaves."""
    server = build_server(root)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_http(root: Path | None, port: int, announce: Callable[[str], None]) -> None:
    """Serve over streamable HTTP on loopback, until cancelled or signalled; port 0 picks a free one.

    `announce` gets the URL once clients can connect. Raises OSError for a port that cannot be had.
    """
    import uvicorn

    app = build_server(root).streamable_http_app(host=LOOPBACK, streamable_http_path=PATH)
    with socket.create_server((LOOPBACK, port)) as listening:
        announce(f"http://{LOOPBACK}:{listening.getsockname()[1]}{PATH}")
        await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listening])

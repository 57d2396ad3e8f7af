"""A tool server for an evaluator's own client: lists the permitted tools and passes every call to the gateway.

Started by the client as the access file says: `python -m evalnb.harness.gateway.mcp_face ADDRESS INTERFACE TOOLS [WHO]`
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import anyio
import httpx2
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

from evalnb.version import __version__

OBSERVATION_KEY: Final = "evalnb/observation"
"""The key of a result's `_meta` under which the id of the recorded call stands."""


def build_server(address: str, interface: str, tools: list[dict[str, Any]], principal: str | None) -> Server[Any]:
    """The server over one interface of the gateway at `address`, acting for `principal`."""
    structured = {tool["name"] for tool in tools if tool.get("outputSchema") is not None}

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(tools=[Tool.model_validate(tool) for tool in tools])

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        call = {
            "interface": interface,
            "tool": params.name,
            "arguments": params.arguments or {},
            "principal": principal,
        }
        async with httpx2.AsyncClient(timeout=None, trust_env=False) as client:
            response = await client.post(f"{address}/tool", json=call)
        given = response.json()
        if "refused" in given:
            return CallToolResult(content=[_text(f"refused: {given['refused']}")], is_error=True)
        answer = given["answer"]
        value = answer["result"].get("value")
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return CallToolResult.model_validate(
            {
                "content": [] if answer["result"]["kind"] == "absent" else [{"type": "text", "text": text}],
                "structuredContent": value if params.name in structured and isinstance(value, dict) else None,
                "isError": answer["isError"],
                "_meta": {OBSERVATION_KEY: given["observation"]},
            }
        )

    return Server(interface, version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


async def _serve(address: str, interface: str, listed: str, principal: str | None) -> None:
    server = build_server(address, interface, json.loads(Path(listed).read_text()), principal)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    _address, _interface, _listed, *_principal = sys.argv[1:]
    anyio.run(_serve, _address, _interface, _listed, _principal[0] if _principal else None)

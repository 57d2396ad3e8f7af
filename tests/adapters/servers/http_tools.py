"""A tool server over streamable HTTP, on the SDK's own server, at the loopback port that is its argument."""

from __future__ import annotations

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("shop")
calls: list[str] = []


@server.tool()
def add(a: int, b: int) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


@server.tool()
def remember(word: str) -> list[str]:
    """Every word of this process so far."""
    calls.append(word)
    return calls


@server.tool()
def boom() -> str:
    """Fail."""
    raise ValueError("no")


if __name__ == "__main__":
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))

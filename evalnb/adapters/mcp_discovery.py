"""Which tools a server offers, as it describes them: every page of its list, read again when the list changes.

What a description holds came from outside and is not to be trusted; only its form is checked here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY

if TYPE_CHECKING:
    from evalnb.adapters.mcp_session import ServerSession

# Against a server that never comes to an end; its budget is the bound that usually holds.
_MOST_PAGES: Final = 1000
_MOST_READINGS: Final = 3


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """One tool as its server describes it; `annotations` are the server's hints about what it does."""

    name: str
    title: str | None
    description: str | None
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    annotations: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ServerListing:
    """A server and its tools, in the order it lists them."""

    server_name: str
    server_version: str
    protocol_version: str
    instructions: str | None
    tools: tuple[ToolDescription, ...]


async def list_tools(session: ServerSession, within: float | None = None) -> tuple[ToolDescription, ...]:
    """All pages of the server's tool list; read again, at most twice, when it changes meanwhile.

    `within` bounds each page in seconds. Raises RuntimeFault `port-failure` or `budget-exhausted`.
    """
    tools: tuple[ToolDescription, ...] = ()
    for _ in range(_MOST_READINGS):
        session.tools_changed = False
        tools = await _all_pages(session, within)
        if not session.tools_changed:
            break
    return tools


async def describe_server(session: ServerSession) -> ServerListing:
    """What the server said about itself when the session opened, and its tools."""
    info = session.server.get("serverInfo")
    named = info if isinstance(info, dict) else {}
    return ServerListing(
        server_name=_text(named.get("name")) or "",
        server_version=_text(named.get("version")) or "",
        protocol_version=_text(session.server.get("protocolVersion")) or "",
        instructions=_text(session.server.get("instructions")),
        tools=await list_tools(session),
    )


async def _all_pages(session: ServerSession, within: float | None) -> tuple[ToolDescription, ...]:
    tools: list[ToolDescription] = []
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(_MOST_PAGES):
        result = await _page(session, cursor, within)
        tools += map(_described, result["tools"])
        cursor = _text(result.get("nextCursor"))
        if cursor is None:
            return tuple(tools)
        if cursor in seen:
            raise _unreadable("names the same page twice")
        seen.add(cursor)
    raise _unreadable(f"has more than {_MOST_PAGES} pages")


async def _page(session: ServerSession, cursor: str | None, within: float | None) -> dict[str, Any]:
    params: dict[str, Json] = {} if cursor is None else {"cursor": cursor}
    answer = await session.ask("tools/list", params, within)
    error, result = answer.get("error"), answer.get("result")
    if error is not None:
        message = error.get("message") if isinstance(error, dict) else None
        raise _unreadable(f"was refused: {str(message)[:200]}")
    if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
        raise _unreadable("has no tools")
    return result


def _described(tool: Json) -> ToolDescription:
    name = tool.get("name") if isinstance(tool, dict) else None
    if not isinstance(tool, dict) or not isinstance(name, str):
        raise _unreadable("holds a tool without a name")
    return ToolDescription(
        name=name,
        title=_text(tool.get("title")),
        description=_text(tool.get("description")),
        input_schema=_object(tool.get("inputSchema")) or {},
        output_schema=_object(tool.get("outputSchema")),
        annotations=_object(tool.get("annotations")) or {},
    )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _object(value: Json) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _unreadable(why: str) -> RuntimeFault:
    return RuntimeFault("port-failure", PROBE_BOUNDARY.response_path, f"the server's list of tools {why}")

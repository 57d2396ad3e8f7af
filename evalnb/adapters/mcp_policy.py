"""Tool servers with their connections: the chapter's authorizations, and how each server is used or reached.

The authorizations alone decide which server starts and which tools may be called; a server that is reached instead
of started names its tools itself, and where it may be reached is the HTTP target policy's to decide.
"""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field

from evalnb.adapters.process_connection import ProcessConnection
from evalnb.engine.artifacts.model import Items, Omittable, Refined
from evalnb.engine.artifacts.primitives import Identifier, KeyName, MapOf, Text, ToolName
from evalnb.engine.artifacts.target_policies import McpTargetPolicy

ResultReading = Literal["structured", "text-json", "text"]
"""What a tool's answer is read from: its structured content, JSON in its one text block, or its text as it is."""

SessionSpan = Literal["per-call", "per-run"]
"""How long a session lasts: one call with a server process of its own, or every call of a run."""


class McpConnection(ProcessConnection):
    """How a tool server is used; its secrets are environment keys, of a server over HTTP headers.

    `session` is one a call unless it says otherwise; `result` is how answers are read, structured unless it says
    otherwise, `results` the same for single tools.
    """

    session: Annotated[SessionSpan | None, Omittable()] = None
    result: Annotated[ResultReading | None, Omittable()] = None
    results: Annotated[MapOf[ToolName, ResultReading] | None, Omittable()] = None

    def reading_of(self, tool_name: str) -> ResultReading:
        """How the answers of a tool are read."""
        return (self.results or {}).get(tool_name) or self.result or "structured"


def _is_endpoint(text: str) -> bool:
    try:
        parts = urlsplit(text)
        bare = not (parts.username or parts.password or parts.fragment) and parts.port != 0
    except ValueError:
        return False
    return bare and parts.scheme in ("http", "https") and bool(parts.hostname)


class McpHttpConnection(McpConnection):
    """A tool server over streamable HTTP. The HTTP authorizations of its interface decide whether `url` is reached.

    `ca_file` replaces the trusted roots of a server over https.
    """

    url: Annotated[
        Text, Refined(_is_endpoint, "an endpoint has a scheme of http or https and a host, and no user or fragment")
    ]
    tools: Annotated[Items[ToolName], Field(min_length=1)]
    headers: Annotated[MapOf[KeyName, str] | None, Omittable()] = None
    ca_file: Annotated[Text | None, Omittable()] = None


class McpPolicy(McpTargetPolicy):
    """The tool servers and, by interface, their connections; `http_servers` are connected to, not started."""

    connections: Annotated[MapOf[Identifier, McpConnection] | None, Omittable()] = None
    http_servers: Annotated[MapOf[Identifier, McpHttpConnection] | None, Omittable()] = None


def mcp_connection(policy: McpTargetPolicy, interface_id: str) -> McpConnection:
    """How an interface's server is used; all defaults where the policy says nothing, as the chapter's shape does."""
    if not isinstance(policy, McpPolicy):
        return McpConnection()
    return (
        (policy.connections or {}).get(interface_id) or (policy.http_servers or {}).get(interface_id) or McpConnection()
    )


def mcp_http_server(policy: McpTargetPolicy, interface_id: str) -> McpHttpConnection | None:
    """The server over HTTP that an interface names; None where it names none."""
    return (policy.http_servers or {}).get(interface_id) if isinstance(policy, McpPolicy) else None

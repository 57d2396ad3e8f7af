"""The targets file: the three target policies in one JSON or YAML file, and how each interface is connected.

`api`, `cli` and `mcp` each hold the published `authorizations`; `connections` beside them is our own addition, by
interface: where to connect, the secrets to send and the switches of an adapter. Secrets are named, never held.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from evalnb.adapters.policies.parsing import (
    parse_command_target_policy,
    parse_mcp_target_policy,
    parse_probe_target_policy,
    plain_copy,
)
from evalnb.adapters.policies.secrets import SecretReference
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.artifacts.model import Items, Omittable, Refined, StrictObject
from evalnb.engine.artifacts.primitives import Identifier, KeyName, MapOf, Text, ToolName
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.artifacts.target_policies import (
    CommandTargetAuthorization,
    CommandTargetPolicy,
    McpTargetAuthorization,
    McpTargetPolicy,
    ProbeTargetAuthorization,
    ProbeTargetPolicy,
)
from evalnb.engine.canonical import scan_json
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import quote
from evalnb.files import read_file

ARTIFACT_PATH = "TargetsFile"

Secrets = MapOf[KeyName, SecretReference]
"""Secrets by the name they are sent under: a header of an API, an environment key of a command or a server."""


class Connection(StrictObject):
    """What every interface may say: secrets sent always, secrets by principal, and who acts when nobody is named."""

    secrets: Annotated[Secrets | None, Omittable()] = None
    credentials: Annotated[MapOf[Identifier, Secrets] | None, Omittable()] = None
    default_principal: Annotated[Identifier | None, Omittable()] = None

    def acting(self, principal: str | None) -> str | None:
        """Who acts when a caller names `principal`, or nobody."""
        return principal if principal is not None else self.default_principal

    def secrets_of(self, principal: str | None) -> Mapping[str, SecretReference]:
        """The secrets sent when `principal` acts; RuntimeFault `port-failure` for one without an entry."""
        acting = self.acting(principal)
        shared = self.secrets or {}
        if acting is None:
            return shared
        own = (self.credentials or {}).get(acting)
        if own is None:
            detail = f"the target policy names no credentials of the principal {quote(acting)}"
            raise RuntimeFault("port-failure", "ProbeRequest", detail)
        return {**shared, **own}


def _is_base_url(text: str | None) -> bool:
    if text is None:
        return True
    try:
        parts = urlsplit(text)
        plain = not (parts.username or parts.password or parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        return False
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname)


class ApiConnection(Connection):
    """How an HTTP interface is reached.

    `base_url` is where requests go before any redirect, by default the root of the interface's first authorization;
    what it names still needs an authorization. `redirects` set to `observe` leaves a redirecting answer as it is;
    `ca_file` replaces the trusted roots. `secrets` and `credentials` are headers.
    """

    base_url: Annotated[
        Text | None,
        Omittable(),
        Refined(_is_base_url, "a base URL is http or https with a host, and has no user, query or fragment"),
    ] = None
    headers: Annotated[MapOf[KeyName, str] | None, Omittable()] = None
    keep_cookies: Annotated[bool | None, Omittable()] = None
    redirects: Annotated[Literal["follow", "observe"] | None, Omittable()] = None
    ca_file: Annotated[Text | None, Omittable()] = None


class CommandConnection(Connection):
    """How a command is started; `secrets` and `credentials` are environment keys of it."""


ResultReading = Literal["structured", "text-json", "text"]
"""What a tool's answer is read from: its structured content, JSON in its one text block, or that text itself."""


class McpConnection(Connection):
    """How a tool server is used; `secrets` and `credentials` are environment keys of it.

    `session` is one server process a call (the default) or one for a whole run; `result` is how answers are read,
    `results` the same for single tools.
    """

    session: Annotated[Literal["per-call", "per-run"] | None, Omittable()] = None
    result: Annotated[ResultReading | None, Omittable()] = None
    results: Annotated[MapOf[ToolName, ResultReading] | None, Omittable()] = None

    def reading_of(self, tool: str) -> ResultReading:
        """How the answers of `tool` are read."""
        return (self.results or {}).get(tool) or self.result or "structured"


class McpHttpConnection(McpConnection):
    """A tool server over streamable HTTP; where `url` may lead is decided by the `api` authorizations of its name.

    `secrets` and `credentials` are headers.
    """

    url: Text
    tools: Items[ToolName]
    headers: Annotated[MapOf[KeyName, str] | None, Omittable()] = None


class ApiTargets(StrictObject):
    """The HTTP targets and their connections."""

    authorizations: Items[ProbeTargetAuthorization]
    connections: Annotated[MapOf[Identifier, ApiConnection] | None, Omittable()] = None


class CommandTargets(StrictObject):
    """The commands and their connections."""

    authorizations: Items[CommandTargetAuthorization]
    connections: Annotated[MapOf[Identifier, CommandConnection] | None, Omittable()] = None


class McpTargets(StrictObject):
    """The tool servers and their connections; `http_servers` are those that are not started but connected to."""

    authorizations: Items[McpTargetAuthorization]
    connections: Annotated[MapOf[Identifier, McpConnection] | None, Omittable()] = None
    http_servers: Annotated[MapOf[Identifier, McpHttpConnection] | None, Omittable()] = None


class TargetsFile(StrictObject):
    """Everything a live run may reach; a kind that is left out is authorized nothing."""

    api: Annotated[ApiTargets | None, Omittable()] = None
    cli: Annotated[CommandTargets | None, Omittable()] = None
    mcp: Annotated[McpTargets | None, Omittable()] = None

    @property
    def probe_policy(self) -> ProbeTargetPolicy:
        """The HTTP target policy."""
        return ProbeTargetPolicy(authorizations=self.api.authorizations if self.api else ())

    @property
    def command_policy(self) -> CommandTargetPolicy:
        """The command target policy."""
        return CommandTargetPolicy(authorizations=self.cli.authorizations if self.cli else ())

    @property
    def mcp_policy(self) -> McpTargetPolicy:
        """The tool-server target policy."""
        return McpTargetPolicy(authorizations=self.mcp.authorizations if self.mcp else ())

    def api_connection(self, interface_id: str) -> ApiConnection:
        """How the HTTP interface is reached, all defaults where nothing is said."""
        return ((self.api and self.api.connections) or {}).get(interface_id) or ApiConnection()

    def command_connection(self, interface_id: str) -> CommandConnection:
        """How the command is started, all defaults where nothing is said."""
        return ((self.cli and self.cli.connections) or {}).get(interface_id) or CommandConnection()

    def mcp_connection(self, interface_id: str) -> McpConnection:
        """How the tool server is used, all defaults where nothing is said."""
        mcp = self.mcp
        named = ((mcp and mcp.connections) or {}).get(interface_id)
        return named or ((mcp and mcp.http_servers) or {}).get(interface_id) or McpConnection()


def read_targets(path: Path) -> TargetsFile:
    """The targets file at `path`: JSON when its name ends in `.json`, YAML otherwise.

    Raises `FileProblem` for a file that cannot be read, RuntimeFault `schema-parse-failure` for any other content.
    """
    data = read_file(path, "the target policies: what a live run may reach")
    return parse_targets(scan_json(data, ARTIFACT_PATH) if path.suffix == ".json" else _load_yaml(data))


def parse_targets(raw: object) -> TargetsFile:
    """The targets that `raw` is; RuntimeFault `schema-parse-failure` with every issue otherwise.

    Each section's authorizations are refused exactly as the parser of that policy refuses them.
    """
    plain = plain_copy(raw)
    for section, parse in _SECTIONS.items():
        value = plain.get(section) if isinstance(plain, dict) else None
        if isinstance(value, dict) and "authorizations" in value:
            parse({"authorizations": value["authorizations"]})
    try:
        targets: TargetsFile = validated(TargetsFile, plain)
    except ShapeError as error:
        detail = f"input does not conform to the {ARTIFACT_PATH} schema: {error}"
        raise RuntimeFault("schema-parse-failure", ARTIFACT_PATH, detail, error) from error
    _check_environment_keys(targets)
    return targets


_SECTIONS: Mapping[str, Any] = {
    "api": parse_probe_target_policy,
    "cli": parse_command_target_policy,
    "mcp": parse_mcp_target_policy,
}


def _check_environment_keys(targets: TargetsFile) -> None:
    for connection in ((targets.cli and targets.cli.connections) or {}).values():
        for secrets in (connection.secrets or {}, *(connection.credentials or {}).values()):
            for key in secrets:
                if key.upper() == "PATH" or "=" in key or "\0" in key:
                    raise RuntimeFault(
                        "schema-parse-failure", ARTIFACT_PATH, f"no secret can be the variable {quote(key)}"
                    )


def _load_yaml(data: bytes) -> object:
    import yaml

    class PlainLoader(yaml.SafeLoader):
        """Safe types only, no aliases (a few of them can stand for gigabytes), no key twice."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.events.AliasEvent):
                raise yaml.YAMLError("aliases are not read; write the value out")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            mapping = super().construct_mapping(node, deep=True)
            if len(mapping) != len(node.value):
                raise yaml.YAMLError(f"a key is written twice in the mapping at line {node.start_mark.line + 1}")
            return mapping

    try:
        return yaml.load(data, Loader=PlainLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        detail = f"the file is not plain YAML: {error}"
        raise RuntimeFault("schema-parse-failure", ARTIFACT_PATH, detail, error) from error

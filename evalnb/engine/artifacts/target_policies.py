"""What a probe is allowed to reach, in three kinds: HTTP targets, commands, tool servers.

The shapes alone; deciding a target and reading a policy from disk are the adapters' work. spec: 10 §5.1, §6.1, §8.1
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from evalnb.engine.artifacts.addresses import parse_address
from evalnb.engine.artifacts.model import Items, Refined, StrictObject
from evalnb.engine.artifacts.port_messages import EnvironmentKeyName
from evalnb.engine.artifacts.primitives import (
    HttpMethod,
    Identifier,
    KeyName,
    MapOf,
    NonNegativeInt,
    PositiveInt,
    Text,
    ToolName,
)
from evalnb.engine.artifacts.text import Integer

LONGEST_TIMER_MS: Final = 2_147_483_647
"""A timer set for longer fires at once where timers count in 32 bits."""

TimerMilliseconds = Annotated[int, Integer(1, LONGEST_TIMER_MS)]


def _is_readable(address: str) -> bool:
    return parse_address(address) is not None


AddressLiteral = Annotated[
    Text, Refined(_is_readable, "an address is a literal IPv4 or IPv6 address, with no port and no host name")
]


class ProbeTargetAuthorization(StrictObject):
    """One HTTP target, by name and by every address it may have, with what may be asked of it."""

    interface_id: Identifier
    scheme: Literal["http", "https"]
    host: Text
    port: Annotated[int, Integer(1, 65535)]
    addresses: Annotated[Items[AddressLiteral], Field(min_length=1)]
    methods: Annotated[Items[HttpMethod], Field(min_length=1)]
    safe_methods: Items[HttpMethod]
    max_redirects: NonNegativeInt
    max_elapsed_ms: PositiveInt
    max_request_bytes: PositiveInt
    max_response_bytes: PositiveInt


class ProbeTargetPolicy(StrictObject):
    """The HTTP targets; an empty list authorizes nothing."""

    authorizations: Items[ProbeTargetAuthorization]


def _leaves_path_alone(keys: Sequence[str]) -> bool:
    return all(key.upper() != "PATH" for key in keys)


class CommandTargetAuthorization(StrictObject):
    """One executable, the subcommands it may run, its environment and where its files are read."""

    interface_id: Identifier
    executable: Identifier
    target: Text
    permitted_subcommand_paths: Annotated[Items[Items[Identifier]], Field(min_length=1)]
    permitted_environment_keys: Annotated[
        Items[EnvironmentKeyName],
        Refined(
            _leaves_path_alone,
            "PATH cannot be permitted: target may name a bare command, and a declared PATH would then choose"
            " which binary runs",
        ),
    ]
    cwd: Text
    artifacts: MapOf[Identifier, Text]
    max_elapsed_ms: TimerMilliseconds
    max_output_bytes: PositiveInt


class CommandTargetPolicy(StrictObject):
    """The commands; an empty list authorizes nothing."""

    authorizations: Items[CommandTargetAuthorization]


class McpTargetAuthorization(StrictObject):
    """One tool server, how it is started, and the tools that may be called."""

    interface_id: Identifier
    target: Text
    target_args: Items[str]
    tools: Annotated[Items[ToolName], Field(min_length=1)]
    cwd: Text
    server_environment: MapOf[KeyName, str]
    max_elapsed_ms: TimerMilliseconds
    max_output_bytes: PositiveInt


def _name_distinct_interfaces(authorizations: Sequence[Any]) -> bool:
    named = {item["interfaceId"] if isinstance(item, dict) else item.interface_id for item in authorizations}
    return len(named) == len(authorizations)


class McpTargetPolicy(StrictObject):
    """The tool servers, at most one an interface; an empty list authorizes nothing."""

    authorizations: Annotated[
        Items[McpTargetAuthorization],
        Refined(
            _name_distinct_interfaces,
            "two authorizations name one interfaceId, so which server the interface resolves to would depend"
            " on which tool was asked for",
        ),
    ]

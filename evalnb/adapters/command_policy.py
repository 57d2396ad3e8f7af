"""Command targets with their connections: the chapter's authorizations, and the secrets each interface is given.

The authorizations alone decide what may run.
"""

from typing import Annotated

from evalnb.adapters.process_connection import ProcessConnection
from evalnb.engine.artifacts.model import Omittable
from evalnb.engine.artifacts.primitives import Identifier, MapOf
from evalnb.engine.artifacts.target_policies import CommandTargetPolicy


class CommandConnection(ProcessConnection):
    """The secrets that a command is given as environment keys."""


class CommandPolicy(CommandTargetPolicy):
    """The commands and, by interface, their connections; an empty list of authorizations runs nothing."""

    connections: Annotated[MapOf[Identifier, CommandConnection] | None, Omittable()] = None


def command_connection(policy: CommandTargetPolicy, interface_id: str) -> CommandConnection:
    """What an interface's command is given; nothing where the policy says nothing, as the chapter's own shape does."""
    connections = policy.connections if isinstance(policy, CommandPolicy) else None
    return (connections or {}).get(interface_id) or CommandConnection()

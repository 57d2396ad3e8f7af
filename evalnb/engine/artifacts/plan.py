"""The interaction plan: its steps and what each of them binds to the inputs of its operation.

spec: 02a §11
"""

from typing import Annotated, TypeVar

from pydantic import Field
from typing_extensions import TypeAliasType

from evalnb.engine.artifacts.bodies import RawRequestBody
from evalnb.engine.artifacts.model import INTERFACE_IDS, RAW_BODIES, Since, StrictObject
from evalnb.engine.artifacts.primitives import (
    BindingMatcher,
    Identifier,
    InteractionPointer,
    JsonValue,
    KeyName,
    SelectorCardinality,
)
from evalnb.engine.artifacts.text import Keyed

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class LiteralBinding(StrictObject):
    """The exact value that was sent."""

    literal: JsonValue


class MatcherBinding(StrictObject):
    """Any value, or a value whose JSON type differs from the declared one."""

    matcher: BindingMatcher


class CapturedBinding(StrictObject):
    """The scalar output of an earlier step."""

    captured: InteractionPointer


class PrincipalBinding(StrictObject):
    """A principal of the test data."""

    principal: Identifier


BindingValue = Annotated[
    LiteralBinding | MatcherBinding | CapturedBinding | PrincipalBinding, Field(union_mode="left_to_right")
]

OccupiedMapOf = Annotated[
    dict[_Key, _Value],
    Keyed("an input-binding channel names at least one parameter; an unbound channel is null"),
]
"""A caller-keyed object with at least one entry."""

InputBindingChannel = TypeAliasType("InputBindingChannel", OccupiedMapOf[KeyName, BindingValue] | None)


class ApiInputBinding(StrictObject):
    """What a step binds to the four channels of an HTTP request."""

    path: InputBindingChannel
    query: InputBindingChannel
    header: InputBindingChannel
    body: Annotated[
        InputBindingChannel | Annotated[RawRequestBody, Since(RAW_BODIES)], Field(union_mode="left_to_right")
    ]


class CommandInputBinding(StrictObject):
    """What a step binds to the four channels of a command."""

    argument: InputBindingChannel
    option: InputBindingChannel
    environment: InputBindingChannel
    stdin: InputBindingChannel


class McpInputBinding(StrictObject):
    """What a step binds to the arguments of a tool call."""

    arguments: InputBindingChannel


InputBinding = Annotated[ApiInputBinding | CommandInputBinding | McpInputBinding, Field(union_mode="left_to_right")]


class InteractionStep(StrictObject):
    """One call of the plan. `interface_id` is empty where an older document names no single interface."""

    step_id: Identifier
    interface_id: Annotated[Identifier, Since(INTERFACE_IDS)]
    operation_id: Identifier
    input_binding: InputBinding
    after: Identifier | None
    cardinality: SelectorCardinality

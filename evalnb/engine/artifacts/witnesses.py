"""Witnesses: the inputs of one call outside the plan, sensitivity legs, the fixture reset, a defect's manifestation.

spec: 02a §9
"""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypeAliasType

from evalnb.engine.artifacts.bodies import ProbeRequestBody, ProbeRequestStdin
from evalnb.engine.artifacts.expressions import Expression
from evalnb.engine.artifacts.model import Items, StrictObject
from evalnb.engine.artifacts.primitives import Identifier, JsonObjectValue, KeyName, MapOf, WitnessChannel


class ApiWitnessInputs(StrictObject):
    """What one HTTP request carries."""

    path: JsonObjectValue
    query: JsonObjectValue
    header: MapOf[KeyName, str]
    body: ProbeRequestBody


class CommandWitnessInputs(StrictObject):
    """What one command invocation carries."""

    argument: JsonObjectValue
    option: JsonObjectValue
    environment: MapOf[KeyName, str]
    stdin: ProbeRequestStdin


class McpWitnessInputs(StrictObject):
    """What one tool call carries; `{}` for a call without arguments."""

    arguments: JsonObjectValue


WitnessInputs = TypeAliasType(
    "WitnessInputs",
    Annotated[ApiWitnessInputs | CommandWitnessInputs | McpWitnessInputs, Field(union_mode="left_to_right")],
)


class WitnessLeg(StrictObject):
    """One of the two calls of a witness; its id shares a namespace with step ids."""

    leg_id: Identifier
    inputs: WitnessInputs


class SensitivityWitness(StrictObject):
    """Two calls that differ in one input channel, and the relation that shows the difference to matter."""

    witness_id: Identifier
    channel: WitnessChannel
    legs: Annotated[Items[WitnessLeg], Field(min_length=2, max_length=2)]
    relation: Expression


class FixtureReset(StrictObject):
    """The call that puts the fixture back into its first state."""

    leg_id: Identifier
    interface_id: Identifier
    operation_id: Identifier
    inputs: WitnessInputs


class ManifestationWitness(StrictObject):
    """The call that shows a seeded defect, and the relation that holds where it shows."""

    leg_id: Identifier
    interface_id: Identifier
    operation_id: Identifier
    inputs: WitnessInputs
    relation: Expression

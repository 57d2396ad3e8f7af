"""What a contract declares beside behaviors, interfaces and the plan: reference sets, siblings, test data, limits.

spec: 02a §7, §12
"""

from typing import Annotated

from pydantic import Field

from evalnb.engine.artifacts.model import INTERFACE_IDS, Formerly, Items, StrictObject
from evalnb.engine.artifacts.primitives import (
    Identifier,
    JsonObjectValue,
    KeyName,
    MapOf,
    NonNegativeInt,
    Rfc3339Utc,
    Text,
    UnsignedDecimalString,
    WaiverId,
)


class Waiver(StrictObject):
    """Leave to break a rule for a while."""

    id: WaiverId
    rule: str | None
    rationale: str | None
    condition: str | None
    approval: str | None
    expires_at: Rfc3339Utc | None


class ReferenceSetDeclaration(StrictObject):
    """A set of records that evidence is compared with, and the keys that name a record."""

    keys: Annotated[Items[KeyName], Field(min_length=1)]
    members: Items[JsonObjectValue]
    commentary: str | None


class SiblingOperation(StrictObject):
    """One operation of a group of alternatives."""

    interface_id: Identifier
    operation_id: Identifier


SiblingMember = Annotated[SiblingOperation, Formerly(INTERFACE_IDS, Identifier)]


class SiblingGroups(StrictObject):
    """Operations, and parameters, that stand in for each other."""

    operations: Items[Annotated[Items[SiblingMember], Field(min_length=2)]]
    parameters: Items[Annotated[Items[KeyName], Field(min_length=2)]]


class ScopedResource(StrictObject):
    """A resource an evaluator may reach."""

    reference: Text
    kind: Text


class TestDataEntry(StrictObject):
    """A principal or a resource by kind alone; nothing secret fits here."""

    __test__ = False

    kind: Text


class TestData(StrictObject):
    """How the test data comes and goes, and which principals and resources it has."""

    __test__ = False

    setup: str | None
    cleanup: str | None
    principals: MapOf[Identifier, TestDataEntry] | None
    resources: MapOf[Identifier, TestDataEntry] | None


class Budgets(StrictObject):
    """What an evaluator may spend."""

    max_tool_calls: NonNegativeInt
    max_wall_clock_minutes: NonNegativeInt
    max_cost_usd: UnsignedDecimalString

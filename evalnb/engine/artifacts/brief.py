"""The sealed evaluator brief: all of a contract that an evaluator may see.

spec: 02a §14
"""

from typing import Annotated

from pydantic import Field

from evalnb.engine.artifacts.behaviors import Behavior
from evalnb.engine.artifacts.declarations import Budgets, ScopedResource
from evalnb.engine.artifacts.model import Artifact, Items, StrictObject
from evalnb.engine.artifacts.primitives import (
    Digest,
    Identifier,
    InterfaceKind,
    NonNegativeInt,
    OracleId,
    PositiveInt,
    Text,
)


class BriefDirection(StrictObject):
    """What to establish for one oracle, in words."""

    oracle_id: OracleId
    text: Text


class BriefInterface(StrictObject):
    """A permitted interface by name and kind, without its operations."""

    logical_id: Identifier
    kind: InterfaceKind


class SealedEvaluatorBrief(Artifact):
    """The evaluator's view of a contract."""

    schema_version: PositiveInt
    parent_digest: Digest | None
    revision_count: NonNegativeInt
    contract_digest: Digest
    behaviors: Annotated[Items[Behavior], Field(min_length=1)]
    directions: Annotated[Items[BriefDirection], Field(min_length=1)]
    permitted_interfaces: Items[BriefInterface]
    scoped_resources: Items[ScopedResource]
    principals: Items[Identifier]
    budgets: Budgets
    safety_limits: Items[str]
    probe_step_bound: NonNegativeInt | None

"""The evaluation contract, and how documents of older schema versions become the newest shape in memory.

spec: 02a §13, 00 "Versions read and written"
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from evalnb.engine.artifacts.behaviors import Behavior, Oracle
from evalnb.engine.artifacts.declarations import (
    Budgets,
    ReferenceSetDeclaration,
    ScopedResource,
    SiblingGroups,
    TestData,
    Waiver,
)
from evalnb.engine.artifacts.interfaces import PermittedInterface
from evalnb.engine.artifacts.model import Artifact, Items
from evalnb.engine.artifacts.plan import InteractionStep
from evalnb.engine.artifacts.primitives import (
    Digest,
    ForbiddenInput,
    Identifier,
    MapOf,
    NonNegativeInt,
    PositiveInt,
)
from evalnb.engine.artifacts.rubric import RubricBody
from evalnb.engine.artifacts.witnesses import FixtureReset

UNRESOLVED_INTERFACE: Final = ""
"""The interface of a reference that names an operation which no interface, or more than one, declares."""


class EvalContract(Artifact):
    """Everything an author writes about one evaluation."""

    schema_version: PositiveInt
    parent_digest: Digest | None
    revision_count: NonNegativeInt
    contract_id: Identifier
    source_spec_digest: Digest | None
    behaviors: Annotated[Items[Behavior], Field(min_length=1)]
    oracles: Items[Oracle]
    rubrics: Items[RubricBody]
    waivers: Items[Waiver]
    permitted_interfaces: Items[PermittedInterface]
    reference_sets: MapOf[Identifier, ReferenceSetDeclaration] | None
    sibling_groups: SiblingGroups | None
    interaction_plan: Items[InteractionStep]
    scoped_resources: Items[ScopedResource] | None
    forbidden_inputs: Items[ForbiddenInput]
    test_data: TestData
    budgets: Budgets
    safety_limits: Items[str]
    required_evidence: Items[str]
    probe_step_bound: NonNegativeInt | None
    fixture_reset: FixtureReset | None

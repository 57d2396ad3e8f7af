"""Rubrics: scale levels, penalties and criteria, embedded in a contract or published on their own.

spec: 02a §6
"""

from evalnb.engine.artifacts.model import Artifact, Items, StrictObject
from evalnb.engine.artifacts.primitives import (
    Digest,
    InteractionPointer,
    NonNegativeInt,
    PositiveInt,
    RubricCriterionId,
    RubricId,
    SafeInt,
    Text,
)


class ScaleLevel(StrictObject):
    """One level of the scale and what it stands for."""

    level: SafeInt
    anchor: str


class FailureModePenalty(StrictObject):
    """A named way to fail."""

    name: Text
    description: str


class RubricCriterion(StrictObject):
    """One criterion and the evidence it is judged on."""

    id: RubricCriterionId
    text: str
    evidence: InteractionPointer


class RubricBody(StrictObject):
    """A rubric as a contract embeds it; without a maximum length it is unbounded."""

    id: RubricId
    scale_levels: Items[ScaleLevel] | None
    failure_mode_penalties: Items[FailureModePenalty] | None
    max_length: PositiveInt | None
    criteria: Items[RubricCriterion]


class Rubric(Artifact):
    """A rubric as a document of its own: the body's fields, then the lineage."""

    id: RubricId
    scale_levels: Items[ScaleLevel] | None
    failure_mode_penalties: Items[FailureModePenalty] | None
    max_length: PositiveInt | None
    criteria: Items[RubricCriterion]
    schema_version: PositiveInt
    parent_digest: Digest | None
    revision_count: NonNegativeInt

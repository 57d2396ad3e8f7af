"""Behaviors, the oracles that decide them, and the directions an evaluator is given.

spec: 02a §5
"""

from evalnb.engine.artifacts.expressions import Expression
from evalnb.engine.artifacts.model import Items, StrictObject
from evalnb.engine.artifacts.primitives import (
    BehaviorId,
    InteractionPointer,
    OracleId,
    Polarity,
    Relation,
    Severity,
    Text,
)


class ExternalLink(StrictObject):
    """A requirement or a risk kept elsewhere."""

    scheme: Text
    id: Text


class Behavior(StrictObject):
    """Something the subject should do, and the oracles that tell whether it does."""

    id: BehaviorId
    description: str
    severity: Severity
    observable_success_criterion: str | None
    requirement_links: Items[ExternalLink]
    risk_links: Items[ExternalLink]
    oracles: Items[OracleId]


class Direction(StrictObject):
    """What an evaluator is told to look at."""

    evidence_targets: Items[InteractionPointer]
    relation: Relation
    polarity: Polarity
    scope: str | None
    negative_domain: str | None


class Oracle(StrictObject):
    """A decision about recorded evidence: the direction for the evaluator, the check for the engine."""

    id: OracleId
    direction: Direction | None
    check: Expression | None
    polarity: Polarity
    commentary: str | None

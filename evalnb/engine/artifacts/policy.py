"""The thresholds and caps that a run is scored under. Nothing in it has a default.

spec: 02b §7
"""

from typing import Annotated

from evalnb.engine.artifacts.lineage import Lineage
from evalnb.engine.artifacts.primitives import Identifier, NonNegativeInt, PositiveInt, Severity
from evalnb.engine.artifacts.text import Number

UnitInterval = Annotated[float, Number(0, 1)]
"""A number from 0 to 1, both included."""


class ScoringPolicy(Lineage):
    """A probe is caught when its share of catching trials exceeds `catch_threshold`, strictly."""

    policy_id: Identifier
    severity_floor: Severity
    confidence_threshold: UnitInterval
    catch_threshold: UnitInterval
    minimum_trial_count: PositiveInt
    re_execution_cap: NonNegativeInt
    remediation_cap: NonNegativeInt
    regex_match_step_budget: PositiveInt

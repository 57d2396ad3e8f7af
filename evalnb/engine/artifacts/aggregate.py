"""How strong a contract is over many probes, and whether that meets the floors somebody set.

spec: 02b §10
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from evalnb.engine.artifacts.evidence import ClassStrength, ScoringVersionInputName, StrengthBasis
from evalnb.engine.artifacts.lineage import Lineage
from evalnb.engine.artifacts.model import Items, Omittable, StrictObject, Tagged
from evalnb.engine.artifacts.policy import UnitInterval
from evalnb.engine.artifacts.primitives import Digest, PositiveInt, ProbeId, Text
from evalnb.engine.artifacts.record import RunMode

StrengthClass: TypeAlias = Literal["defect", "gameability", "zero-action"]
AggregateAttestedInput: TypeAlias = Literal["evidenceSetCompleteness", "probeClass"]


class StrengthFloors(StrictObject):
    """The least acceptable rate per class; a class left out has no floor. Input only, never published."""

    defect: Annotated[UnitInterval | None, Omittable()] = None
    gameability: Annotated[UnitInterval | None, Omittable()] = None
    zero_action: Annotated[UnitInterval | None, Omittable(), Field(alias="zero-action")] = None


class AggregatedInput(StrictObject):
    """One evidence artifact that was counted; no class means a clean control or a canary."""

    probe_id: ProbeId
    probe_class: StrengthClass | None
    run_id: Text
    artifact_digest: Digest


class AggregatedClass(ClassStrength):
    """A class over all its eligible probes."""

    eligible: PositiveInt
    comparable: bool


class AggregatedClasses(StrictObject):
    """The three classes, None where no probe was eligible."""

    defect: AggregatedClass | None
    gameability: AggregatedClass | None
    zero_action: Annotated[AggregatedClass | None, Field(alias="zero-action")]


class FloorMet(StrictObject):
    """The rate reaches the declared floor."""

    floor: UnitInterval
    decision: Literal["meets"]
    basis: Literal["rate-meets-floor"]


class FloorMissed(StrictObject):
    """The declared floor is not reached, or cannot be shown to be."""

    floor: UnitInterval
    decision: Literal["does-not-meet"]
    basis: Literal[
        "no-eligible-probe",
        "not-comparable",
        "no-exercised-probe",
        "unexercised-probe",
        "rate-below-floor",
    ]


class FloorUndeclared(StrictObject):
    """Nobody set a floor for the class."""

    floor: None
    decision: Literal["undeclared"]
    basis: Literal["no-floor-declared"]


FloorDecision: TypeAlias = Annotated[FloorMet | FloorMissed | FloorUndeclared, Tagged("decision")]


class FloorDecisions(StrictObject):
    """One decision a class, never None."""

    defect: FloorDecision
    gameability: FloorDecision
    zero_action: Annotated[FloorDecision, Field(alias="zero-action")]


class StrengthAggregate(Lineage):
    """The strength of one contract over a set of evidence artifacts scored the same way."""

    engine_version: Text
    mode: RunMode
    scoring_version: Digest
    scoring_policy_digest: Digest
    comparability_key: Digest
    basis: StrengthBasis
    minimum_trial_count: PositiveInt
    caller_attested_inputs: Items[ScoringVersionInputName]
    aggregate_attested_inputs: Items[AggregateAttestedInput]
    inputs: Annotated[Items[AggregatedInput], Field(min_length=1)]
    classes: AggregatedClasses
    floor_decisions: FloorDecisions

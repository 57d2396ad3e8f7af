"""What one trial of an evaluator left behind: findings, dispositions, and every call it made with its answer.

A caller writes it, a document a trial; whether its parts agree is for ingest to say. spec: 02b §4
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field

from evalnb.engine.artifacts.bodies import ProbeObservedBody
from evalnb.engine.artifacts.lineage import Lineage
from evalnb.engine.artifacts.model import (
    BODY_ENCODING,
    INTERFACE_IDS,
    Items,
    OlderStamps,
    Refined,
    Since,
    StrictObject,
    Tagged,
)
from evalnb.engine.artifacts.policy import UnitInterval
from evalnb.engine.artifacts.primitives import (
    BehaviorId,
    Digest,
    FindingId,
    Identifier,
    JsonObjectValue,
    JsonValue,
    MapOf,
    NonNegativeInt,
    OracleId,
    PositiveInt,
    ProbeId,
    RubricCriterionId,
    RubricId,
    SafeInt,
    Severity,
    Text,
    UnsignedDecimalString,
)
from evalnb.engine.artifacts.reference import ArtifactReference
from evalnb.engine.artifacts.text import Number

if TYPE_CHECKING:
    from evalnb.engine.artifacts.contract import EvalContract

RunMode: TypeAlias = Literal["production", "contract-scoring"]
EvaluatorRecommendation: TypeAlias = Literal["PASS", "CONCERNS", "FAIL"]
Disposition: TypeAlias = Literal["held", "violated", "not-attempted"]
Provenance: TypeAlias = Literal["baseline", "evaluator-chosen"]


class ArtifactQuotation(StrictObject):
    """Text quoted from a file that the system wrote."""

    quote: Text
    channel: Literal["artifact"]
    artifact_id: Identifier


class ChannelQuotation(StrictObject):
    """Text quoted from any other channel of the cited observations."""

    quote: Text
    channel: Literal[
        "response-body",
        "response-headers",
        "response-status",
        "call-inputs",
        "stdout",
        "stderr",
        "exit-code",
    ]
    artifact_id: None


QuotedEvidence: TypeAlias = Annotated[ArtifactQuotation | ChannelQuotation, Field(union_mode="left_to_right")]


class AnyFinding(StrictObject):
    """What all findings say; `oracle_id` is None for one that cites no oracle."""

    finding_type: str
    finding_id: FindingId
    oracle_id: OracleId | None
    probe_id: ProbeId
    behavior_id: BehaviorId | None
    severity: Severity
    summary: Text
    confidence: UnitInterval
    observation_ids: Items[Identifier]
    evidence_artifacts: Items[ArtifactReference]


class DefectFinding(AnyFinding):
    """The evaluator claims a defect, and quotes what shows it."""

    finding_type: Literal["defect"]
    observation_ids: Annotated[Items[Identifier], Field(min_length=1)]
    quoted_evidence: Annotated[Items[QuotedEvidence], Field(min_length=1)]


class ObservationFinding(AnyFinding):
    """The evaluator noticed something short of a defect."""

    finding_type: Literal["observation"]


class ConfirmationFinding(AnyFinding):
    """The evaluator confirms that something holds."""

    finding_type: Literal["confirmation"]


Finding: TypeAlias = Annotated[DefectFinding | ObservationFinding | ConfirmationFinding, Tagged("findingType")]


class OracleDisposition(StrictObject):
    """What the evaluator says of one oracle, and the observations it rests on."""

    oracle_id: OracleId
    disposition: Disposition
    observation_ids: Items[Identifier]
    note: str | None


class ObservedCallInputs(StrictObject):
    """What a call sent, channel by channel; `body_encoding` says that `body` stands for raw bytes."""

    path: JsonObjectValue | None
    query: JsonObjectValue | None
    header: JsonObjectValue | None
    body: JsonObjectValue | None
    argument: JsonObjectValue | None
    option: JsonObjectValue | None
    environment: JsonObjectValue | None
    stdin: JsonObjectValue | None
    arguments: JsonObjectValue | None
    body_encoding: Annotated[Literal["raw"] | None, Since(BODY_ENCODING)]


class Observation(StrictObject):
    """One call and its answer. Which fields hold something depends on the interface's kind, not on this shape."""

    observation_id: Identifier
    sequence: PositiveInt
    interface_id: Annotated[Identifier, Since(INTERFACE_IDS)]
    operation_id: Identifier
    provenance: Provenance
    principal: Identifier | None
    call_inputs: ObservedCallInputs
    response_body: JsonValue
    response_headers: JsonObjectValue | None
    response_status: NonNegativeInt | None
    stdout: ProbeObservedBody
    stderr: ProbeObservedBody
    exit_code: SafeInt | None
    artifacts: MapOf[Identifier, ProbeObservedBody]


class JudgeResult(StrictObject):
    """A judge's score of one criterion; None where it gave none."""

    rubric_id: RubricId
    criterion_id: RubricCriterionId
    score: SafeInt | None
    note: str | None


class ResourceUse(StrictObject):
    """What a run consumed. Money is a decimal string."""

    tool_calls: NonNegativeInt
    input_tokens: NonNegativeInt
    output_tokens: NonNegativeInt
    wall_clock_seconds: Annotated[float, Number(0)]
    cost_usd: UnsignedDecimalString


class EvidenceDisclosure(StrictObject):
    """Whether recorded evidence was cut, and whether the recorder knows some to be missing."""

    truncation_bound: NonNegativeInt | None
    reported_incomplete: bool


def _sequences_differ(observations: Sequence[Any]) -> bool:
    sequences = {item["sequence"] if isinstance(item, dict) else item.sequence for item in observations}
    return len(sequences) == len(observations)


class SealedRunRecord(Lineage):
    """One trial of one evaluator over one sealed brief."""

    run_id: Text
    condition_arm: Text
    mode: RunMode
    trial_index: PositiveInt
    contract_digest: Digest
    sealed_brief_digest: Digest
    evaluator_configuration_digest: Digest
    evaluator_recommendation: EvaluatorRecommendation
    oracle_dispositions: Items[OracleDisposition]
    findings: Items[Finding]
    observations: Annotated[
        Items[Observation], Refined(_sequences_differ, "two observations carry one sequence number")
    ]
    judge_results: Items[JudgeResult]
    actions_artifact: ArtifactReference
    isolation_manifest_artifact: ArtifactReference
    resource_use: ResourceUse
    evidence_disclosure: EvidenceDisclosure


def resolve_observation_interfaces(record: SealedRunRecord, contract: "EvalContract") -> SealedRunRecord:
    """`record` with the interfaces that its older stamp left out, found through the contract it is scored against.

    An observation's interface is the one that declares its operation; where none or several do it stays
    unresolved. The document stays as written. A record that names its interfaces comes back as it is. spec: 00, rule 4
    """
    # Loaded here: who reads evidence needs these shapes and no contract's.
    from evalnb.engine.artifacts.contract import UNRESOLVED_INTERFACE, sole_declarers

    if all(observation.interface_id for observation in record.observations):
        return record
    declarer_of = sole_declarers(contract)
    observations = tuple(
        observation
        if observation.interface_id
        else observation.model_copy(
            update={"interface_id": declarer_of.get(observation.operation_id, UNRESOLVED_INTERFACE)}
        )
        for observation in record.observations
    )
    return record.model_copy(update={"observations": observations}).written_as(record.document)


# Stands for a missing interface while an older record is validated, where an empty one would be refused.
_PENDING: Final = "pending"


def _lift(raw: dict[str, Any], without: frozenset[str]) -> dict[str, Any] | None:
    """Observations of versions 6 and 7 in the shape that names an interface and a body encoding."""
    observations = raw.get("observations")
    if not isinstance(observations, list):
        return None
    lifted: list[dict[str, Any]] = []
    for observation in observations:
        inputs = observation.get("callInputs") if isinstance(observation, dict) else None
        if not isinstance(inputs, dict) or "bodyEncoding" in inputs:
            return None
        newest = {**observation, "callInputs": {**inputs, "bodyEncoding": None}}
        if INTERFACE_IDS in without:
            if "interfaceId" in newest:
                return None
            newest["interfaceId"] = _PENDING
        lifted.append(newest)
    return {**raw, "observations": lifted}


def _settle(record: SealedRunRecord, without: frozenset[str]) -> SealedRunRecord:
    from evalnb.engine.artifacts.contract import UNRESOLVED_INTERFACE

    if INTERFACE_IDS not in without:
        return record
    unresolved = {"interface_id": UNRESOLVED_INTERFACE}
    observations = tuple(observation.model_copy(update=unresolved) for observation in record.observations)
    return record.model_copy(update={"observations": observations})


OLDER_STAMPS: Final = OlderStamps(_lift, _settle)

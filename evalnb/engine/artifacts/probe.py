"""A probe: one implementation that the evaluation is tried on, with the defects planted in it or with none.

Which class, route and signature go together is for the qualification gate to say. spec: 02b §3
"""

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field
from typing_extensions import TypeAliasType

from evalnb.engine.artifacts.bodies import RawRequestBody
from evalnb.engine.artifacts.expressions import Expression
from evalnb.engine.artifacts.lineage import Lineage
from evalnb.engine.artifacts.model import RAW_BODIES, Items, OlderStamps, Refined, Since, StrictObject, Tagged
from evalnb.engine.artifacts.plan import LiteralBinding, MatcherBinding, OccupiedMapOf
from evalnb.engine.artifacts.primitives import (
    BehaviorId,
    CommandInvocation,
    DefectId,
    Digest,
    HttpMethod,
    KeyName,
    PathTemplate,
    ProbeId,
    Severity,
    Text,
    ToolName,
)
from evalnb.engine.artifacts.reference import ArtifactReference
from evalnb.engine.artifacts.witnesses import ManifestationWitness

ProbeClass: TypeAlias = Literal["defect", "gameability", "zero-action", "canary"]
DefectSource: TypeAlias = Literal["natural", "controlled-mutation"]
EvidenceChannel = TypeAliasType(
    "EvidenceChannel",
    Literal[
        "response-body",
        "response-headers",
        "response-status",
        "call-inputs",
        "stdout",
        "stderr",
        "exit-code",
        "artifact",
    ],
)


class HistoricalQualification(StrictObject):
    """The defect was real: it failed before a known fix and passed after it."""

    route: Literal["historical"]
    fail_before_evidence: ArtifactReference
    pass_after_evidence: ArtifactReference
    fix_commit_digest: Digest
    oracle_stable_across_revisions: bool


class ControlledMutationQualification(StrictObject):
    """The defect was planted, shown to fail, and taken out again."""

    route: Literal["controlled-mutation"]
    mutation_source: Text
    mutation_operator: Text
    target_artifact: ArtifactReference
    expected_observable_failure: Text
    baseline_pass_evidence: ArtifactReference
    mutated_fail_evidence: ArtifactReference
    rollback_verified: bool


class GameabilityQualification(StrictObject):
    """A degenerate response that a naive oracle accepts and a disciplined one refuses."""

    route: Literal["gameability"]
    degenerate_response: Text
    naive_oracle_satisfied_evidence: ArtifactReference
    disciplined_oracle_rejected_evidence: ArtifactReference


class CanaryQualification(StrictObject):
    """A probe nobody can detect; a detection indicts the corpus or the fixture."""

    route: Literal["canary"]
    indicts: Literal["corpus", "fixture"]
    non_detection_evidence: ArtifactReference


class CleanControlQualification(StrictObject):
    """A revision with no known defect."""

    route: Literal["clean-control"]
    baseline_pass_evidence: ArtifactReference
    revision_commit_digest: Digest
    no_known_defect_statement: Text


ProbeQualification: TypeAlias = Annotated[
    HistoricalQualification
    | ControlledMutationQualification
    | GameabilityQualification
    | CanaryQualification
    | CleanControlQualification,
    Tagged("route"),
]

ProbeBindingValue = Annotated[LiteralBinding | MatcherBinding, Field(union_mode="left_to_right")]
ProbeInputBindingChannel = TypeAliasType("ProbeInputBindingChannel", OccupiedMapOf[KeyName, ProbeBindingValue] | None)


class ProbeInputBinding(StrictObject):
    """What a call must have sent for the defect to show, over all nine channels; None binds nothing."""

    path: ProbeInputBindingChannel
    query: ProbeInputBindingChannel
    header: ProbeInputBindingChannel
    body: Annotated[
        ProbeInputBindingChannel | Annotated[RawRequestBody, Since(RAW_BODIES)],
        Field(union_mode="left_to_right"),
    ]
    argument: ProbeInputBindingChannel
    option: ProbeInputBindingChannel
    environment: ProbeInputBindingChannel
    stdin: ProbeInputBindingChannel
    arguments: ProbeInputBindingChannel


class SignatureSelector(StrictObject):
    """Which calls the signature is about."""

    input_binding: ProbeInputBinding


class SignatureCondition(StrictObject):
    """The calls, and what holds of an answer that shows the defect; pointers start at `observed`."""

    selector: SignatureSelector
    predicate: Expression


class ApiSignature(StrictObject):
    """A defect that shows in an HTTP answer. `web` parses; the gate refuses it."""

    interface_kind: Literal["api", "web"]
    method: HttpMethod
    path_template: PathTemplate
    observable_channel: EvidenceChannel
    condition: SignatureCondition


class CommandSignature(StrictObject):
    """A defect that shows in what a command writes or how it ends."""

    interface_kind: Literal["cli"]
    invocation: CommandInvocation
    observable_channel: EvidenceChannel
    condition: SignatureCondition


class ToolCallSignature(StrictObject):
    """A defect that shows in a tool's answer."""

    interface_kind: Literal["mcp"]
    tool_name: ToolName
    observable_channel: EvidenceChannel
    condition: SignatureCondition


DefectSignature: TypeAlias = Annotated[
    ApiSignature | CommandSignature | ToolCallSignature, Field(union_mode="left_to_right")
]


class Defect(StrictObject):
    """One seeded defect; without a witness pre-flight cannot show that it fires."""

    defect_id: DefectId
    behavior_id: BehaviorId
    summary: Text
    severity: Severity
    oracle_evidence: Items[ArtifactReference]
    source: DefectSource
    manifestation_witness: ManifestationWitness | None


class AnyProbe(Lineage):
    """What clean and seeded probes hold."""

    probe_id: ProbeId
    probe_class: ProbeClass
    behavior_id: BehaviorId
    system_id: Text
    implementation_digest: Digest
    artifact_digest: Digest
    commit_digest: Digest
    rationale: Text
    qualification: ProbeQualification


def _is_boolean(value: object) -> bool:
    # Python counts 1 and True as equal, JSON does not.
    return isinstance(value, bool)


_Boolean = Refined(_is_boolean, "expected a boolean")


class CleanProbe(AnyProbe):
    """A clean control: no defect, and no place for a signature."""

    expected_clean: Annotated[Literal[True], _Boolean]
    defects: Annotated[Items[Defect], Field(max_length=0)]


class SeededProbe(AnyProbe):
    """A probe with something in it to find."""

    expected_clean: Annotated[Literal[False], _Boolean]
    defects: Items[Defect]
    defect_signature: DefectSignature | None


Probe: TypeAlias = Annotated[CleanProbe | SeededProbe, Tagged("expectedClean")]


def _lift(raw: dict[str, Any], without: frozenset[str]) -> dict[str, Any]:
    return raw


def _settle(probe: Probe, without: frozenset[str]) -> Probe | None:
    """`probe`, or None where it sends or selects a raw body, which version 5 has no spelling for."""
    if isinstance(probe, CleanProbe):
        return probe
    witnesses = [defect.manifestation_witness for defect in probe.defects if defect.manifestation_witness is not None]
    bodies: list[object] = [getattr(witness.inputs, "body", None) for witness in witnesses]
    if probe.defect_signature is not None:
        bodies.append(probe.defect_signature.condition.selector.input_binding.body)
    return None if any(isinstance(body, RawRequestBody) for body in bodies) else probe


OLDER_STAMPS: Final = OlderStamps(_lift, _settle)

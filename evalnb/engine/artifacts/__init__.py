"""Every artifact's shape, and reading one.

Names are loaded from their modules on first use, so that reading a contract does not build the run-side models.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from evalnb.engine.artifacts.aggregate import *  # noqa: F403
    from evalnb.engine.artifacts.behaviors import *  # noqa: F403
    from evalnb.engine.artifacts.bodies import *  # noqa: F403
    from evalnb.engine.artifacts.brief import *  # noqa: F403
    from evalnb.engine.artifacts.configuration import *  # noqa: F403
    from evalnb.engine.artifacts.contract import *  # noqa: F403
    from evalnb.engine.artifacts.declarations import *  # noqa: F403
    from evalnb.engine.artifacts.evidence import *  # noqa: F403
    from evalnb.engine.artifacts.expressions import *  # noqa: F403
    from evalnb.engine.artifacts.interfaces import *  # noqa: F403
    from evalnb.engine.artifacts.isolation_manifest import *  # noqa: F403
    from evalnb.engine.artifacts.issues import *  # noqa: F403
    from evalnb.engine.artifacts.lineage import *  # noqa: F403
    from evalnb.engine.artifacts.model import *  # noqa: F403
    from evalnb.engine.artifacts.plan import *  # noqa: F403
    from evalnb.engine.artifacts.policy import *  # noqa: F403
    from evalnb.engine.artifacts.port_messages import *  # noqa: F403
    from evalnb.engine.artifacts.preflight_verdict import *  # noqa: F403
    from evalnb.engine.artifacts.primitives import *  # noqa: F403
    from evalnb.engine.artifacts.private_manifest import *  # noqa: F403
    from evalnb.engine.artifacts.probe import *  # noqa: F403
    from evalnb.engine.artifacts.reading import *  # noqa: F403
    from evalnb.engine.artifacts.record import *  # noqa: F403
    from evalnb.engine.artifacts.reference import *  # noqa: F403
    from evalnb.engine.artifacts.rubric import *  # noqa: F403
    from evalnb.engine.artifacts.target_policies import *  # noqa: F403
    from evalnb.engine.artifacts.witnesses import *  # noqa: F403

_NAMES: Final = {
    "aggregate": (
        "AggregateAttestedInput AggregatedClass AggregatedClasses AggregatedInput FloorDecision "
        "FloorDecisions FloorMet FloorMissed FloorUndeclared StrengthAggregate StrengthClass StrengthFloors"
    ),
    "behaviors": "Behavior Direction ExternalLink Oracle",
    "bodies": (
        "AbsentBody Base64 ContentType JsonBody ProbeObservedBody ProbeRequestBody ProbeRequestStdin "
        "RawRequestBody TextBody"
    ),
    "brief": "BriefDirection BriefInterface SealedEvaluatorBrief",
    "configuration": "EvaluatorConfiguration JudgeConfiguration",
    "contract": "EvalContract UNRESOLVED_INTERFACE sole_declarers",
    "declarations": (
        "Budgets ReferenceSetDeclaration ScopedResource SiblingGroups SiblingMember SiblingOperation TestData "
        "TestDataEntry Waiver"
    ),
    "evidence": (
        "CheckResolution ClassStrength ContractScoringEvidence ContractScoringVersionInputs Corroboration "
        "CoverageGap EvidenceArtifact InvalidatedAttempt LineageChain Outcome OutcomeState ProductionEvidence "
        "ProductionVersionInputs ReducedProbeOutcome Remediation Resolution ScoringVersionInputName "
        "ScoringVersionInputs Strength StrengthBasis StrengthVector TrialVote Trials UncitedFindingGap "
        "Verdict"
    ),
    "expressions": (
        "Absence All AnyOf Containment CountTolerance CoversByKey DeepEquality Equality EvidencePointer "
        "Existence Expression ForAll ForAny LiteralOperand LiteralSetOperand Not OneOperand Operand Ordering "
        "PointerOperand ReferenceSetOperand Regex SetMembership SetOperand Shape TwoOperands"
    ),
    "interfaces": (
        "AnyOperation ApiInterface ApiRequestShape ArtifactChannel AtMostCardinality CliInterface "
        "CollectionLocation CommandOperation CommandRequestShape ExactCardinality ExpectedCardinality "
        "McpInterface McpOperation McpRequestShape Operation PageBoundedCardinality PermittedInterface "
        "ResponseDescriptor StateResetPointers StreamChannel StructuredResultChannel VolatilePointer "
        "WebInterface"
    ),
    "isolation_manifest": ("ForbiddenInputAccounting InputAccounting IsolationManifest ResourceCeilings"),
    "issues": "Issue ShapeError issues_of",
    "lineage": "Lineage",
    "model": "Artifact StrictObject",
    "plan": (
        "ApiInputBinding BindingValue CapturedBinding CommandInputBinding InputBinding InputBindingChannel "
        "InteractionStep LiteralBinding MatcherBinding McpInputBinding OccupiedMapOf PrincipalBinding"
    ),
    "policy": "ScoringPolicy UnitInterval",
    "port_messages": (
        "ApiProbeObservation ApiProbeRequest CliProbeObservation CliProbeRequest ClockReadRequest "
        "ClockReadResponse CorpusResolveRequest CorpusResolveResponse EnvironmentKeyName FileReadRequest "
        "FileReadResponse FileWriteRequest FileWriteResponse McpProbeObservation McpProbeRequest "
        "ProbeObservation ProbeRequest"
    ),
    "preflight_verdict": "PreflightCheck PreflightCheckKind PreflightOutcome PreflightVerdict",
    "primitives": (
        "CommandInvocation ForbiddenInput HttpMethod InterfaceKind JsonTypeName KeyedShapeDescriptor Polarity "
        "Relation Severity WitnessChannel"
    ),
    "private_manifest": "PrivateArtifactEntry PrivateArtifactKind PrivateArtifactManifest",
    "probe": (
        "ApiSignature CanaryQualification CleanControlQualification CleanProbe CommandSignature "
        "ControlledMutationQualification Defect DefectSignature DefectSource EvidenceChannel "
        "GameabilityQualification HistoricalQualification Probe ProbeBindingValue ProbeClass "
        "ProbeInputBinding ProbeInputBindingChannel ProbeQualification SeededProbe SignatureCondition "
        "SignatureSelector ToolCallSignature"
    ),
    "reading": (
        "ARTIFACT_REFERENCE ArtifactKind EVALUATOR_CONFIGURATION EVAL_CONTRACT EVIDENCE_ARTIFACT "
        "ISOLATION_MANIFEST KINDS PREFLIGHT_VERDICT PRIVATE_ARTIFACT_MANIFEST PROBE RUBRIC SCORING_POLICY "
        "SEALED_EVALUATOR_BRIEF SEALED_RUN_RECORD STRENGTH_AGGREGATE check_stamp parse_shape read validate "
        "validated"
    ),
    "record": (
        "ArtifactQuotation ChannelQuotation ConfirmationFinding DefectFinding Disposition "
        "EvaluatorRecommendation EvidenceDisclosure Finding JudgeResult Observation ObservationFinding "
        "ObservedCallInputs OracleDisposition Provenance QuotedEvidence ResourceUse RunMode SealedRunRecord "
        "resolve_observation_interfaces"
    ),
    "reference": "ArtifactReference PrivateReference PublicReference",
    "rubric": "FailureModePenalty Rubric RubricBody RubricCriterion ScaleLevel",
    "target_policies": (
        "AddressLiteral CommandTargetAuthorization CommandTargetPolicy LONGEST_TIMER_MS "
        "McpTargetAuthorization McpTargetPolicy ProbeTargetAuthorization ProbeTargetPolicy TimerMilliseconds"
    ),
    "witnesses": (
        "ApiWitnessInputs CommandWitnessInputs FixtureReset ManifestationWitness McpWitnessInputs "
        "SensitivityWitness WitnessInputs WitnessLeg"
    ),
}
_MODULE_OF: Final = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_MODULE_OF)

"""Every artifact's shape, and reading one.

Names are loaded from their modules on first use, so that reading a contract does not build the run-side models.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from evalnb.engine.artifacts.behaviors import (
        Behavior as Behavior,
    )
    from evalnb.engine.artifacts.behaviors import (
        Direction as Direction,
    )
    from evalnb.engine.artifacts.behaviors import (
        ExternalLink as ExternalLink,
    )
    from evalnb.engine.artifacts.behaviors import (
        Oracle as Oracle,
    )
    from evalnb.engine.artifacts.bodies import (
        AbsentBody as AbsentBody,
    )
    from evalnb.engine.artifacts.bodies import (
        JsonBody as JsonBody,
    )
    from evalnb.engine.artifacts.bodies import (
        ProbeObservedBody as ProbeObservedBody,
    )
    from evalnb.engine.artifacts.bodies import (
        ProbeRequestBody as ProbeRequestBody,
    )
    from evalnb.engine.artifacts.bodies import (
        ProbeRequestStdin as ProbeRequestStdin,
    )
    from evalnb.engine.artifacts.bodies import (
        RawRequestBody as RawRequestBody,
    )
    from evalnb.engine.artifacts.bodies import (
        TextBody as TextBody,
    )
    from evalnb.engine.artifacts.brief import (
        BriefDirection as BriefDirection,
    )
    from evalnb.engine.artifacts.brief import (
        BriefInterface as BriefInterface,
    )
    from evalnb.engine.artifacts.brief import (
        SealedEvaluatorBrief as SealedEvaluatorBrief,
    )
    from evalnb.engine.artifacts.contract import (
        UNRESOLVED_INTERFACE as UNRESOLVED_INTERFACE,
    )
    from evalnb.engine.artifacts.contract import (
        EvalContract as EvalContract,
    )
    from evalnb.engine.artifacts.declarations import (
        Budgets as Budgets,
    )
    from evalnb.engine.artifacts.declarations import (
        ReferenceSetDeclaration as ReferenceSetDeclaration,
    )
    from evalnb.engine.artifacts.declarations import (
        ScopedResource as ScopedResource,
    )
    from evalnb.engine.artifacts.declarations import (
        SiblingGroups as SiblingGroups,
    )
    from evalnb.engine.artifacts.declarations import (
        SiblingOperation as SiblingOperation,
    )
    from evalnb.engine.artifacts.declarations import (
        TestData as TestData,
    )
    from evalnb.engine.artifacts.declarations import (
        TestDataEntry as TestDataEntry,
    )
    from evalnb.engine.artifacts.declarations import (
        Waiver as Waiver,
    )
    from evalnb.engine.artifacts.expressions import (
        Absence as Absence,
    )
    from evalnb.engine.artifacts.expressions import (
        All as All,
    )
    from evalnb.engine.artifacts.expressions import (
        AnyOf as AnyOf,
    )
    from evalnb.engine.artifacts.expressions import (
        Containment as Containment,
    )
    from evalnb.engine.artifacts.expressions import (
        CountTolerance as CountTolerance,
    )
    from evalnb.engine.artifacts.expressions import (
        CoversByKey as CoversByKey,
    )
    from evalnb.engine.artifacts.expressions import (
        DeepEquality as DeepEquality,
    )
    from evalnb.engine.artifacts.expressions import (
        Equality as Equality,
    )
    from evalnb.engine.artifacts.expressions import (
        Existence as Existence,
    )
    from evalnb.engine.artifacts.expressions import (
        Expression as Expression,
    )
    from evalnb.engine.artifacts.expressions import (
        ForAll as ForAll,
    )
    from evalnb.engine.artifacts.expressions import (
        ForAny as ForAny,
    )
    from evalnb.engine.artifacts.expressions import (
        LiteralOperand as LiteralOperand,
    )
    from evalnb.engine.artifacts.expressions import (
        LiteralSetOperand as LiteralSetOperand,
    )
    from evalnb.engine.artifacts.expressions import (
        Not as Not,
    )
    from evalnb.engine.artifacts.expressions import (
        Operand as Operand,
    )
    from evalnb.engine.artifacts.expressions import (
        Ordering as Ordering,
    )
    from evalnb.engine.artifacts.expressions import (
        PointerOperand as PointerOperand,
    )
    from evalnb.engine.artifacts.expressions import (
        ReferenceSetOperand as ReferenceSetOperand,
    )
    from evalnb.engine.artifacts.expressions import (
        Regex as Regex,
    )
    from evalnb.engine.artifacts.expressions import (
        SetMembership as SetMembership,
    )
    from evalnb.engine.artifacts.expressions import (
        SetOperand as SetOperand,
    )
    from evalnb.engine.artifacts.expressions import (
        Shape as Shape,
    )
    from evalnb.engine.artifacts.interfaces import (
        AnyOperation as AnyOperation,
    )
    from evalnb.engine.artifacts.interfaces import (
        ApiInterface as ApiInterface,
    )
    from evalnb.engine.artifacts.interfaces import (
        ApiRequestShape as ApiRequestShape,
    )
    from evalnb.engine.artifacts.interfaces import (
        ArtifactChannel as ArtifactChannel,
    )
    from evalnb.engine.artifacts.interfaces import (
        AtMostCardinality as AtMostCardinality,
    )
    from evalnb.engine.artifacts.interfaces import (
        CliInterface as CliInterface,
    )
    from evalnb.engine.artifacts.interfaces import (
        CollectionLocation as CollectionLocation,
    )
    from evalnb.engine.artifacts.interfaces import (
        CommandOperation as CommandOperation,
    )
    from evalnb.engine.artifacts.interfaces import (
        CommandRequestShape as CommandRequestShape,
    )
    from evalnb.engine.artifacts.interfaces import (
        ExactCardinality as ExactCardinality,
    )
    from evalnb.engine.artifacts.interfaces import (
        ExpectedCardinality as ExpectedCardinality,
    )
    from evalnb.engine.artifacts.interfaces import (
        McpInterface as McpInterface,
    )
    from evalnb.engine.artifacts.interfaces import (
        McpOperation as McpOperation,
    )
    from evalnb.engine.artifacts.interfaces import (
        McpRequestShape as McpRequestShape,
    )
    from evalnb.engine.artifacts.interfaces import (
        Operation as Operation,
    )
    from evalnb.engine.artifacts.interfaces import (
        PageBoundedCardinality as PageBoundedCardinality,
    )
    from evalnb.engine.artifacts.interfaces import (
        PermittedInterface as PermittedInterface,
    )
    from evalnb.engine.artifacts.interfaces import (
        ResponseDescriptor as ResponseDescriptor,
    )
    from evalnb.engine.artifacts.interfaces import (
        StreamChannel as StreamChannel,
    )
    from evalnb.engine.artifacts.interfaces import (
        StructuredResultChannel as StructuredResultChannel,
    )
    from evalnb.engine.artifacts.interfaces import (
        WebInterface as WebInterface,
    )
    from evalnb.engine.artifacts.issues import (
        Issue as Issue,
    )
    from evalnb.engine.artifacts.issues import (
        ShapeError as ShapeError,
    )
    from evalnb.engine.artifacts.issues import (
        issues_of as issues_of,
    )
    from evalnb.engine.artifacts.model import (
        Artifact as Artifact,
    )
    from evalnb.engine.artifacts.model import (
        StrictObject as StrictObject,
    )
    from evalnb.engine.artifacts.plan import (
        ApiInputBinding as ApiInputBinding,
    )
    from evalnb.engine.artifacts.plan import (
        BindingValue as BindingValue,
    )
    from evalnb.engine.artifacts.plan import (
        CapturedBinding as CapturedBinding,
    )
    from evalnb.engine.artifacts.plan import (
        CommandInputBinding as CommandInputBinding,
    )
    from evalnb.engine.artifacts.plan import (
        InputBinding as InputBinding,
    )
    from evalnb.engine.artifacts.plan import (
        InputBindingChannel as InputBindingChannel,
    )
    from evalnb.engine.artifacts.plan import (
        InteractionStep as InteractionStep,
    )
    from evalnb.engine.artifacts.plan import (
        LiteralBinding as LiteralBinding,
    )
    from evalnb.engine.artifacts.plan import (
        MatcherBinding as MatcherBinding,
    )
    from evalnb.engine.artifacts.plan import (
        McpInputBinding as McpInputBinding,
    )
    from evalnb.engine.artifacts.plan import (
        PrincipalBinding as PrincipalBinding,
    )
    from evalnb.engine.artifacts.primitives import (
        CommandInvocation as CommandInvocation,
    )
    from evalnb.engine.artifacts.primitives import (
        KeyedShapeDescriptor as KeyedShapeDescriptor,
    )
    from evalnb.engine.artifacts.reading import (
        ARTIFACT_REFERENCE as ARTIFACT_REFERENCE,
    )
    from evalnb.engine.artifacts.reading import (
        EVAL_CONTRACT as EVAL_CONTRACT,
    )
    from evalnb.engine.artifacts.reading import (
        EVALUATOR_CONFIGURATION as EVALUATOR_CONFIGURATION,
    )
    from evalnb.engine.artifacts.reading import (
        EVIDENCE_ARTIFACT as EVIDENCE_ARTIFACT,
    )
    from evalnb.engine.artifacts.reading import (
        ISOLATION_MANIFEST as ISOLATION_MANIFEST,
    )
    from evalnb.engine.artifacts.reading import (
        KINDS as KINDS,
    )
    from evalnb.engine.artifacts.reading import (
        PREFLIGHT_VERDICT as PREFLIGHT_VERDICT,
    )
    from evalnb.engine.artifacts.reading import (
        PRIVATE_ARTIFACT_MANIFEST as PRIVATE_ARTIFACT_MANIFEST,
    )
    from evalnb.engine.artifacts.reading import (
        PROBE as PROBE,
    )
    from evalnb.engine.artifacts.reading import (
        RUBRIC as RUBRIC,
    )
    from evalnb.engine.artifacts.reading import (
        SCORING_POLICY as SCORING_POLICY,
    )
    from evalnb.engine.artifacts.reading import (
        SEALED_EVALUATOR_BRIEF as SEALED_EVALUATOR_BRIEF,
    )
    from evalnb.engine.artifacts.reading import (
        SEALED_RUN_RECORD as SEALED_RUN_RECORD,
    )
    from evalnb.engine.artifacts.reading import (
        STRENGTH_AGGREGATE as STRENGTH_AGGREGATE,
    )
    from evalnb.engine.artifacts.reading import (
        ArtifactKind as ArtifactKind,
    )
    from evalnb.engine.artifacts.reading import (
        check_stamp as check_stamp,
    )
    from evalnb.engine.artifacts.reading import (
        parse_shape as parse_shape,
    )
    from evalnb.engine.artifacts.reading import (
        read as read,
    )
    from evalnb.engine.artifacts.reference import (
        ArtifactReference as ArtifactReference,
    )
    from evalnb.engine.artifacts.reference import (
        PrivateReference as PrivateReference,
    )
    from evalnb.engine.artifacts.reference import (
        PublicReference as PublicReference,
    )
    from evalnb.engine.artifacts.rubric import (
        FailureModePenalty as FailureModePenalty,
    )
    from evalnb.engine.artifacts.rubric import (
        Rubric as Rubric,
    )
    from evalnb.engine.artifacts.rubric import (
        RubricBody as RubricBody,
    )
    from evalnb.engine.artifacts.rubric import (
        RubricCriterion as RubricCriterion,
    )
    from evalnb.engine.artifacts.rubric import (
        ScaleLevel as ScaleLevel,
    )
    from evalnb.engine.artifacts.witnesses import (
        ApiWitnessInputs as ApiWitnessInputs,
    )
    from evalnb.engine.artifacts.witnesses import (
        CommandWitnessInputs as CommandWitnessInputs,
    )
    from evalnb.engine.artifacts.witnesses import (
        FixtureReset as FixtureReset,
    )
    from evalnb.engine.artifacts.witnesses import (
        ManifestationWitness as ManifestationWitness,
    )
    from evalnb.engine.artifacts.witnesses import (
        McpWitnessInputs as McpWitnessInputs,
    )
    from evalnb.engine.artifacts.witnesses import (
        SensitivityWitness as SensitivityWitness,
    )
    from evalnb.engine.artifacts.witnesses import (
        WitnessInputs as WitnessInputs,
    )
    from evalnb.engine.artifacts.witnesses import (
        WitnessLeg as WitnessLeg,
    )

_NAMES: Final[dict[str, str]] = {
    "behaviors": "Behavior Direction ExternalLink Oracle",
    "bodies": "AbsentBody JsonBody ProbeObservedBody ProbeRequestBody ProbeRequestStdin RawRequestBody TextBody",
    "brief": "BriefDirection BriefInterface SealedEvaluatorBrief",
    "contract": "UNRESOLVED_INTERFACE EvalContract",
    "declarations": "Budgets ReferenceSetDeclaration ScopedResource SiblingGroups SiblingOperation TestData TestDataEntry Waiver",
    "expressions": "Absence All AnyOf Containment CountTolerance CoversByKey DeepEquality Equality Existence Expression ForAll ForAny LiteralOperand LiteralSetOperand Not Operand Ordering PointerOperand ReferenceSetOperand Regex SetMembership SetOperand Shape",
    "interfaces": "AnyOperation ApiInterface ApiRequestShape ArtifactChannel AtMostCardinality CliInterface CollectionLocation CommandOperation CommandRequestShape ExactCardinality ExpectedCardinality McpInterface McpOperation McpRequestShape Operation PageBoundedCardinality PermittedInterface ResponseDescriptor StreamChannel StructuredResultChannel WebInterface",
    "issues": "Issue ShapeError issues_of",
    "model": "Artifact StrictObject",
    "plan": "ApiInputBinding BindingValue CapturedBinding CommandInputBinding InputBinding InputBindingChannel InteractionStep LiteralBinding MatcherBinding McpInputBinding PrincipalBinding",
    "primitives": "CommandInvocation KeyedShapeDescriptor",
    "reading": "ARTIFACT_REFERENCE EVAL_CONTRACT EVALUATOR_CONFIGURATION EVIDENCE_ARTIFACT ISOLATION_MANIFEST KINDS PREFLIGHT_VERDICT PRIVATE_ARTIFACT_MANIFEST PROBE RUBRIC SCORING_POLICY SEALED_EVALUATOR_BRIEF SEALED_RUN_RECORD STRENGTH_AGGREGATE ArtifactKind check_stamp parse_shape read",
    "reference": "ArtifactReference PrivateReference PublicReference",
    "rubric": "FailureModePenalty Rubric RubricBody RubricCriterion ScaleLevel",
    "witnesses": "ApiWitnessInputs CommandWitnessInputs FixtureReset ManifestationWitness McpWitnessInputs SensitivityWitness WitnessInputs WitnessLeg",
}
_MODULES: Final = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return sorted(_MODULES)

"""Reading an artifact: its stamp first, then its shape; and the inventory of the thirteen kinds.

spec: 01 §6, 02b §15, 00 "Versions read and written"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from typing_extensions import TypeVar

from evalnb.engine.artifacts.model import (
    BODY_ENCODING,
    INTERFACE_IDS,
    RAW_BODIES,
    STATE_RESET_POINTERS,
    VOLATILE_WILDCARDS,
    Artifact,
    OlderStamps,
    union_arms,
)
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import number_text

if TYPE_CHECKING:
    from evalnb.engine.artifacts.aggregate import StrengthAggregate
    from evalnb.engine.artifacts.brief import SealedEvaluatorBrief
    from evalnb.engine.artifacts.configuration import EvaluatorConfiguration
    from evalnb.engine.artifacts.contract import EvalContract
    from evalnb.engine.artifacts.evidence import EvidenceArtifact
    from evalnb.engine.artifacts.isolation_manifest import IsolationManifest
    from evalnb.engine.artifacts.policy import ScoringPolicy
    from evalnb.engine.artifacts.preflight_verdict import PreflightVerdict
    from evalnb.engine.artifacts.private_manifest import PrivateArtifactManifest
    from evalnb.engine.artifacts.probe import Probe
    from evalnb.engine.artifacts.record import SealedRunRecord
    from evalnb.engine.artifacts.reference import ArtifactReference
    from evalnb.engine.artifacts.rubric import Rubric

M = TypeVar("M", default=Any)


class ArtifactKind(NamedTuple, Generic[M]):
    """One row of the inventory: what it is called, where its shape is, which schema versions are read and written.

    `features` says with which version a feature came. `reads` is empty where no stamp is compared.
    """

    key: str
    name: str
    module: str
    reads: tuple[int, ...]
    writes: int | None
    succeeds: str | None = None
    description: str = ""
    consequence: str = ""
    features: Mapping[str, int] = MappingProxyType({})

    @property
    def shape(self) -> Any:
        """The model, or the union of models, of this kind."""
        return _definition(self, self.name)

    @property
    def models(self) -> tuple[type[Artifact], ...]:
        """The model of this kind, or every arm of its union."""
        return union_arms(getattr(self.shape, "__origin__", self.shape))

    def lacks(self, stamp: int) -> frozenset[str]:
        """The features that documents with this stamp do not know."""
        return frozenset(name for name, version in self.features.items() if stamp < version)


EVAL_CONTRACT: Final[ArtifactKind[EvalContract]] = ArtifactKind(
    "eval-contract",
    "EvalContract",
    "contract",
    (5, 6, 7),
    7,
    succeeds="eval-contract",
    description="What one evaluation claims, what it may reach, and how its evidence decides.",
    consequence="its stale version would travel into the scoring version",
    features={INTERFACE_IDS: 6, RAW_BODIES: 7, VOLATILE_WILDCARDS: 7, STATE_RESET_POINTERS: 7},
)
RUBRIC: Final[ArtifactKind[Rubric]] = ArtifactKind(
    "rubric",
    "Rubric",
    "rubric",
    (),
    None,
    description="A rubric published on its own; no prior art.",
)
SEALED_EVALUATOR_BRIEF: Final[ArtifactKind[SealedEvaluatorBrief]] = ArtifactKind(
    "sealed-evaluator-brief",
    "SealedEvaluatorBrief",
    "brief",
    (2,),
    2,
    description="All of a contract that an evaluator may see; no prior art.",
    consequence="an evaluator would be directed by a view this build does not define",
)
SEALED_RUN_RECORD: Final[ArtifactKind[SealedRunRecord]] = ArtifactKind(
    "sealed-run-record",
    "SealedRunRecord",
    "record",
    (6, 7, 8),
    8,
    succeeds="h0-run-result",
    description="What one trial observed and what its evaluator reported.",
    consequence="its evidence would be read under a shape it was not recorded in",
    features={INTERFACE_IDS: 7, BODY_ENCODING: 8},
)
ISOLATION_MANIFEST: Final[ArtifactKind[IsolationManifest]] = ArtifactKind(
    "isolation-manifest",
    "IsolationManifest",
    "isolation_manifest",
    (1,),
    1,
    succeeds="isolation-manifest",
    description="What an evaluator was given and what was kept from it.",
    consequence="its attestations would be read under a shape it was not made in",
)
EVALUATOR_CONFIGURATION: Final[ArtifactKind[EvaluatorConfiguration]] = ArtifactKind(
    "evaluator-configuration",
    "EvaluatorConfiguration",
    "configuration",
    (1,),
    1,
    description="The evaluator that took part in a run; no prior art.",
    consequence="its digest would stand for a configuration this build does not define",
)
PROBE: Final[ArtifactKind[Probe]] = ArtifactKind(
    "probe",
    "Probe",
    "probe",
    (5, 6),
    6,
    succeeds="h0-ground-truth",
    description="One implementation an evaluation is tried on, with what is planted in it.",
    consequence=(
        "the stamp tells which shapes the probe was authored against: the qualification record on every probe, and the "
        "witness legs and signature grammar on a seeded one"
    ),
    features={RAW_BODIES: 6},
)
ARTIFACT_REFERENCE: Final[ArtifactKind[ArtifactReference]] = ArtifactKind(
    "artifact-reference",
    "ArtifactReference",
    "reference",
    (),
    None,
    succeeds="artifact-ref",
    description="Another artifact by digest: a public one by path, a private one by an opaque handle.",
)
PRIVATE_ARTIFACT_MANIFEST: Final[ArtifactKind[PrivateArtifactManifest]] = ArtifactKind(
    "private-artifact-manifest",
    "PrivateArtifactManifest",
    "private_manifest",
    (1,),
    1,
    succeeds="private-evidence-manifest",
    description="The private artifacts of a run by handle and digest.",
    consequence="its entries would be read under a shape it was not made in",
)
PREFLIGHT_VERDICT: Final[ArtifactKind[PreflightVerdict]] = ArtifactKind(
    "preflight-verdict",
    "PreflightVerdict",
    "preflight_verdict",
    (1, 2),
    2,
    description="Whether the environment can be measured at all; no prior art.",
    consequence="its checks would be read under a shape it was not made in",
    features={INTERFACE_IDS: 2},
)
SCORING_POLICY: Final[ArtifactKind[ScoringPolicy]] = ArtifactKind(
    "scoring-policy",
    "ScoringPolicy",
    "policy",
    (2,),
    2,
    description="The thresholds and caps a score is made under; no prior art.",
    consequence="thresholds and caps this build does not define would be applied",
)
EVIDENCE_ARTIFACT: Final[ArtifactKind[EvidenceArtifact]] = ArtifactKind(
    "evidence-artifact",
    "EvidenceArtifact",
    "evidence",
    (4,),
    4,
    description="What a scored run shows: verdict, outcomes, strength; no prior art.",
    consequence="a class rate would rest on a reduction this build does not define",
)
STRENGTH_AGGREGATE: Final[ArtifactKind[StrengthAggregate]] = ArtifactKind(
    "strength-aggregate",
    "StrengthAggregate",
    "aggregate",
    (1,),
    1,
    description="Strength over several runs, by probe class; no prior art.",
    consequence="its rates would be read under a shape it was not made in",
)

KINDS: Final[dict[str, ArtifactKind[Any]]] = {
    kind.key: kind
    for kind in (
        EVAL_CONTRACT,
        RUBRIC,
        SEALED_EVALUATOR_BRIEF,
        SEALED_RUN_RECORD,
        ISOLATION_MANIFEST,
        EVALUATOR_CONFIGURATION,
        PROBE,
        ARTIFACT_REFERENCE,
        PRIVATE_ARTIFACT_MANIFEST,
        PREFLIGHT_VERDICT,
        SCORING_POLICY,
        EVIDENCE_ARTIFACT,
        STRENGTH_AGGREGATE,
    )
}
"""The thirteen interchange artifacts by key, in registry order."""


def read(kind: ArtifactKind[M], raw: Any, *, stamp_path: str | None = None, parse_path: str | None = None) -> M:
    """The model of an artifact given as JSON, whose `document` is that JSON; a model is returned as it is.

    RuntimeFault `schema-version-mismatch` for a stamp outside the range, `schema-parse-failure` for any other shape.
    """
    check_stamp(kind, raw, stamp_path)
    return parse_shape(kind, raw, parse_path)


def check_stamp(kind: ArtifactKind[Any], raw: Any, stamp_path: str | None = None) -> None:
    """Compare the schema version of `raw` with the versions this build reads; anything without one passes.

    `stamp_path` is where the fault is reported, by default `<Name>.schemaVersion`.
    """
    stamp = _stamp(raw)
    if stamp is None or not kind.reads or stamp in kind.reads:
        return
    low, high = kind.reads[0], kind.reads[-1]
    accepted = str(low) if low == high else f"{low} to {high}"
    raise RuntimeFault(
        "schema-version-mismatch",
        stamp_path or f"{kind.name}.schemaVersion",
        f'carries "schemaVersion" {number_text(stamp)} where this build reads {accepted}; {kind.consequence}',
    )


def _definition(kind: ArtifactKind[Any], *name_and_default: Any) -> Any:
    return getattr(import_module(f"evalnb.engine.artifacts.{kind.module}"), *name_and_default)


def _stamp(raw: Any) -> int | float | None:
    if isinstance(raw, Artifact):
        stamp = getattr(raw, "schema_version", None)
    else:
        stamp = raw.get("schemaVersion") if isinstance(raw, dict) else None
    return stamp if isinstance(stamp, int | float) and not isinstance(stamp, bool) else None


def parse_shape(kind: ArtifactKind[M], raw: Any, parse_path: str | None = None) -> M:
    """The model of `raw`, read under the shape of its own stamp.

    RuntimeFault `schema-parse-failure` at `parse_path`, by default the artifact's name, caused by a ShapeError.
    """
    if isinstance(raw, Artifact) and isinstance(raw, kind.models):
        return cast("M", raw)
    stamp = _stamp(raw)
    without: frozenset[str] = kind.lacks(int(stamp)) if stamp in kind.reads else frozenset()
    model = _attempt(kind, raw, without, validate)
    if model is None:
        return cast("M", _second_reading(kind, raw, without, parse_path))
    return cast("M", model.written_as(raw))


def _attempt(
    kind: ArtifactKind[Any], raw: Any, without: frozenset[str], build: Callable[[Any, Any], Any]
) -> Artifact | None:
    older: OlderStamps | None = _definition(kind, "OLDER_STAMPS", None) if without else None
    lifted = older.lift(raw, without) if older else raw
    if lifted is None:
        return None
    try:
        model: Artifact = build(kind.shape, lifted)
    except ValidationError:
        return None
    return older.settle(model, without) if older else model


def _second_reading(kind: ArtifactKind[Any], raw: Any, without: frozenset[str], parse_path: str | None) -> Artifact:
    """What pydantic refused: the fault with its issues, or a document with keys to drop or of unusual depth."""
    # Loaded here: most documents are read at the first attempt.
    from evalnb.engine.artifacts.construct import construct
    from evalnb.engine.artifacts.issues import Issue, ShapeError, as_written, issues_of

    raw = as_written(raw)
    issues = issues_of(kind.shape, raw, without=without)
    model = None if issues else _attempt(kind, raw, without, construct)
    if model is not None:
        return model.written_as(raw)
    cause = ShapeError(issues or (Issue((), "custom", "Not of the shape of its schema version"),))
    detail = f"input does not conform to the {kind.name} schema"
    raise RuntimeFault("schema-parse-failure", parse_path or kind.name, detail, cause=cause) from cause


def validated(shape: Any, raw: Any) -> Any:
    """`raw` as an instance of `shape`, for shapes that are no artifact kind; ShapeError where it does not fit."""
    try:
        return validate(shape, raw)
    except ValidationError:
        from evalnb.engine.artifacts.construct import construct
        from evalnb.engine.artifacts.issues import ShapeError, as_written, issues_of
    plain = as_written(raw)
    issues = issues_of(shape, plain)
    if issues:
        raise ShapeError(issues)
    return construct(shape, plain)


def validate(shape: Any, value: Any) -> Any:
    """`value` as an instance of `shape`, by JSON keys only; pydantic's ValidationError where it does not fit."""
    return _validator(shape)(value)


@cache
def _validator(shape: Any) -> Callable[[Any], Any]:
    if isinstance(shape, type) and issubclass(shape, BaseModel):
        return lambda value: shape.model_validate(value, by_alias=True, by_name=False)
    adapter = TypeAdapter[Any](shape)
    return lambda value: adapter.validate_python(value, by_alias=True, by_name=False)

"""The conditions ingest records: each says one thing that makes a run's evidence unusable.

A condition is data, never an exception; the ladder turns every kind into an Invalid row. spec: 09 §2.1
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

DuplicateSubject = Literal["observation", "finding", "oracle-disposition", "judge-result"]
DisagreementField = Literal["runId", "contractDigest", "evaluatorConfigurationDigest"]


@dataclass(frozen=True, slots=True)
class UnwitnessedQuotation:
    """One quotation of a defect finding that no cited observation contains. spec: 09 §5.4"""

    finding_id: str
    quote_index: int
    channel: str
    quote: str
    cited_observation_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DuplicateRecordIdentifier:
    """An identifier that occurs more than once among one kind of record entries."""

    kind: ClassVar[str] = "duplicate-record-identifier"
    subject: DuplicateSubject
    identifier: str
    occurrences: int


@dataclass(frozen=True, slots=True)
class DanglingCitation:
    """A finding that cites observations the record does not hold."""

    kind: ClassVar[str] = "dangling-citation"
    finding_id: str
    unresolved_observation_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DanglingDispositionCitation:
    """An oracle disposition that cites observations the record does not hold."""

    kind: ClassVar[str] = "dangling-disposition-citation"
    oracle_id: str
    unresolved_observation_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnwitnessedQuotations:
    """The whole of a non-empty quotation audit."""

    kind: ClassVar[str] = "unwitnessed-quotation"
    quotations: tuple[UnwitnessedQuotation, ...]


@dataclass(frozen=True, slots=True)
class IsolationManifestAbsent:
    """No isolation manifest came with the record."""

    kind: ClassVar[str] = "isolation-manifest-absent"


@dataclass(frozen=True, slots=True)
class IsolationManifestViolation:
    """What the manifest itself says broke the isolation, or shows outside its allowlists."""

    kind: ClassVar[str] = "isolation-manifest-violation"
    violation: str | None
    mounts_outside_allowlist: tuple[str, ...]
    network_targets_outside_allowlist: tuple[str, ...]
    tool_calls_outside_allowlist: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForbiddenInputNotWithheld:
    """The forbidden inputs that the manifest accounts for as handed over."""

    kind: ClassVar[str] = "forbidden-input-not-withheld"
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CrossArtifactDisagreement:
    """A field on which record and manifest name different things."""

    kind: ClassVar[str] = "cross-artifact-disagreement"
    field: DisagreementField
    record_value: str
    manifest_value: str


@dataclass(frozen=True, slots=True)
class EvaluatorConfigurationAbsent:
    """No evaluator configuration came with the record."""

    kind: ClassVar[str] = "evaluator-configuration-absent"


@dataclass(frozen=True, slots=True)
class EvaluatorConfigurationDigestMismatch:
    """The supplied configuration is not the one whose digest the record declares."""

    kind: ClassVar[str] = "evaluator-configuration-digest-mismatch"
    declared_digest: str
    computed_digest: str


@dataclass(frozen=True, slots=True)
class JudgeResultUnscored:
    """A rubric criterion that the judge returned without a score."""

    kind: ClassVar[str] = "judge-result-unscored"
    rubric_id: str
    criterion_id: str


Condition = (
    DuplicateRecordIdentifier
    | DanglingCitation
    | DanglingDispositionCitation
    | UnwitnessedQuotations
    | IsolationManifestAbsent
    | IsolationManifestViolation
    | ForbiddenInputNotWithheld
    | CrossArtifactDisagreement
    | EvaluatorConfigurationAbsent
    | EvaluatorConfigurationDigestMismatch
    | JudgeResultUnscored
)

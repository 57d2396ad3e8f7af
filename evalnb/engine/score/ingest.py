"""One run record with its manifest and configuration, ordered for scoring, and all that speaks against it.

Pure, and never a rejection: each problem becomes a condition. spec: 09 §2
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from evalnb.engine.artifacts import (
    EvaluatorConfiguration,
    Finding,
    IsolationManifest,
    Observation,
    OracleDisposition,
    SealedRunRecord,
)
from evalnb.engine.artifacts.primitives import FORBIDDEN_INPUTS
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.score.conditions import (
    Condition,
    CrossArtifactDisagreement,
    DanglingCitation,
    DanglingDispositionCitation,
    DisagreementField,
    DuplicateRecordIdentifier,
    DuplicateSubject,
    EvaluatorConfigurationAbsent,
    EvaluatorConfigurationDigestMismatch,
    ForbiddenInputNotWithheld,
    IsolationManifestAbsent,
    IsolationManifestViolation,
    JudgeResultUnscored,
    UnwitnessedQuotation,
    UnwitnessedQuotations,
)
from evalnb.engine.score.quotations import audit_quotations


@dataclass(frozen=True, slots=True)
class ValidatedObservations:
    """One trial, ready to be scored; never serialised. spec: 09 §2.2

    Observations ascend by sequence, findings and dispositions by identifier with ties as recorded.
    """

    run_id: str
    trial_index: int
    contract_digest: str
    evaluator_configuration_digest: str
    mode: Literal["production", "contract-scoring"]
    evaluator_recommendation: Literal["PASS", "CONCERNS", "FAIL"]
    observations: tuple[Observation, ...]
    findings: tuple[Finding, ...]
    dispositions: tuple[OracleDisposition, ...]
    conditions: tuple[Condition, ...]
    unwitnessed_quotations: tuple[UnwitnessedQuotation, ...]
    isolation_violation: tuple[str, ...]


def ingest(
    record: SealedRunRecord,
    manifest: IsolationManifest | None,
    configuration: EvaluatorConfiguration | None,
) -> ValidatedObservations:
    """Order the record's parts and list every condition, in the fixed order of kinds. spec: 09 §2.1

    Raises only what computing a digest or a canonical text raises.
    """
    quotations = audit_quotations(record)
    return ValidatedObservations(
        run_id=record.run_id,
        trial_index=record.trial_index,
        contract_digest=record.contract_digest,
        evaluator_configuration_digest=record.evaluator_configuration_digest,
        mode=record.mode,
        evaluator_recommendation=record.evaluator_recommendation,
        observations=tuple(sorted(record.observations, key=lambda o: (o.sequence, o.observation_id))),
        findings=tuple(sorted(record.findings, key=lambda finding: finding.finding_id)),
        dispositions=tuple(sorted(record.oracle_dispositions, key=lambda given: given.oracle_id)),
        conditions=(
            *_duplicates(record),
            *_dangling_citations(record),
            *_dangling_dispositions(record),
            *((UnwitnessedQuotations(quotations),) if quotations else ()),
            *_isolation(record, manifest),
            *_configuration(record, configuration),
            *_unscored(record),
        ),
        unwitnessed_quotations=quotations,
        isolation_violation=tuple(_violation_texts(manifest)),
    )


def _duplicates(record: SealedRunRecord) -> Iterator[DuplicateRecordIdentifier]:
    subjects: tuple[tuple[DuplicateSubject, Iterable[str]], ...] = (
        ("observation", (observation.observation_id for observation in record.observations)),
        ("finding", (finding.finding_id for finding in record.findings)),
        ("oracle-disposition", (given.oracle_id for given in record.oracle_dispositions)),
        ("judge-result", (f"{result.rubric_id}/{result.criterion_id}" for result in record.judge_results)),
    )
    for subject, identifiers in subjects:
        for identifier, occurrences in sorted(Counter(identifiers).items()):
            if occurrences > 1:
                yield DuplicateRecordIdentifier(subject, identifier, occurrences)


def _dangling_citations(record: SealedRunRecord) -> list[DanglingCitation]:
    known = {observation.observation_id for observation in record.observations}
    dangling = (
        DanglingCitation(finding.finding_id, _outside(finding.observation_ids, known)) for finding in record.findings
    )
    return sorted(
        (condition for condition in dangling if condition.unresolved_observation_ids),
        key=lambda condition: (condition.finding_id, *condition.unresolved_observation_ids),
    )


def _dangling_dispositions(record: SealedRunRecord) -> list[DanglingDispositionCitation]:
    known = {observation.observation_id for observation in record.observations}
    dangling = (
        DanglingDispositionCitation(given.oracle_id, _outside(given.observation_ids, known))
        for given in record.oracle_dispositions
    )
    return sorted(
        (condition for condition in dangling if condition.unresolved_observation_ids),
        key=lambda condition: (condition.oracle_id, *condition.unresolved_observation_ids),
    )


def _isolation(record: SealedRunRecord, manifest: IsolationManifest | None) -> Iterator[Condition]:
    if manifest is None:
        yield IsolationManifestAbsent()
        return
    violation = _violation(manifest)
    if violation is not None:
        yield violation
    accounting = manifest.forbidden_input_accounting.model_dump(by_alias=True)
    admitted = tuple(name for name in FORBIDDEN_INPUTS if not accounting[name]["withheld"])
    if admitted:
        yield ForbiddenInputNotWithheld(admitted)
    for field, value in _COMPARED.items():
        if value(record) != value(manifest):
            yield CrossArtifactDisagreement(field, value(record), value(manifest))


# The condition arm is left out on purpose: the two artifacts may label one arm differently.
_COMPARED: Final[dict[DisagreementField, Callable[[SealedRunRecord | IsolationManifest], str]]] = {
    "runId": lambda artifact: artifact.run_id,
    "contractDigest": lambda artifact: artifact.contract_digest,
    "evaluatorConfigurationDigest": lambda artifact: artifact.evaluator_configuration_digest,
}


def _violation(manifest: IsolationManifest) -> IsolationManifestViolation | None:
    mounts = _outside(manifest.observed_mounts, manifest.allowed_mounts)
    targets = _outside(manifest.observed_network_targets, manifest.network_allowlist)
    calls = _outside(manifest.observed_tool_calls, manifest.tool_allowlist)
    if manifest.violation is None and not (mounts or targets or calls):
        return None
    return IsolationManifestViolation(manifest.violation, mounts, targets, calls)


def _violation_texts(manifest: IsolationManifest | None) -> Iterator[str]:
    if manifest is None:
        yield "isolation manifest absent"
        return
    violation = _violation(manifest)
    if violation is None:
        return
    if violation.violation is not None:
        yield f"manifest violation: {violation.violation}"
    yield from (f"mount outside allowlist: {mount}" for mount in violation.mounts_outside_allowlist)
    for target in violation.network_targets_outside_allowlist:
        yield f"network target outside allowlist: {target}"
    yield from (f"tool call outside allowlist: {call}" for call in violation.tool_calls_outside_allowlist)


def _configuration(
    record: SealedRunRecord, configuration: EvaluatorConfiguration | None
) -> Iterator[EvaluatorConfigurationAbsent | EvaluatorConfigurationDigestMismatch]:
    if configuration is None:
        yield EvaluatorConfigurationAbsent()
        return
    computed = digest_artifact(configuration.document, "EvaluatorConfiguration")
    if computed != record.evaluator_configuration_digest:
        yield EvaluatorConfigurationDigestMismatch(record.evaluator_configuration_digest, computed)


def _unscored(record: SealedRunRecord) -> list[JudgeResultUnscored]:
    pairs = {(result.rubric_id, result.criterion_id) for result in record.judge_results if result.score is None}
    return [JudgeResultUnscored(rubric, criterion) for rubric, criterion in sorted(pairs)]


def _outside(values: Sequence[str], allowed: Iterable[str]) -> tuple[str, ...]:
    """The values that are not allowed, each once, in their own order."""
    admitted = frozenset(allowed)
    return tuple(value for value in dict.fromkeys(values) if value not in admitted)

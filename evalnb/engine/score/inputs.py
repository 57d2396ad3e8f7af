"""What a score run is given, read in its fixed order: every stamp and shape, then the designated oracle.

spec: 09 §1.1 to §1.3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalnb.engine.artifacts import (
    EVAL_CONTRACT,
    EVALUATOR_CONFIGURATION,
    ISOLATION_MANIFEST,
    PREFLIGHT_VERDICT,
    PRIVATE_ARTIFACT_MANIFEST,
    PROBE,
    SCORING_POLICY,
    SEALED_RUN_RECORD,
    EvalContract,
    EvaluatorConfiguration,
    IsolationManifest,
    PreflightVerdict,
    PrivateArtifactManifest,
    Probe,
    ScoringPolicy,
    SealedRunRecord,
    check_stamp,
    parse_shape,
    read,
    resolve_observation_interfaces,
)
from evalnb.engine.artifacts.issues import Issue
from evalnb.engine.artifacts.presented import parse_each, parse_failure, probe_stamp_path
from evalnb.engine.canonical import DIGEST_PATTERN
from evalnb.engine.json_values import number_text
from evalnb.engine.score.designation import check_designation

RECORD_PATH = "SealedRunRecord"
RECORD_LIST_PATH = "SealedRunRecord[]"
CORPUS_DIGEST_PATH = "ScoringVersionInputs.corpusDigest"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreInputs:
    """One score run's inputs: raw JSON values or parsed models.

    `record` is one record, or a list of at least one (a trial set). Manifest, configuration and private manifest may
    be None. `corpus_digest` is the caller's word; no artifact carries it.
    """

    record: object
    manifest: object
    configuration: object
    contract: object
    probe: object
    preflight_verdict: object
    policy: object
    corpus_digest: object
    private_manifest: object = None
    designated_oracle_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadInputs:
    """The inputs parsed; records ascend by trial index, equal indices keep the order they were presented in."""

    records: tuple[SealedRunRecord, ...]
    manifest: IsolationManifest | None
    configuration: EvaluatorConfiguration | None
    contract: EvalContract
    probe: Probe
    preflight_verdict: PreflightVerdict
    policy: ScoringPolicy
    private_manifest: PrivateArtifactManifest | None
    corpus_digest: str
    designated_oracle_id: str | None


def read_score_inputs(inputs: ScoreInputs) -> ReadInputs:
    """Read everything in order; the first failure stops.

    Raises RuntimeFault `schema-version-mismatch` or `schema-parse-failure` at the input's own path, and
    `DesignatedOracleRefusal` for an unusable designation.
    """
    records = _read_records(inputs.record)
    manifest = None if inputs.manifest is None else read(ISOLATION_MANIFEST, inputs.manifest)
    configuration = None if inputs.configuration is None else read(EVALUATOR_CONFIGURATION, inputs.configuration)
    contract = read(EVAL_CONTRACT, inputs.contract)
    probe = read(PROBE, inputs.probe, stamp_path=probe_stamp_path(inputs.probe))
    preflight_verdict = read(PREFLIGHT_VERDICT, inputs.preflight_verdict)
    policy = read(SCORING_POLICY, inputs.policy)
    private = inputs.private_manifest
    private_manifest = None if private is None else read(PRIVATE_ARTIFACT_MANIFEST, private)
    corpus_digest = _read_corpus_digest(inputs.corpus_digest)
    if inputs.designated_oracle_id is not None:
        check_designation(contract, probe, inputs.designated_oracle_id)
    resolved = (resolve_observation_interfaces(record, contract) for record in records)
    return ReadInputs(
        records=tuple(sorted(resolved, key=lambda record: record.trial_index)),
        manifest=manifest,
        configuration=configuration,
        contract=contract,
        probe=probe,
        preflight_verdict=preflight_verdict,
        policy=policy,
        private_manifest=private_manifest,
        corpus_digest=corpus_digest,
        designated_oracle_id=inputs.designated_oracle_id,
    )


def _read_records(raw: object) -> tuple[SealedRunRecord, ...]:
    """Every stamp in presented order before any shape: a stale record is named whatever else is wrong."""
    listed = isinstance(raw, list | tuple)
    presented: Sequence[object] = raw if isinstance(raw, list | tuple) else (raw,)
    for position, record in enumerate(presented):
        check_stamp(SEALED_RUN_RECORD, record, _stamp_path(record, position))
    if not listed:
        return (parse_shape(SEALED_RUN_RECORD, raw, RECORD_PATH),)
    if not presented:
        raise parse_failure(RECORD_LIST_PATH, Issue((), "too_small", "at least one record is needed"))
    return parse_each(lambda record: parse_shape(SEALED_RUN_RECORD, record), presented, RECORD_LIST_PATH)


def _stamp_path(record: object, position: int) -> str:
    if isinstance(record, SealedRunRecord):
        index: object = record.trial_index
    else:
        index = record.get("trialIndex") if isinstance(record, dict) else None
    if isinstance(index, int | float) and not isinstance(index, bool):
        return f"SealedRunRecord[trialIndex={number_text(index)}].schemaVersion"
    return f"SealedRunRecord[index={position}].schemaVersion"


def _read_corpus_digest(raw: object) -> str:
    if not isinstance(raw, str) or DIGEST_PATTERN.fullmatch(raw) is None:
        raise parse_failure(
            CORPUS_DIGEST_PATH, Issue((), "invalid_format", "expected sha256: and 64 lowercase hex digits")
        )
    return raw

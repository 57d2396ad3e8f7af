"""A finished draft as a sealed run record, with the papers a score asks for: configuration, manifest and actions.

spec: 02b §4 to §6
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evalnb.engine.artifacts import EVALUATOR_CONFIGURATION, ISOLATION_MANIFEST, SEALED_RUN_RECORD, read
from evalnb.engine.artifacts.primitives import FORBIDDEN_INPUTS
from evalnb.engine.canonical import digest_artifact, digest_bytes, serialize_artifact
from evalnb.files import write_text_atomically
from evalnb.widgets.labelling.draft import Draft, DraftFinding
from evalnb.widgets.labelling.subject import INSTRUCTIONS, LabelSubject

_LINEAGE: Final = {"schemaVersion": 1, "parentDigest": None, "revisionCount": 0}
_RECORD_VERSION: Final = 8
_NO_MODEL: Final = "none: a person, no model is asked"
_TOOL: Final = "evalnb labelling form"
_ACCOUNT: Final = {"withheld": True, "note": "the labelling form shows the sealed brief and recorded calls alone"}


@dataclass(frozen=True, slots=True)
class SavedRecord:
    """The files that were written."""

    record: Path
    configuration: Path
    manifest: Path
    actions: Path

    @classmethod
    def at(cls, out: Path) -> SavedRecord:
        """The record at `out`, its papers beside it and named after it."""
        beside = [out.with_name(f"{out.stem}.{name}.json") for name in ("configuration", "manifest", "actions")]
        return cls(out, *beside)


def problems_of(draft: Draft, subject: LabelSubject) -> tuple[str, ...]:
    """What stands against saving, in words; empty when nothing does."""
    return tuple(_problems(draft, subject))


def save_record(draft: Draft, subject: LabelSubject, out: Path, seconds: float = 0.0) -> SavedRecord:
    """Write the record to `out` and its papers beside it, the record last.

    An oracle that was not decided is recorded as not attempted. Raises ValueError where `problems_of` finds one, and
    OSError.
    """
    problems = problems_of(draft, subject)
    if problems:
        raise ValueError("; ".join(problems))
    files = SavedRecord.at(out)
    use = {"toolCalls": 0, "inputTokens": 0, "outputTokens": 0, "wallClockSeconds": round(seconds, 1), "costUsd": "0"}
    configuration = read(EVALUATOR_CONFIGURATION, _configuration(subject)).document
    manifest = read(ISOLATION_MANIFEST, _manifest(subject, use)).document
    actions = {"calls": subject.observation_documents}
    texts = {
        files.configuration: serialize_artifact(configuration, "EvaluatorConfiguration"),
        files.manifest: serialize_artifact(manifest, "IsolationManifest"),
        files.actions: serialize_artifact(actions, "actions"),
    }
    references = {path: _reference(path, text) for path, text in texts.items()}
    record = {
        **_record(draft, subject, use),
        "actionsArtifact": references[files.actions],
        "isolationManifestArtifact": references[files.manifest],
    }
    texts[files.record] = serialize_artifact(read(SEALED_RUN_RECORD, record).document, "SealedRunRecord")
    for path, text in texts.items():
        write_text_atomically(path, text)
    return files


def _problems(draft: Draft, subject: LabelSubject) -> Iterator[str]:
    if not any(one.disposition for one in draft.judgements.values()) and not draft.findings:
        yield "nothing is decided yet"
    if draft.findings and subject.probe_id is None:
        yield "a finding names the probe it was made on: pass probe_id="
    for finding in draft.findings:
        if not finding.summary.strip():
            yield f"{finding.finding_id} has no summary"
        if finding.finding_type == "defect" and not finding.observation_ids:
            yield f"{finding.finding_id} is a defect and cites no call"
        if finding.finding_type == "defect" and not finding.quotes:
            yield f"{finding.finding_id} is a defect and quotes nothing"


def _configuration(subject: LabelSubject) -> dict[str, Any]:
    """Nothing here names a trial: all trials of one run share one configuration."""
    return {
        **_LINEAGE,
        "sealedBriefDigest": subject.brief_digest,
        "evaluatorIdentity": subject.evaluator,
        "modelSnapshot": _NO_MODEL,
        "systemPromptDigest": digest_bytes(INSTRUCTIONS.encode("utf-8")),
        "decodingParameters": {},
        "toolInventory": [_TOOL],
        "permissionInventory": ["read the sealed brief", "read recorded calls"],
        "budgets": subject.brief.budgets.model_dump(mode="json", by_alias=True),
        "seed": None,
        "judgeConfiguration": None,
    }


def _manifest(subject: LabelSubject, use: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **_LINEAGE,
        "runId": subject.run_id,
        "contractId": subject.contract_id,
        "conditionArm": _arm(subject),
        "modelSnapshot": _NO_MODEL,
        "systemPromptDigest": digest_bytes(INSTRUCTIONS.encode("utf-8")),
        "contractDigest": subject.brief.contract_digest,
        "evaluatorConfigurationDigest": digest_artifact(_configuration(subject), "EvaluatorConfiguration"),
        "workspaceIdentity": "a notebook",
        "allowedMounts": [],
        "observedMounts": [],
        "networkAllowlist": [],
        "observedNetworkTargets": [],
        "toolAllowlist": [_TOOL],
        "observedToolCalls": [_TOOL],
        # No ceiling may be zero; a person spends no tokens and no money, so the smallest ones stand here.
        "resourceCeilings": {
            "maxToolCalls": max(1, subject.brief.budgets.max_tool_calls),
            "maxInputTokens": 1,
            "maxOutputTokens": 1,
            "maxWallClockMinutes": max(1, subject.brief.budgets.max_wall_clock_minutes),
            "maxCostUsd": "0.01",
        },
        "actualResourceUse": dict(use),
        "forbiddenInputAccounting": dict.fromkeys(FORBIDDEN_INPUTS, _ACCOUNT),
        "violation": None,
    }


def _record(draft: Draft, subject: LabelSubject, use: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "schemaVersion": _RECORD_VERSION,
        "parentDigest": None,
        "revisionCount": 0,
        "runId": subject.run_id,
        "conditionArm": _arm(subject),
        "mode": subject.mode,
        "trialIndex": subject.trial_index,
        "contractDigest": subject.brief.contract_digest,
        "sealedBriefDigest": subject.brief_digest,
        "evaluatorConfigurationDigest": digest_artifact(_configuration(subject), "EvaluatorConfiguration"),
        "evaluatorRecommendation": draft.recommendation or draft.suggested,
        "oracleDispositions": [_disposition(draft, one.oracle_id) for one in subject.brief.directions],
        "findings": [_finding(one, subject) for one in draft.findings],
        "observations": subject.observation_documents,
        "judgeResults": [],
        "resourceUse": dict(use),
        "evidenceDisclosure": {"truncationBound": None, "reportedIncomplete": False},
    }


def _disposition(draft: Draft, oracle_id: str) -> dict[str, Any]:
    judgement = draft.judgement(oracle_id)
    return {
        "oracleId": oracle_id,
        "disposition": judgement.disposition or "not-attempted",
        "observationIds": list(judgement.observation_ids),
        "note": judgement.note.strip() or None,
    }


def _finding(finding: DraftFinding, subject: LabelSubject) -> dict[str, Any]:
    document: dict[str, Any] = {
        "findingType": finding.finding_type,
        "findingId": finding.finding_id,
        "oracleId": finding.oracle_id,
        "probeId": subject.probe_id,
        "behaviorId": finding.behavior_id,
        "severity": finding.severity,
        "summary": finding.summary.strip(),
        "confidence": finding.confidence,
        "observationIds": list(finding.observation_ids),
        "evidenceArtifacts": [],
    }
    if finding.finding_type == "defect":
        document["quotedEvidence"] = [
            {"quote": one.text, "channel": one.channel, "artifactId": one.artifact_id} for one in finding.quotes
        ]
    return document


def _arm(subject: LabelSubject) -> str:
    """Begins with the probe, so that a record without findings is still placed in an evaluation folder."""
    return f"{subject.probe_id} labelled by a person" if subject.probe_id else "labelled by a person"


def _reference(path: Path, text: str) -> dict[str, Any]:
    return {"storage": "public", "path": path.name, "privateRef": None, "digest": digest_bytes(text.encode("utf-8"))}

"""The documents around the calls: policy, evaluator configuration, isolation manifest and sealed run records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from evalnb.corpus.triage.arms import Arm
from evalnb.corpus.triage.calls import INTERFACE
from evalnb.corpus.triage.evaluator import REGEX_STEP_BUDGET, Report
from evalnb.engine.artifacts import EvalContract
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.seal import seal

RUN_ID: Final = "triage-monday-1"

POLICY: Final[Mapping[str, Any]] = {
    "schemaVersion": 2,
    "parentDigest": None,
    "revisionCount": 0,
    "policyId": "triage-policy",
    "severityFloor": "material",
    "confidenceThreshold": 0.7,
    "catchThreshold": 0.5,
    "minimumTrialCount": 3,
    "reExecutionCap": 2,
    "remediationCap": 3,
    "regexMatchStepBudget": REGEX_STEP_BUDGET,
}
FLOORS: Final[Mapping[str, float]] = {"defect": 0.8, "gameability": 1, "zero-action": 1}

_LINEAGE: Final = {"schemaVersion": 1, "parentDigest": None, "revisionCount": 0}
_MODEL: Final = "none: a scripted evaluator, no model is asked"
_WITHHELD: Final = {
    "original-spec": "the contract names the product note by digest only",
    "source-code": "the evaluator opens no file of the desk",
    "repository": None,
    "builder-transcript": None,
    "implementation-logs": "the desk writes none",
    "comparator-results": None,
    "human-labels": None,
}


@dataclass(frozen=True, slots=True)
class Sealed:
    """The digests by which the documents of a run name each other."""

    contract: EvalContract
    evaluator_digest: str

    @property
    def contract_digest(self) -> str:
        return digest_artifact(self.contract.document, "EvalContract")

    @property
    def brief_digest(self) -> str:
        return digest_artifact(seal(self.contract).document, "SealedEvaluatorBrief")

    @property
    def configuration_digest(self) -> str:
        return digest_artifact(configuration_document(self), "EvaluatorConfiguration")


def configuration_document(sealed: Sealed) -> dict[str, Any]:
    """How the evaluator was set up; its instructions are its script, so the script's digest stands for them."""
    return {
        **_LINEAGE,
        "sealedBriefDigest": sealed.brief_digest,
        "evaluatorIdentity": "scripted evaluator: resolves each oracle's check over its own calls, reports the result",
        "modelSnapshot": _MODEL,
        "systemPromptDigest": sealed.evaluator_digest,
        "decodingParameters": {},
        "toolInventory": [INTERFACE],
        "permissionInventory": ["call the desk over loopback"],
        "budgets": sealed.contract.document["budgets"],
        "seed": None,
        "judgeConfiguration": None,
    }


def manifest_document(sealed: Sealed, use: Mapping[str, Any]) -> dict[str, Any]:
    """What the evaluator could reach and did reach; ceilings and use are those of one trial."""
    budgets = sealed.contract.budgets
    return {
        **_LINEAGE,
        "runId": RUN_ID,
        "contractId": sealed.contract.contract_id,
        "conditionArm": "every arm of the folder",
        "modelSnapshot": _MODEL,
        "systemPromptDigest": sealed.evaluator_digest,
        "contractDigest": sealed.contract_digest,
        "evaluatorConfigurationDigest": sealed.configuration_digest,
        "workspaceIdentity": "one process; a desk is started for each arm and stopped after it",
        "allowedMounts": [],
        "observedMounts": [],
        "networkAllowlist": ["the desk on loopback"],
        "observedNetworkTargets": ["the desk on loopback"],
        "toolAllowlist": [INTERFACE],
        "observedToolCalls": [INTERFACE],
        "resourceCeilings": {
            "maxToolCalls": budgets.max_tool_calls,
            "maxInputTokens": 1,
            "maxOutputTokens": 1,
            "maxWallClockMinutes": budgets.max_wall_clock_minutes,
            "maxCostUsd": budgets.max_cost_usd,
        },
        "actualResourceUse": use,
        "forbiddenInputAccounting": {name: {"withheld": True, "note": note} for name, note in _WITHHELD.items()},
        "violation": None,
    }


def record_document(
    sealed: Sealed,
    arm: Arm,
    trial: int,
    observations: Sequence[Mapping[str, Any]],
    told: Report,
    recommendation: str,
    references: Mapping[str, Any],
) -> dict[str, Any]:
    """One sealed run record; `references` holds its `actionsArtifact` and `isolationManifestArtifact`."""
    return {
        "schemaVersion": 8,
        "parentDigest": None,
        "revisionCount": 0,
        "runId": RUN_ID,
        "conditionArm": f"{arm.probe_id} {arm.name}",
        "mode": "contract-scoring",
        "trialIndex": trial,
        "contractDigest": sealed.contract_digest,
        "sealedBriefDigest": sealed.brief_digest,
        "evaluatorConfigurationDigest": sealed.configuration_digest,
        "evaluatorRecommendation": recommendation,
        "oracleDispositions": list(told.dispositions),
        "findings": list(told.findings),
        "observations": list(observations),
        "judgeResults": [],
        "resourceUse": resource_use(observations),
        "evidenceDisclosure": {"truncationBound": None, "reportedIncomplete": False},
        **references,
    }


def resource_use(observations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What one trial used; time is the desk's own, from its first answer to its last."""
    served = [datetime.fromisoformat(observation["responseBody"]["servedAt"]) for observation in observations]
    return {
        "toolCalls": len(observations),
        "inputTokens": 0,
        "outputTokens": 0,
        "wallClockSeconds": int((max(served) - min(served)).total_seconds()),
        "costUsd": "0",
    }

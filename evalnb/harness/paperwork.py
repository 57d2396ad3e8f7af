"""The documents around the trials: policy, evaluator configuration, isolation manifest and sealed run records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.canonical import digest_artifact, digest_bytes
from evalnb.engine.seal import seal
from evalnb.harness.evaluator import IDENTITY, INSTRUCTIONS, MODEL, TrialReport
from evalnb.version import __version__

DEFAULT_POLICY: Final[Mapping[str, Any]] = {
    "schemaVersion": 2,
    "parentDigest": None,
    "revisionCount": 0,
    "policyId": "measurement-policy",
    "severityFloor": "material",
    "confidenceThreshold": 0.7,
    "catchThreshold": 0.5,
    "minimumTrialCount": 3,
    "reExecutionCap": 2,
    "remediationCap": 3,
    "regexMatchStepBudget": 1_000_000,
}
"""The policy a measurement is scored under unless another is given; the trials asked for become its minimum."""

_LINEAGE: Final = {"schemaVersion": 1, "parentDigest": None, "revisionCount": 0}
_MINUTE: Final = 60
_SMALLEST_COST: Final = "0.01"
_ACCOUNTS: Final[Mapping[str, str | None]] = {
    "original-spec": "the contract names it by digest at most; it is not opened",
    "source-code": "the evaluator opens no file of the system; user mutants are planted by the harness",
    "repository": None,
    "builder-transcript": None,
    "implementation-logs": "what a system writes beside its answers is not read",
    "comparator-results": "clean and mutated answers are compared by the harness, after the evaluator has reported",
    "human-labels": None,
}


@dataclass(frozen=True)
class Sealed:
    """A contract with the digests by which the documents of its measurement name each other."""

    contract: EvalContract
    seed: int

    @property
    def run_id(self) -> str:
        """The same inputs are the same run."""
        return f"measure-{self.contract.contract_id}-seed-{self.seed}"

    @cached_property
    def contract_digest(self) -> str:
        return digest_artifact(self.contract.document, "EvalContract")

    @cached_property
    def brief_digest(self) -> str:
        return digest_artifact(seal(self.contract).document, "SealedEvaluatorBrief")

    @cached_property
    def configuration_digest(self) -> str:
        return digest_artifact(self.configuration, "EvaluatorConfiguration")

    @property
    def instructions_digest(self) -> str:
        """What stands for a prompt: the instructions and the version that carries them out."""
        return digest_bytes(f"{INSTRUCTIONS}\nevalnb {__version__}\n".encode())

    @property
    def interfaces(self) -> list[str]:
        return [interface.logical_id for interface in self.contract.permitted_interfaces]

    @cached_property
    def configuration(self) -> dict[str, Any]:
        """How the evaluator was set up."""
        return {
            **_LINEAGE,
            "sealedBriefDigest": self.brief_digest,
            "evaluatorIdentity": IDENTITY,
            "modelSnapshot": MODEL,
            "systemPromptDigest": self.instructions_digest,
            "decodingParameters": {},
            "toolInventory": self.interfaces,
            "permissionInventory": ["read the checks of the contract", "call what the target policies authorize"],
            "budgets": self.contract.document["budgets"],
            "seed": self.seed,
            "judgeConfiguration": None,
        }

    def manifest(self, use: Mapping[str, Any]) -> dict[str, Any]:
        """What the evaluator could reach and did reach; ceilings and use are those of one trial."""
        budgets = self.contract.budgets
        cost = budgets.max_cost_usd
        return {
            **_LINEAGE,
            "runId": self.run_id,
            "contractId": self.contract.contract_id,
            "conditionArm": "every arm of the measurement",
            "modelSnapshot": MODEL,
            "systemPromptDigest": self.instructions_digest,
            "contractDigest": self.contract_digest,
            "evaluatorConfigurationDigest": self.configuration_digest,
            "workspaceIdentity": "the harness of evalnb; a system is made for each arm and ended after it",
            "allowedMounts": [],
            "observedMounts": [],
            "networkAllowlist": self.interfaces,
            "observedNetworkTargets": self.interfaces,
            "toolAllowlist": self.interfaces,
            "observedToolCalls": self.interfaces,
            "resourceCeilings": {
                "maxToolCalls": max(budgets.max_tool_calls, 1),
                "maxInputTokens": 1,
                "maxOutputTokens": 1,
                "maxWallClockMinutes": max(budgets.max_wall_clock_minutes, 1),
                "maxCostUsd": cost if float(cost) > 0 else _SMALLEST_COST,
            },
            "actualResourceUse": use,
            "forbiddenInputAccounting": {name: {"withheld": True, "note": note} for name, note in _ACCOUNTS.items()},
            "violation": None,
        }

    def record(
        self,
        *,
        arm: str,
        trial: int,
        probe_id: str,
        observations: Sequence[Mapping[str, Any]],
        report: TrialReport,
        recommendation: str,
        seconds: float,
        actions: Mapping[str, Any],
        manifest: Mapping[str, Any],
    ) -> dict[str, Any]:
        """One sealed run record; `actions` and `manifest` are artifact references."""
        findings = [{**finding, "probeId": probe_id, "evidenceArtifacts": [actions]} for finding in report.findings]
        return {
            "schemaVersion": 8,
            "parentDigest": None,
            "revisionCount": 0,
            "runId": self.run_id,
            "conditionArm": f"{probe_id} {arm}",
            "mode": "contract-scoring",
            "trialIndex": trial,
            "contractDigest": self.contract_digest,
            "sealedBriefDigest": self.brief_digest,
            "evaluatorConfigurationDigest": self.configuration_digest,
            "evaluatorRecommendation": recommendation,
            "oracleDispositions": list(report.dispositions),
            "findings": findings,
            "observations": list(observations),
            "judgeResults": [],
            "actionsArtifact": actions,
            "isolationManifestArtifact": manifest,
            "resourceUse": resource_use(len(observations), seconds),
            "evidenceDisclosure": {"truncationBound": None, "reportedIncomplete": False},
        }


def resource_use(calls: int, seconds: float) -> dict[str, Any]:
    """What a trial used. Time is rounded up to whole minutes, so that equal runs have equal records."""
    return {
        "toolCalls": calls,
        "inputTokens": 0,
        "outputTokens": 0,
        "wallClockSeconds": max(1, math.ceil(seconds / _MINUTE)) * _MINUTE,
        "costUsd": "0",
    }

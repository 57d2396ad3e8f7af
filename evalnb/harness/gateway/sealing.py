"""The papers of an evaluator's trials: configuration, isolation manifest and sealed run records.

spec: 02b §4 to §6
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from evalnb.engine.artifacts import EvalContract, SealedEvaluatorBrief
from evalnb.engine.artifacts.primitives import FORBIDDEN_INPUTS
from evalnb.engine.canonical import canonical_text, digest_artifact, digest_bytes
from evalnb.engine.json_values import Json
from evalnb.harness.gateway.findings import EvaluatorFindings, GivenFinding
from evalnb.harness.gateway.trial import Command, EvaluatorTrial
from evalnb.harness.observing import observation_of
from evalnb.harness.quoting import quotations

_LINEAGE: Final = {"schemaVersion": 1, "parentDigest": None, "revisionCount": 0}
_RECORD_VERSION: Final = 8
_SMALLEST_COST: Final = "0.01"
_MINUTE: Final = 60
_NOT_CLOSED: Final = "not handed over; evalnb does not close this machine's files and network to the command"


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Who evaluates, as its owner says; nothing of it can be checked from outside."""

    identity: str
    model: str


def digest_of_command(argv: Sequence[str]) -> str:
    """What stands for a prompt: the argument vector, and what the files that it names hold; taken before any trial."""
    files: dict[str, Json] = {}
    for word in argv:
        # A file that can be run and not read stands with its name alone.
        with contextlib.suppress(PermissionError):
            if os.path.isfile(word):
                files[word] = digest_bytes(Path(word).read_bytes())
    return digest_bytes(canonical_text({"argv": list(argv), "files": files}, "command").encode())


@dataclass(frozen=True)
class Papers:
    """Everything that is written about the trials of one arm."""

    contract: EvalContract
    brief: SealedEvaluatorBrief
    evaluator: Evaluator
    command: Command
    command_digest: str
    probe_id: str
    run_id: str

    @cached_property
    def brief_digest(self) -> str:
        return digest_artifact(self.brief.document, "SealedEvaluatorBrief")

    @property
    def arm(self) -> str:
        return f"{self.probe_id} evaluated by a command"

    @property
    def operations(self) -> list[str]:
        """All that the gateway passes on, as `interface.operation`."""
        return [
            f"{interface.logical_id}.{operation.operation_id}"
            for interface in self.contract.permitted_interfaces
            for operation in interface.operations
        ]

    @cached_property
    def configuration(self) -> dict[str, Any]:
        """How the evaluator was set up."""
        return {
            **_LINEAGE,
            "sealedBriefDigest": self.brief_digest,
            "evaluatorIdentity": self.evaluator.identity,
            "modelSnapshot": self.evaluator.model,
            "systemPromptDigest": self.command_digest,
            "decodingParameters": {},
            "toolInventory": self.operations,
            "permissionInventory": [
                "read the sealed brief",
                "call the permitted interfaces through the recording gateway",
                *(f"see the environment variable {name}" for name in self.command.variables),
            ],
            "budgets": self.contract.document["budgets"],
            "seed": None,
            "judgeConfiguration": None,
        }

    def manifest(self, trials: Sequence[EvaluatorTrial]) -> dict[str, Any]:
        """What the evaluator could reach through the gateway, and what it did reach in all trials together."""
        called = {(str(one["interfaceId"]), str(one["operationId"])) for trial in trials for one in trial.observations}
        called |= {(one.interface_id, one.operation_id) for trial in trials for one in trial.failed}
        interfaces = [interface.logical_id for interface in self.contract.permitted_interfaces]
        budgets = self.contract.budgets
        cost = budgets.max_cost_usd
        uses = [self.use(trial) for trial in trials]
        return {
            **_LINEAGE,
            "runId": self.run_id,
            "contractId": self.contract.contract_id,
            "conditionArm": self.arm,
            "modelSnapshot": self.evaluator.model,
            "systemPromptDigest": self.command_digest,
            "contractDigest": self.brief.contract_digest,
            "evaluatorConfigurationDigest": digest_artifact(self.configuration, "EvaluatorConfiguration"),
            "workspaceIdentity": "an empty folder of one trial on this machine, which is not closed to the command",
            "allowedMounts": [],
            "observedMounts": [],
            "networkAllowlist": interfaces,
            "observedNetworkTargets": [name for name in interfaces if any(name == one for one, _ in called)],
            "toolAllowlist": self.operations,
            "observedToolCalls": [name for name in self.operations if tuple(name.split(".", 1)) in called],
            "resourceCeilings": {
                "maxToolCalls": max(budgets.max_tool_calls, 1),
                # The contract bounds no tokens and nobody counted them: what the evaluator says is all there is.
                "maxInputTokens": max(1, *(int(use["inputTokens"]) for use in uses)),
                "maxOutputTokens": max(1, *(int(use["outputTokens"]) for use in uses)),
                "maxWallClockMinutes": max(budgets.max_wall_clock_minutes, 1),
                "maxCostUsd": cost if float(cost) > 0 else _SMALLEST_COST,
            },
            "actualResourceUse": max(uses, key=lambda use: int(use["toolCalls"])),
            "forbiddenInputAccounting": {name: {"withheld": True, "note": _NOT_CLOSED} for name in FORBIDDEN_INPUTS},
            "violation": None,
        }

    def use(self, trial: EvaluatorTrial) -> dict[str, Any]:
        """What a trial used: calls and time as seen, tokens and money as the evaluator says."""
        said = None if trial.findings is None else trial.findings.use
        return {
            "toolCalls": len(trial.observations) + len(trial.failed),
            "inputTokens": (said and said.input_tokens) or 0,
            "outputTokens": (said and said.output_tokens) or 0,
            "wallClockSeconds": round(trial.seconds, 1),
            "costUsd": (said and said.cost_usd) or "0",
        }

    def record(self, trial: EvaluatorTrial, actions: Mapping[str, Any], manifest: Mapping[str, Any]) -> dict[str, Any]:
        """The record of a trial whose findings can be used; `actions` and `manifest` are artifact references."""
        given = trial.findings
        assert given is not None
        return {
            "schemaVersion": _RECORD_VERSION,
            "parentDigest": None,
            "revisionCount": 0,
            "runId": self.run_id,
            "conditionArm": self.arm,
            "mode": "contract-scoring",
            "trialIndex": trial.number,
            "contractDigest": self.brief.contract_digest,
            "sealedBriefDigest": self.brief_digest,
            "evaluatorConfigurationDigest": digest_artifact(self.configuration, "EvaluatorConfiguration"),
            "evaluatorRecommendation": given.recommendation,
            "oracleDispositions": self._dispositions(given),
            "findings": [
                self._finding(number, one, trial.observations, actions)
                for number, one in enumerate(given.findings or (), 1)
            ],
            "observations": list(trial.observations),
            "judgeResults": [],
            "actionsArtifact": actions,
            "isolationManifestArtifact": manifest,
            "resourceUse": self.use(trial),
            "evidenceDisclosure": {"truncationBound": None, "reportedIncomplete": False},
        }

    def _dispositions(self, given: EvaluatorFindings) -> list[dict[str, Any]]:
        """One for each oracle of the brief; one that the evaluator leaves out was not attempted."""
        said = {one.oracle: one for one in given.dispositions or ()}
        dispositions = []
        for direction in self.brief.directions:
            one = said.get(direction.oracle_id)
            dispositions.append(
                {
                    "oracleId": direction.oracle_id,
                    "disposition": "not-attempted" if one is None else one.disposition,
                    "observationIds": [] if one is None else list(one.observations or ()),
                    "note": None if one is None else one.note,
                }
            )
        return dispositions

    def _finding(
        self, number: int, given: GivenFinding, observations: Sequence[Mapping[str, Any]], actions: Mapping[str, Any]
    ) -> dict[str, Any]:
        cited = list(given.observations or ())
        document: dict[str, Any] = {
            "findingType": given.type,
            "findingId": f"F-{number:03d}",
            "oracleId": given.oracle,
            "probeId": self.probe_id,
            "behaviorId": given.behavior,
            "severity": given.severity,
            "summary": given.summary,
            "confidence": 1 if given.confidence is None else given.confidence,
            "observationIds": cited,
            "evidenceArtifacts": [actions],
        }
        if given.type == "defect":
            quoted = [
                {"quote": one.text, "channel": one.channel, "artifactId": one.artifact} for one in given.quotes or ()
            ]
            answers = [observation_of(one) for one in observations if one["observationId"] in cited]
            document["quotedEvidence"] = quoted or quotations([], {}, answers)
        return document

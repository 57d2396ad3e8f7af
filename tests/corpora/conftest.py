"""The packaged evaluation, run once, and evidence of it that was made to catch or miss."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, EvidenceArtifact, read
from evalnb.engine.score.comparability import comparability_key, scoring_version
from evalnb.evaluation import EvaluationRun

CATCHING = {"P-001": "defect", "P-002": "defect", "P-003": "defect", "P-004": "gameability", "P-006": "zero-action"}


@pytest.fixture(scope="session")
def run() -> EvaluationRun:
    return ev.run(ev.example("triage"))


@pytest.fixture(scope="session")
def evidence(run: EvaluationRun) -> dict[str, EvidenceArtifact]:
    return {arm.arm.probe.probe_id: arm.evidence for arm in run.arms if arm.evidence is not None}


class Maker:
    """Makes consistent evidence that catches a probe in every trial or in none."""

    def __init__(self, evidence: dict[str, EvidenceArtifact]) -> None:
        self.evidence = evidence

    def document(self, probe_id: str, caught: bool, *, as_probe: str | None = None, **inputs: Any) -> dict[str, Any]:
        """`inputs` are scoring version inputs to change; `as_probe` is the probe's name in the artifact."""
        document = copy.deepcopy(self.evidence[probe_id].document)
        _vote(document, "caught" if caught else "missed")
        (reduction,) = document["reducedProbeOutcomes"]
        votes = len(reduction["trialVotes"])
        reduction.update(caught=caught, caughtCount=votes if caught else 0)
        document["strength"]["vector"][CATCHING[probe_id]] = {
            "caught": int(caught),
            "exercised": 1,
            "rate": int(caught),
        }
        if as_probe is not None:
            document["scoredProbeId"] = reduction["probeId"] = as_probe
            for outcome in document["outcomes"]:
                outcome["probeId"] = as_probe
        document["scoringVersionInputs"].update(inputs)
        document["scoringVersion"] = scoring_version(document["scoringVersionInputs"])
        policy = document["scoringVersionInputs"]["scoringPolicyDigest"]
        document["comparabilityKey"] = comparability_key(policy, [document["scoredProbeId"]])
        return document

    def artifact(self, probe_id: str, caught: bool, **changes: Any) -> EvidenceArtifact:
        made: EvidenceArtifact = read(EVIDENCE_ARTIFACT, self.document(probe_id, caught, **changes))
        return made

    def artifacts(self, caught: Iterable[str], missed: Iterable[str] = (), **changes: Any) -> list[EvidenceArtifact]:
        return [
            *(self.artifact(probe_id, True, **changes) for probe_id in caught),
            *(self.artifact(probe_id, False, **changes) for probe_id in missed),
        ]


def _vote(document: dict[str, Any], state: str) -> None:
    """Let the oracle that decides the probe come out as `state` in every trial."""
    votes = document["reducedProbeOutcomes"][0]["trialVotes"]
    told = {(vote["trialIndex"], vote["state"]) for vote in votes if vote["state"] in ("caught", "missed")}
    deciding = next(o["oracleId"] for o in document["outcomes"] if (o["trialIndex"], o["state"]) in told)
    for outcome in document["outcomes"]:
        if outcome["oracleId"] == deciding:
            outcome["state"] = state
    for vote in votes:
        vote["state"] = state


@pytest.fixture(scope="session")
def make(evidence: dict[str, EvidenceArtifact]) -> Maker:
    return Maker(evidence)


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Writes JSON, or text as it is, to a path inside the corpus folder."""

    def write_file(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write_file

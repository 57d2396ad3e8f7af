"""A whole score run: read, check private bytes, ingest, score, climb the ladder, emit.

Only private references need a port, so a run without one is synchronous. spec: 09 §1
"""

from __future__ import annotations

from dataclasses import dataclass

from evalnb.engine.artifacts import EvidenceArtifact
from evalnb.engine.emit import emit
from evalnb.engine.port_seam import AbortSignal
from evalnb.engine.score.ingest import ingest
from evalnb.engine.score.inputs import ReadInputs, ScoreInputs, read_score_inputs
from evalnb.engine.score.ladder import LadderResult, climb_ladder
from evalnb.engine.score.private_bytes import CorpusPort, check_private_bytes, refuse_private_bytes
from evalnb.engine.score.qualify.result import Qualification
from evalnb.engine.score.score_stage import score_trial_set

__all__ = ["CorpusPort", "ScoreInputs", "ScoreResult", "run_score", "run_score_with_port"]


@dataclass(frozen=True, slots=True)
class ScoreResult:
    """The evidence artifact (None on the Invalid rung), the verdict and why, and what the gate says of the probe."""

    artifact: EvidenceArtifact | None
    ladder: LadderResult
    qualification: Qualification


def run_score(inputs: ScoreInputs) -> ScoreResult:
    """Score without a corpus port.

    Raises RuntimeFault from reading or evaluating, `DesignatedOracleRefusal` before any scoring, and TypeError where
    a private reference would have to be resolved.
    """
    given = read_score_inputs(inputs)
    refuse_private_bytes(given.private_manifest, given.records)
    return _score(given)


async def run_score_with_port(inputs: ScoreInputs, port: CorpusPort, signal: AbortSignal) -> ScoreResult:
    """As `run_score`, after comparing the bytes behind every private reference with their digests.

    Raises RuntimeFault `digest-mismatch`, and what the port raises, as well.
    """
    given = read_score_inputs(inputs)
    await check_private_bytes(given.private_manifest, given.records, port, signal)
    return _score(given)


def _score(given: ReadInputs) -> ScoreResult:
    trials = [ingest(record, given.manifest, given.configuration) for record in given.records]
    scored = score_trial_set(
        given.contract,
        trials,
        given.probe,
        given.preflight_verdict,
        given.policy,
        designated_oracle_id=given.designated_oracle_id,
    )
    ladder = climb_ladder(scored.assessment)
    artifact = None
    if ladder.verdict is not None:
        artifact = emit(
            scored,
            given.corpus_digest,
            given.preflight_verdict.fixture_digest,
            given.records[0].evaluator_configuration_digest,
        )
    return ScoreResult(artifact, ladder, scored.qualification)

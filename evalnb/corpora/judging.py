"""Which evidence counts: an artifact whose claims do not follow from its own details is set aside with the reason."""

from __future__ import annotations

from functools import lru_cache

from evalnb.corpora.entries import CorpusEntry
from evalnb.corpora.scored import scored_probe
from evalnb.engine.aggregate.self_check import SELF_CHECKS
from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, EvidenceArtifact
from evalnb.engine.artifacts.evidence import ScoringVersionInputs
from evalnb.engine.score.comparability import scoring_version


def judged(artifact: EvidenceArtifact, name: str, data: bytes | None = None) -> CorpusEntry:
    """The entry of an artifact called `name`; `data` is what it was read from. spec: 09 §13.2"""
    for check in SELF_CHECKS:
        if check.name == "scoring-version" and artifact.scoring_version == _version_of(artifact.scoring_version_inputs):
            continue
        detail = check.refusal(artifact)
        if detail is not None:
            return CorpusEntry(
                name, "evidence", "inconsistent", detail, "strength-input-inconsistent", EVIDENCE_ARTIFACT.name
            )
    return CorpusEntry(name, "evidence", "read", scored=(scored_probe(artifact, data),))


@lru_cache(maxsize=1024)
def _version_of(inputs: ScoringVersionInputs) -> str:
    """What the engine's own check computes from the whole document; a folder holds many artifacts of one version."""
    return scoring_version(inputs.model_dump(by_alias=True))

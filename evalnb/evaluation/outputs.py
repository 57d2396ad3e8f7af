"""What a run leaves on disk: each artifact under its published name, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from evalnb.engine.canonical import serialize_artifact
from evalnb.evaluation.run import EvaluationRun
from evalnb.files import write_text_atomically


def write_run(run: EvaluationRun, out: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write the artifacts of `run` into the folder `out` and return their paths.

    An arm without evidence and a run without strength write no file, and a file of an earlier run in its place is
    removed, so that a folder never mixes two runs. Raises `OSError`.
    """
    folder = Path(out)
    documents: dict[str, tuple[str, object] | None] = {
        "eval-contract.json": ("EvalContract", run.contract.document),
        "sealed-evaluator-brief.json": ("SealedEvaluatorBrief", run.brief.document),
        "preflight-verdict.json": ("PreflightVerdict", run.preflight.document),
    }
    for arm in run.arms:
        evidence = arm.evidence
        documents[f"evidence/{arm.arm.probe.probe_id}.json"] = (
            None if evidence is None else ("EvidenceArtifact", evidence.document)
        )
    documents["strength-aggregate.json"] = (
        None if run.strength is None else ("StrengthAggregate", run.strength.document)
    )
    written = []
    for name, content in documents.items():
        path = folder / name
        if content is None:
            path.unlink(missing_ok=True)
            continue
        artifact_path, document = content
        write_text_atomically(path, serialize_artifact(document, artifact_path))
        written.append(path)
    return tuple(written)

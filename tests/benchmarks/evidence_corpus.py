"""Makes a large corpus out of a small one: seeded variations of evidence artifacts that stay consistent.

Each round of variations stands for one more contract: its own run, its own probe corpus, and trials that catch or
miss as the seed has it. Reductions, strength, verdict and digests follow from the varied trials.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalnb.engine.artifacts.evidence import EvidenceArtifact, TrialVote
from evalnb.engine.score.comparability import scoring_version
from evalnb.engine.score.reduce import reduce_trials

CLASSES = ("defect", "gameability", "zero-action")


@dataclass(frozen=True)
class Variation:
    """How many artifacts to make, how often a seeded probe's trial catches, and the seed that decides which."""

    count: int
    seed: int
    catch_share: float = 0.7


def write_varied(folder: Path, evidence: Sequence[EvidenceArtifact], variation: Variation) -> list[Path]:
    """Write the variations of `evidence` into `folder` as loose files.

    Two variations of one evidence and count cover the same contracts and probes, whatever their seeds.
    """
    chance = random.Random(variation.seed)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(variation.count):
        contract, position = divmod(number, len(evidence))
        document = _varied(evidence[position].document, contract, chance, variation.catch_share)
        path = folder / f"contract-{contract:04}-{document['scoredProbeId']}.json"
        path.write_text(json.dumps(document, indent=2), encoding="utf-8")
        paths.append(path)
    return paths


def _varied(original: dict[str, Any], contract: int, chance: random.Random, catch_share: float) -> dict[str, Any]:
    document = copy.deepcopy(original)
    document["runId"] = f"{original['runId']}-{contract:04}"
    inputs = document["scoringVersionInputs"]
    inputs["corpusDigest"] = "sha256:" + hashlib.sha256(f"corpus {contract}".encode()).hexdigest()
    document["scoringVersion"] = scoring_version(inputs)
    filled = [name for name in CLASSES if document["strength"]["vector"][name] is not None]
    if filled:
        for reduction in document["reducedProbeOutcomes"]:
            for vote in reduction["trialVotes"]:
                _revote(document["outcomes"], vote, "caught" if chance.random() < catch_share else "missed")
            _recount(reduction)
            document["strength"]["vector"][filled[0]] = _strength(reduction)
        _judge(document)
    return document


def _revote(outcomes: list[dict[str, Any]], vote: dict[str, Any], state: str) -> None:
    """Turn one vote that caught or missed, together with the outcome it stands on."""
    if vote["state"] not in ("caught", "missed") or vote["state"] == state:
        return
    outcome = next(o for o in outcomes if o["trialIndex"] == vote["trialIndex"] and o["state"] == vote["state"])
    outcome["state"] = vote["state"] = state
    outcome["disposition"] = "violated" if state == "caught" else "held"


def _recount(reduction: dict[str, Any]) -> None:
    votes = [TrialVote(trial_index=vote["trialIndex"], state=vote["state"]) for vote in reduction["trialVotes"]]
    recount = reduce_trials(votes, reduction["catchThreshold"])
    reduction.update(
        exercised=recount.exercised,
        caught=recount.caught,
        validCount=recount.valid_count,
        caughtCount=recount.caught_count,
    )


def _strength(reduction: dict[str, Any]) -> dict[str, Any]:
    exercised, caught = int(reduction["exercised"]), int(reduction["exercised"] and reduction["caught"])
    return {"caught": caught, "exercised": exercised, "rate": caught / exercised if exercised else None}


def _judge(document: dict[str, Any]) -> None:
    """The verdict that the varied outcomes lead to: FAIL for what passed by unseen, else what it was without that."""
    missed = [outcome["oracleId"] for outcome in document["outcomes"] if outcome["state"] == "missed"]
    document["contractVerdict"] = "FAIL" if missed else "PASS"
    document["exitCode"] = 2 if missed else 0
    document["verdictBasis"] = [f"oracle {oracle} resolved missed at or above the severity floor" for oracle in missed]

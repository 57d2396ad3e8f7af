"""Records the leaner twin: `python -m evalnb.corpus.triage.lean [FOLDER]` scores the same desk under a weaker contract.

The same builds, probes and trials are recorded; only what the contract checks is less. What is kept is what a corpus
reads: the contract and the evidence.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from evalnb.corpus.triage.arms import ARMS
from evalnb.corpus.triage.paperwork import RUN_ID
from evalnb.corpus.triage.record import packaged_contract, record
from evalnb.engine.artifacts import (
    EVALUATOR_CONFIGURATION,
    ISOLATION_MANIFEST,
    PROBE,
    SCORING_POLICY,
    SEALED_RUN_RECORD,
    EvidenceArtifact,
    read,
)
from evalnb.engine.canonical import canonical_text, scan_json
from evalnb.engine.compile import compile_contract
from evalnb.engine.preflight import preflight_from_observations
from evalnb.engine.scoring import ScoreInputs, run_score
from evalnb.files import write_text_atomically

_TWIN: Final = Path(__file__).parents[1] / "triage-lean"
_CONTRACT_ID: Final = "support-desk-triage-lean"

DROPPED: Final[Mapping[str, str]] = {"O-003": "covers-by-key", "O-005": "containment"}
"""By oracle, the operator that the leaner contract does without."""

_RELATIONS: Final[Mapping[str, str]] = {"O-003": "equality", "O-005": "set-membership"}
_COMMENTARY: Final[Mapping[str, str]] = {
    "O-003": "The count above the list is believed; nobody looks whether the rows are there.",
    "O-005": "A reply to the right ticket with published sources will do, whoever it speaks to.",
}


def leaner(contract: Mapping[str, Any]) -> dict[str, Any]:
    """The packaged contract without the checks in `DROPPED`, and with directions that promise no more than is left."""
    return {
        **contract,
        "contractId": _CONTRACT_ID,
        "oracles": [_leaner_oracle(oracle) if oracle["id"] in DROPPED else oracle for oracle in contract["oracles"]],
    }


def record_twin(path: Path) -> None:
    """Write the contract and the evidence of every arm to `path`. Raises OSError as recording the example does."""
    full: Any = scan_json(packaged_contract(), "EvalContract")
    contract = leaner(full)
    with TemporaryDirectory() as name:
        folder = Path(name)
        record(folder, canonical_text(contract, "EvalContract").encode("utf-8"))
        _write(path / "eval-contract.json", contract)
        for evidence in _score(folder, contract):
            _write(path / "evidence" / f"{evidence.scored_probe_id}.json", evidence.document)


def _leaner_oracle(oracle: Mapping[str, Any]) -> dict[str, Any]:
    identifier = oracle["id"]
    kept = [operand for operand in oracle["check"]["operands"] if operand["op"] != DROPPED[identifier]]
    pointers = set(_pointers(kept))
    direction = oracle["direction"]
    targets = [target for target in direction["evidenceTargets"] if target in pointers]
    return {
        **oracle,
        "check": {**oracle["check"], "operands": kept},
        "direction": {**direction, "evidenceTargets": targets, "relation": _RELATIONS[identifier]},
        "commentary": _COMMENTARY[identifier],
    }


def _pointers(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("pointer"), str):
            yield value["pointer"]
        for member in value.values():
            yield from _pointers(member)
    elif isinstance(value, list):
        for member in value:
            yield from _pointers(member)


def _score(folder: Path, document: dict[str, Any]) -> Iterator[EvidenceArtifact]:
    contract = compile_contract(document)
    probes = [read(PROBE, _load(folder, f"probes/{arm.probe_id}.json")) for arm in ARMS]
    verdict = preflight_from_observations(contract, probes, RUN_ID, _load(folder, "observations.json"))
    for arm, probe in zip(ARMS, probes, strict=True):
        records = sorted((folder / "records").glob(f"{arm.probe_id}-trial-*.json"))
        scored = run_score(
            ScoreInputs(
                record=[read(SEALED_RUN_RECORD, _load(folder, f"records/{record.name}")) for record in records],
                manifest=read(ISOLATION_MANIFEST, _load(folder, "isolation-manifest.json")),
                configuration=read(EVALUATOR_CONFIGURATION, _load(folder, "evaluator-configuration.json")),
                contract=contract,
                probe=probe,
                preflight_verdict=verdict,
                policy=read(SCORING_POLICY, _load(folder, "scoring-policy.json")),
                corpus_digest=(folder / "corpus-digest.txt").read_text("utf-8").strip(),
            )
        )
        if scored.artifact is None:
            raise RuntimeError(f"{arm.probe_id} left no evidence under the leaner contract")
        yield scored.artifact


def _load(folder: Path, name: str) -> Any:
    return scan_json((folder / name).read_bytes(), name)


def _write(path: Path, document: Mapping[str, Any]) -> None:
    write_text_atomically(path, canonical_text(document, path.name) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Record into a folder."""
    parser = argparse.ArgumentParser(prog="python -m evalnb.corpus.triage.lean", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=_TWIN, help="default: the packaged folder itself")
    folder: Path = parser.parse_args(arguments).folder
    record_twin(folder)
    sys.stdout.write(f"recorded {len(ARMS)} arms under the leaner contract into {folder}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""What a caught defect rests on, gone through once more in the files of a measurement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evalnb.engine.artifacts import EVAL_CONTRACT, PROBE, Observation, read
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.score.qualify.gate import qualify_probe
from evalnb.harness.measurement import Measurement, MutantResult
from evalnb.harness.observing import observation_of
from evalnb.harness.signatures import holds


def assert_every_catch_is_witnessed(measurement: Measurement, folder: Path) -> None:
    """Every caught mutant has a probe that the gate admits, evidence that says caught, and in most trials a finding of
    an oracle that cites a call of which the probe's condition is true.
    """
    index = PlanIndex.build(read(EVAL_CONTRACT, document(folder / "contract.json")))
    caught = [one for one in measurement.mutants if one.status == "caught"]
    assert caught
    for mutant in caught:
        probe = read(PROBE, document(folder / "probes" / f"{mutant.probe_id}.json"))
        declared = index.operation(mutant.interface_id or "", mutant.operation_id or "")
        assert declared is not None
        assert qualify_probe(probe, declared.operation).qualified, mutant.spec.mutant_id
        evidence = document(folder / "out" / "evidence" / f"{mutant.probe_id}.json")
        (reduced,) = evidence["reducedProbeOutcomes"]
        assert reduced["caught"], mutant.spec.mutant_id
        predicate = probe.document["defectSignature"]["condition"]["predicate"]
        assert mutant.caught_by, mutant.spec.mutant_id
        for oracle_id in mutant.caught_by:
            witnessed = [
                record
                for record in records(folder, mutant)
                if any(holds(predicate, one, declared.operation) for one in cited(record, oracle_id, mutant))
            ]
            assert 2 * len(witnessed) > measurement.trials, (mutant.spec.mutant_id, oracle_id)


def records(folder: Path, mutant: MutantResult) -> list[dict[str, Any]]:
    return [document(path) for path in sorted((folder / "records").glob(f"{mutant.probe_id}-trial-*.json"))]


def cited(record: dict[str, Any], oracle_id: str, mutant: MutantResult) -> list[Observation]:
    """The calls of the defect's operation that the oracle's finding cites."""
    named = {
        identifier
        for finding in record["findings"]
        if finding["oracleId"] == oracle_id and finding["findingType"] == "defect"
        for identifier in finding["observationIds"]
    }
    return [
        observation_of(one)
        for one in record["observations"]
        if one["observationId"] in named and one["operationId"] == mutant.operation_id
    ]


def document(path: Path) -> dict[str, Any]:
    read_back: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return read_back

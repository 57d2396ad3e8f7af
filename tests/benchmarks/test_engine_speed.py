"""What people wait for, as ratios to a yardstick measured in the same run.

The contract is the published walkthrough where the reference data is present, and the packaged example elsewhere.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from pytest_benchmark.fixture import BenchmarkFixture

import evalnb as ev
from evalnb.corpus import DEMO
from evalnb.engine.artifacts import PREFLIGHT_VERDICT, read
from evalnb.engine.score.ingest import ingest
from evalnb.engine.score.inputs import ScoreInputs, read_score_inputs
from evalnb.engine.score.score_stage import score_trial_set
from tests.benchmarks.ratios import ratio
from tests.conformance.reference import REFERENCE

WALKTHROUGH = REFERENCE / "chains" / "walkthrough"
FOLDER: Path = WALKTHROUGH if (WALKTHROUGH / "contract.json").exists() else ev.example(DEMO)
POLICY = ev.example(DEMO) / "scoring-policy.json"


def document(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def contract() -> Any:
    return document(FOLDER / "contract.json")


def test_compile_from_a_dict(contract: Any, benchmark: BenchmarkFixture) -> None:
    measured = ratio(lambda: ev.compile(contract), lambda: rfc8785.dumps(contract), rounds=60)
    benchmark.extra_info["ratio"] = measured.value
    benchmark(ev.compile, contract)
    assert measured.value <= 10


def test_score_stage_over_parsed_artifacts(contract: Any, benchmark: BenchmarkFixture) -> None:
    stage = score_stage()
    measured = ratio(stage, lambda: rfc8785.dumps(contract), rounds=60)
    benchmark.extra_info["ratio"] = measured.value
    benchmark(stage)
    assert measured.value <= 10


def score_stage() -> Callable[[], object]:
    if FOLDER == WALKTHROUGH:
        records: list[Any] = [document(FOLDER / "sealed-run-record.json")]
        probe, planning = document(FOLDER / "probe.json"), document(FOLDER / "probes.json")
    else:
        records = [document(path) for path in sorted((FOLDER / "records").glob("P-001*.json"))]
        probe = document(FOLDER / "probes" / "P-001.json")
        planning = [document(path) for path in sorted((FOLDER / "probes").glob("*.json"))]
    verdict = ev.preflight(FOLDER / "contract.json", planning, FOLDER / "observations.json", run_id="speed")
    given = read_score_inputs(
        ScoreInputs(
            record=records,
            manifest=document(FOLDER / "isolation-manifest.json"),
            configuration=document(FOLDER / "evaluator-configuration.json"),
            contract=document(FOLDER / "contract.json"),
            probe=probe,
            preflight_verdict=read(PREFLIGHT_VERDICT, verdict.document),
            policy=document(POLICY),
            corpus_digest="sha256:" + "0" * 64,
        )
    )
    trials = [ingest(record, given.manifest, given.configuration) for record in given.records]

    def stage() -> object:
        return score_trial_set(given.contract, trials, given.probe, given.preflight_verdict, given.policy)

    return stage


def test_compile_as_a_whole_process(tmp_path: Path) -> None:
    # Both processes read compiled modules, as installed ones do.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(tmp_path)
    command = "from evalnb.cli.main import main; raise SystemExit(main())"

    def process(*arguments: str) -> Callable[[], object]:
        return lambda: subprocess.run(
            [sys.executable, "-c", *arguments], env=environment, stdout=subprocess.DEVNULL, check=True
        )

    compiling = process(command, "compile", "--in", str(FOLDER / "contract.json"))
    yardstick = process("from pydantic import BaseModel")
    compiling()
    yardstick()
    assert ratio(compiling, yardstick, rounds=15).value <= 3

"""The public functions: a path, a dict and a model are the same input, and failures are the stages' own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.corpus import DEMO

FOLDER: Path = ev.example(DEMO)


def document(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def sources(name: str) -> list[Any]:
    return [str(FOLDER / name), FOLDER / name, document(name)]


@pytest.fixture(scope="module")
def run() -> ev.EvaluationRun:
    return ev.run(FOLDER)


@pytest.mark.parametrize("source", sources("contract.json"), ids=["text", "path", "dict"])
def test_contract_sources_are_one_input(source: Any, run: ev.EvaluationRun) -> None:
    compiled = ev.compile(source)
    assert compiled.document == document("contract.json")
    assert ev.compile(compiled) == compiled
    assert ev.seal(source).document == ev.seal(compiled).document == run.brief.document
    assert ev.coverage(source) == ev.coverage(compiled)
    assert ev.digest(source) == ev.digest(compiled) == run.brief.contract_digest


def test_the_stages_one_by_one_come_to_the_same_as_a_run(run: ev.EvaluationRun) -> None:
    evaluation = run.evaluation
    verdict = ev.preflight(
        FOLDER / "contract.json",
        [arm.probe for arm in evaluation.arms],
        FOLDER / "observations.json",
        run_id=evaluation.run_id,
    )
    assert verdict.document == run.preflight.document
    arm = run.arms[0]
    result = ev.score(
        sorted((FOLDER / "records").glob(f"{arm.arm.probe.probe_id}*.json")),
        contract=FOLDER / "contract.json",
        probe=arm.arm.probe.document,
        preflight_verdict=verdict,
        policy=FOLDER / "scoring-policy.json",
        corpus_digest=evaluation.corpus_digest,
        isolation_manifest=FOLDER / "isolation-manifest.json",
        evaluator_configuration=document("evaluator-configuration.json"),
    )
    assert result.artifact is not None
    assert arm.evidence is not None
    assert result.artifact.document == arm.evidence.document
    evidence = [result.artifact, *(other.evidence for other in run.arms[1:] if other.evidence)]
    aggregate = ev.aggregate_strength(evidence, floors=FOLDER / "floors.json", policy=document("scoring-policy.json"))
    assert run.strength is not None
    assert aggregate.document == run.strength.document


def test_evidence_stands_equal_to_itself(run: ev.EvaluationRun) -> None:
    evidence = run.arms[0].evidence
    assert evidence is not None
    assert ev.compare_dominance(evidence, evidence.document) == "equivalent"


def test_a_check_resolves_over_one_record(run: ev.EvaluationRun) -> None:
    record = sorted((FOLDER / "records").glob("P-005*.json"))[0]
    resolutions = {o.id: ev.resolve_check(FOLDER / "contract.json", o.id, record) for o in run.contract.oracles}
    assert {r.resolution for r in resolutions.values() if r is not None} == {"true"}
    with pytest.raises(KeyError):
        ev.resolve_check(run.contract, "O-999", record)


def test_examples_are_listed_and_open(run: ev.EvaluationRun) -> None:
    kinds = {info.kind for info in ev.examples()}
    assert kinds == {"evaluation", "evidence", "contract"}
    contracts = {"evaluation": "contract.json", "evidence": "eval-contract.json", "contract": ""}
    for info in ev.examples():
        assert ev.compile(ev.example(info.name) / contracts[info.kind]).contract_id
    with pytest.raises(LookupError):
        ev.example("no-such-example")


def test_failures_are_the_stages_own(tmp_path: Path) -> None:
    broken = document("contract.json")
    broken["behaviors"][0]["requirementLinks"] = broken["behaviors"][0]["riskLinks"] = []
    with pytest.raises(ev.StructuralFailure) as structural:
        ev.compile(broken)
    assert structural.value.code == "missing-requirement-linkage"
    (tmp_path / "c.json").write_text("{")
    with pytest.raises(ev.RuntimeFault) as fault:
        ev.compile(tmp_path / "c.json")
    assert fault.value.code == "schema-parse-failure"
    with pytest.raises(ev.FileProblem):
        ev.compile(tmp_path / "absent.json")


def test_every_public_name_exists() -> None:
    for name in ev.__all__:
        assert getattr(ev, name) is not None

"""The strength aggregate against the reference table: aggregates byte for byte, refusals, floors."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.aggregate import aggregate_artifacts, aggregate_strength
from evalnb.engine.artifacts import SCORING_POLICY, read
from evalnb.engine.artifacts.aggregate import StrengthFloors
from evalnb.engine.canonical import canonical_text, digest_artifact
from evalnb.engine.faults import AggregationRefusal, RuntimeFault
from evalnb.engine.version import ENGINE_VERSION
from tests.conformance.evidence_specs import STANDARD_POLICY, build_evidence
from tests.conformance.reference import params, rows

FILE = "aggregate.json"
CASES = rows("cases", FILE)


def of_kind(kind: str) -> list[Any]:
    return params([case for case in CASES if case["kind"] == kind], source=f"{FILE} {kind}")


@pytest.mark.parametrize("case", of_kind("built-artifact"))
def test_a_spec_builds_the_artifact_the_table_holds(case: dict[str, Any]) -> None:
    artifact = build_evidence(case["spec"])
    assert artifact == case["artifact"]
    assert digest_artifact(artifact, "EvidenceArtifact") == case["digest"]


@pytest.mark.parametrize("case", of_kind("aggregate"))
def test_a_set_aggregates_or_is_refused(case: dict[str, Any]) -> None:
    evidence = [build_evidence(spec) for spec in case["evidence"]]
    expected = case["expected"]
    if "aggregate" in expected:
        aggregate = aggregate_strength(evidence, case["floors"], case["policy"])
        wanted = {**expected["aggregate"], "engineVersion": ENGINE_VERSION}
        assert aggregate.document == wanted
        assert canonical_text(aggregate.document, "it") == canonical_text(wanted, "it")
    elif "refusal" in expected:
        with pytest.raises(AggregationRefusal) as refused:
            aggregate_strength(evidence, case["floors"], case["policy"])
        refusal = expected["refusal"]
        assert (refused.value.code, refused.value.artifact_path) == (refusal["code"], refusal["artifactPath"])
        for token in refusal["detailContains"]:
            assert token in refused.value.detail
    elif expected["error"]["type"] == "TypeError":
        policy = read(SCORING_POLICY, case["policy"])
        with pytest.raises(TypeError):
            aggregate_artifacts(evidence, StrengthFloors(**case["floors"]), policy)
    else:
        with pytest.raises(RuntimeFault) as fault:
            aggregate_strength(evidence, case["floors"], case["policy"])
        stated = expected["error"]
        assert fault.value.code == stated["code"]
        assert fault.value.artifact_path == stated.get("artifactPath", fault.value.artifact_path)


@pytest.mark.parametrize("case", of_kind("floors"))
def test_floors_read_or_are_refused(case: dict[str, Any]) -> None:
    evidence = [build_evidence({"probeId": "P-001", "kind": "defect", "states": ["caught"] * 3})]
    if case["expected"] == "accepted":
        aggregate_strength(evidence, case["floors"], STANDARD_POLICY)
        return
    with pytest.raises(RuntimeFault) as fault:
        aggregate_strength(evidence, case["floors"], STANDARD_POLICY)
    assert (fault.value.code, fault.value.artifact_path) == (
        case["expected"]["fault"],
        case["expected"]["artifactPath"],
    )

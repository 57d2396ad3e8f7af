"""Sealing, direction prose and the scripting audit over the reference data. spec: 05"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evalnb.engine.artifacts import EVAL_CONTRACT, Direction, EvalContract, SealedEvaluatorBrief, read
from evalnb.engine.canonical import digest_artifact, serialize_artifact
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import parse_interaction_pointer
from evalnb.engine.seal import audit_brief_scripting, count_step_markers, seal, seal_compiled
from evalnb.engine.seal.direction_text import render_direction
from evalnb.engine.seal.evidence_clause import evidence_clause
from evalnb.engine.seal.step_reference import step_reference
from tests.conformance.contradictions import CONTRADICTIONS
from tests.conformance.json_patch import patched
from tests.conformance.reference import cases, load, member, reference_path
from tests.engine.seal.documents import contract

BRIEF_PATH = "SealedEvaluatorBrief"


def outcome(work: Callable[[], Any]) -> dict[str, Any]:
    """What `work` gives, or its failure as the tables spell failures."""
    try:
        return {"value": work()}
    except StructuralFailure as failure:
        return {
            "error": {
                "type": "StructuralFailure",
                "code": failure.code,
                "artifactPath": failure.artifact_path,
                "message": failure.detail,
            }
        }
    except TypeError as error:
        return {"error": {"type": "TypeError", "message": str(error)}}


def assert_as_expected(file: str, case: dict[str, Any], actual: dict[str, Any], value_key: str) -> None:
    expected = case["expected"]
    shown = actual if "error" in actual else {value_key: actual["value"]}
    if (file, case["id"]) in CONTRADICTIONS:
        assert shown != expected
    else:
        assert shown == expected


def index_of(fixture: dict[str, Any]) -> PlanIndex:
    return PlanIndex.build(contract(**fixture))


def rendered(case: dict[str, Any]) -> str:
    index = index_of(member(case["fixture"], "cases", "seal-fixtures.json"))
    given = case["input"]
    match case["kind"]:
        case "direction":
            return render_direction(Direction.model_validate(given["direction"]), index)
        case "evidence":
            return evidence_clause(given["pointers"], index)
        case _:
            siblings = [index.require_step(step_id) for step_id in given["siblings"]]
            return step_reference(index.require_step(given["stepId"]), siblings, index)


@pytest.mark.parametrize("case", cases("cases", "direction-prose.json"))
def test_direction_prose(case: dict[str, Any]) -> None:
    actual = outcome(lambda: rendered(case))
    assert_as_expected("direction-prose.json", case, actual, "text")
    text = actual.get("value", "")
    assert all(part in text for part in case.get("contains") or [])
    assert not any(part in text for part in case.get("notContains") or [])
    if case.get("occurrences"):
        assert text.count(case["occurrences"]["text"]) == case["occurrences"]["count"]


@pytest.mark.parametrize("case", cases("cases", "evidence-target.json"))
def test_evidence_target(case: dict[str, Any]) -> None:
    def parsed() -> dict[str, Any]:
        pointer = parse_interaction_pointer(case["pointer"])
        return {
            "stepId": pointer.step_id,
            "channel": pointer.channel,
            "inputChannel": pointer.input_channel,
            "artifactId": pointer.artifact_id,
            "tail": list(pointer.tail),
        }

    actual = outcome(parsed)
    shown = actual.get("value", actual)
    if ("evidence-target.json", case["id"]) in CONTRADICTIONS:
        assert shown != case["expected"]
    else:
        assert shown == case["expected"]


@pytest.mark.parametrize("case", cases("cases", "scripting-audit.json"))
def test_scripting_audit(case: dict[str, Any]) -> None:
    document = seal_compiled(contract()).document | {
        "directions": case["directions"],
        "probeStepBound": case["probeStepBound"],
    }
    brief = SealedEvaluatorBrief.model_validate(document)

    def audited() -> bool:
        audit_brief_scripting(brief)
        return True

    assert [count_step_markers(direction.text) for direction in brief.directions] == case["markerCounts"]
    assert_as_expected("scripting-audit.json", case, outcome(audited), "passes")


@pytest.mark.parametrize("case", cases("cases", "seal-brief.json"))
def test_sealed_brief(case: dict[str, Any]) -> None:
    base = member(case["base"], "cases", "coverage-contracts.json")
    given = read(EVAL_CONTRACT, patched(base, case["patch"]))
    actual = outcome(lambda: seal_compiled(given).document)
    assert_as_expected("seal-brief.json", case, actual, "brief")


def test_the_shipped_contract_seals_to_the_shipped_brief_byte_for_byte() -> None:
    raw = load("corpus", "compile-seal-example", "contract.json")
    shipped = reference_path("corpus", "compile-seal-example", "brief.json").read_bytes()
    brief = seal(raw)
    assert serialize_artifact(brief.document, BRIEF_PATH).encode() == shipped
    assert digest_artifact(brief.document, BRIEF_PATH) == (
        "sha256:c49f83833d2454f6b0950441baecaac50385aa9e9c67c3b4a9f9804153169f32"
    )


@pytest.mark.parametrize("chain", ["walkthrough", "agent"])
def test_a_chain_seals_to_the_brief_its_run_record_names(chain: str) -> None:
    record = load("chains", chain, "sealed-run-record.json")
    brief = seal(load("chains", chain, "contract.json"))
    assert digest_artifact(brief.document, BRIEF_PATH) == record["sealedBriefDigest"]


def test_the_walkthrough_brief_has_its_published_digest() -> None:
    brief = seal(load("chains", "walkthrough", "contract.json"))
    assert digest_artifact(brief.document, BRIEF_PATH) == (
        "sha256:20908549841119f0bf583cb0b2ddb8cfe62fb00beff39455da9b79d607df8b49"
    )


@pytest.mark.parametrize("name", ["gateCContract", "satisfiedContract", "mcpContract"])
def test_reordering_oracles_changes_only_the_contract_digest(name: str) -> None:
    def sealed(document: Any) -> dict[str, Any]:
        given: EvalContract = read(EVAL_CONTRACT, document)
        return dict(seal_compiled(given).document)

    document = member(name, "cases", "coverage-contracts.json")
    changed = document | {
        "oracles": document["oracles"][::-1],
        "interactionPlan": document["interactionPlan"][::-1],
    }
    before, after = sealed(document), sealed(changed)
    assert before.pop("contractDigest") != after.pop("contractDigest")
    assert before == after

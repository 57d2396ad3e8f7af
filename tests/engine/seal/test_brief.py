"""The stage: what a brief carries, in which order, and what cannot be sealed."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from evalnb.engine.artifacts import SealedEvaluatorBrief
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.faults import RuntimeFault, StructuralFailure
from evalnb.engine.seal import seal, seal_compiled
from tests.engine.seal.documents import (
    api_operation,
    behavior,
    contract,
    contract_document,
    interface,
    oracle,
    pointer,
    step,
)

SEEN = pointer("see", "response-body/ok")


def sealed(**fields: Any) -> dict[str, Any]:
    return dict(seal_compiled(contract(**fields)).document)


def test_a_brief_is_a_root_that_names_its_contract() -> None:
    document = contract_document(parentDigest="sha256:" + "0" * 64, revisionCount=3)
    brief = seal_compiled(contract(**document))
    assert (brief.schema_version, brief.parent_digest, brief.revision_count) == (2, None, 0)
    assert brief.contract_digest == digest_artifact(document, "EvalContract")


def test_behaviours_keep_their_order_and_the_rest_is_sorted() -> None:
    brief = sealed(
        behaviors=[behavior(2, "low"), behavior(1, "low")],
        oracles=[oracle(2, SEEN), oracle(1, SEEN)],
        permittedInterfaces=[
            interface("shop", "api", api_operation("read-order")),
            interface("depot", "mcp"),
        ],
        scopedResources=[{"reference": "z", "kind": "file"}, {"reference": "a", "kind": "file"}],
        safetyLimits=["b", "a", "b"],
        testData={
            "setup": "secret",
            "cleanup": None,
            "resources": None,
            "principals": {"owner": {"kind": "account"}, "admin": {"kind": "account"}},
        },
        probeStepBound=4,
    )
    assert [entry["id"] for entry in brief["behaviors"]] == ["B-002", "B-001"]
    assert [entry["oracleId"] for entry in brief["directions"]] == ["O-001", "O-002"]
    assert brief["permittedInterfaces"] == [
        {"logicalId": "depot", "kind": "mcp"},
        {"logicalId": "shop", "kind": "api"},
    ]
    assert [entry["reference"] for entry in brief["scopedResources"]] == ["a", "z"]
    assert brief["safetyLimits"] == ["a", "b", "b"]
    assert brief["principals"] == ["admin", "owner"]
    assert brief["probeStepBound"] == 4


def test_absent_lists_are_written_empty() -> None:
    brief = sealed()
    assert brief["scopedResources"] == []
    assert brief["principals"] == []


def test_nothing_of_the_plan_or_the_check_is_carried() -> None:
    text = str(sealed(oracles=[oracle(1, SEEN, commentary="private note")]))
    assert not any(word in text for word in ("private note", "stepId", "interactionPlan", "'check'", "'see'"))


def test_the_brief_shares_nothing_with_the_contract() -> None:
    source = contract()
    before = copy.deepcopy(source.document)
    brief = seal_compiled(source)
    brief.document["behaviors"][0]["description"] = "changed"
    brief.document["budgets"]["maxToolCalls"] = 0
    assert source.document == before


def test_plan_and_oracle_order_change_nothing_but_the_contract_digest() -> None:
    steps = [step("see", "read-order"), step("again", "read-order", body={"n": {"literal": 1}})]
    oracles = [oracle(1, SEEN, pointer("again", "response-status")), oracle(2, SEEN)]
    first = sealed(interactionPlan=steps, oracles=oracles)
    second = sealed(interactionPlan=steps[::-1], oracles=oracles[::-1])
    assert first.pop("contractDigest") != second.pop("contractDigest")
    assert first == second


def test_sealing_twice_gives_the_same_brief() -> None:
    source = contract()
    principals = ["ann", "bob", "cat"]
    briefs = []
    for seed in range(3):
        random.Random(seed).shuffle(principals)
        test_data = source.document["testData"] | {"principals": {name: {"kind": "account"} for name in principals}}
        briefs.append(sealed(testData=test_data))
    assert briefs[0] == briefs[1] == briefs[2]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"oracles": [oracle(1, SEEN, direction=None)]}, "oracle O-001 reached seal() with a null direction"),
        ({"oracles": [oracle(1, SEEN), oracle(1, SEEN)]}, "duplicate oracleId in sealed brief input: O-001"),
        (
            {
                "permittedInterfaces": [
                    interface("shop", "api", api_operation("read-order")),
                    interface("shop", "mcp"),
                ]
            },
            "duplicate permittedInterfaces logicalId in sealed brief input: shop",
        ),
        (
            {"scopedResources": [{"reference": "a", "kind": "x"}, {"reference": "a", "kind": "y"}]},
            "duplicate scopedResources reference in sealed brief input: a",
        ),
        (
            {"interactionPlan": [step("see", "read-order"), step("see", "read-order")]},
            "duplicate interaction step id: see",
        ),
        (
            {
                "permittedInterfaces": [
                    interface("shop", "api", api_operation("read-order"), api_operation("read-order"))
                ]
            },
            "duplicate operation id within interface shop: read-order",
        ),
        (
            {"oracles": []},
            'seal() assembled a brief that failed SealedEvaluatorBrief validation: 1 issue, first at "directions"',
        ),
    ],
)
def test_what_compiling_would_have_refused_is_a_programming_error(fields: Any, message: str) -> None:
    with pytest.raises(TypeError) as error:
        seal_compiled(contract(**fields))
    assert str(error.value) == message
    with pytest.raises(RuntimeFault) as fault:
        seal(contract(**fields))
    assert fault.value.code == "schema-parse-failure"
    assert fault.value.artifact_path == "EvalContract"
    assert fault.value.detail == f"the contract compiles but cannot be sealed: {message}"
    assert isinstance(fault.value.cause, TypeError)


def test_steps_that_cannot_be_told_apart_stop_the_seal_with_their_code() -> None:
    twins = contract(
        interactionPlan=[step("see", "read-order"), step("twin", "read-order")],
        oracles=[oracle(1, SEEN, pointer("twin", "response-status"))],
    )
    with pytest.raises(StructuralFailure) as failure:
        seal(twins)
    assert failure.value.code == "irreducible-step-reference"


def test_the_first_oracle_in_contract_order_fails_first() -> None:
    with pytest.raises(TypeError, match="oracle O-002"):
        sealed(oracles=[oracle(2, SEEN, direction=None), oracle(1, SEEN, direction=None)])


@pytest.mark.parametrize("extra", ["commentary", "interactionPlan", "stepId", "forbiddenInputs"])
def test_a_brief_refuses_what_an_evaluator_must_not_see(extra: str) -> None:
    with pytest.raises(ValueError, match=extra):
        SealedEvaluatorBrief.model_validate(sealed() | {extra: None})

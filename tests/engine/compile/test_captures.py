"""What a step may capture from another one."""

from __future__ import annotations

import pytest

from evalnb.engine.compile import compile_contract
from evalnb.engine.faults import StructuralFailure
from tests.engine.compile.contracts import Document, api_contract, at, bind, step

OWNER = 'EvalContract.interactionPlan[stepId=list].inputBinding.query["owner"]'


def capturing(pointer: str) -> Document:
    document = api_contract()
    document["interactionPlan"][1]["inputBinding"] = bind("query", owner={"captured": f"/interactions/{pointer}"})
    return document


def failure(document: Document) -> StructuralFailure:
    with pytest.raises(StructuralFailure) as caught:
        compile_contract(document)
    return caught.value


def test_a_scalar_of_the_bound_type_is_captured() -> None:
    compile_contract(capturing("create/response-body/id"))


@pytest.mark.parametrize(
    ("pointer", "reason"),
    [
        ("nobody/response-body/id", "names a step the interaction plan does not declare"),
        ("create/response-body/none", "declares in neither requiredKeys nor permittedKeys"),
        ("create/response-body", "addresses the whole response-body, which declares no scalar to capture"),
        ("create/response-body/tags/0", "addresses a response-body path 2 segments deep"),
        ("create/response-body/tags", 'whose type operation "create-note" does not declare'),
        ("create/response-body/count", 'which is not the "string" the bound query parameter "owner" is declared as'),
        ("list/response-body/items", 'declares "array" rather than a scalar'),
    ],
)
def test_anything_else_says_why(pointer: str, reason: str) -> None:
    refused = failure(capturing(pointer))
    assert (refused.code, refused.artifact_path) == ("unreachable-check-evidence", OWNER)
    assert refused.detail.startswith(f'captured pointer "/interactions/{pointer}" ')
    assert reason in refused.detail


def test_an_element_of_a_root_collection_has_no_type() -> None:
    document = capturing("create/response-body/0")
    location = {"pointer": "", "expectedCardinality": {"mode": "exact", "count": 1}, "referenceSet": None}
    at(document, "permittedInterfaces", 0, "operations", 0, "responseDescriptor")["collectionLocations"] = [location]
    assert "addresses response-body element 0" in failure(document).detail


@pytest.mark.parametrize(("types", "answer"), [({}, "does not declare"), ({"owner": None}, "declares indeterminate")])
def test_a_bound_parameter_without_a_type_decides_nothing(types: Document, answer: str) -> None:
    document = capturing("create/response-body/id")
    at(document, "permittedInterfaces", 0, "operations", 1, "requestShape", "query")["types"] = types
    assert f'"owner", whose type operation "list-notes" {answer}, so no type equality' in failure(document).detail


def test_an_undeclared_parameter_has_no_type_to_compare() -> None:
    document = capturing("create/response-body/count")
    at(document, "permittedInterfaces", 0, "operations", 1, "requestShape", "query").update(requiredKeys=[], types={})
    at(document, "permittedInterfaces", 0, "operations", 1)["sensitivityWitness"] = None
    assert failure(document).code == "undeclared-mandatory-input"


@pytest.mark.parametrize("channel", ["response-status", "stderr", "call-inputs/body/title", "response-headers/etag"])
def test_only_the_described_channel_can_be_captured_from(channel: str) -> None:
    refused = failure(capturing(f"create/{channel}"))
    assert (refused.code, refused.artifact_path) == ("captured-channel-undeclared", OWNER)
    assert f"names the {channel.split('/')[0]} channel" in refused.detail


def test_a_step_that_captures_from_itself_is_a_cycle() -> None:
    document = api_contract()
    document["interactionPlan"][0]["inputBinding"] = bind(
        "body", title={"captured": "/interactions/create/response-body/id"}
    )
    refused = failure(document)
    assert refused.code == "binding-cycle"
    assert "capture and temporal-clause edges" in refused.detail


def test_a_chain_of_captures_is_no_cycle() -> None:
    document = capturing("create/response-body/id")
    again = step(
        "again", "create-note", inputBinding=bind("body", title={"captured": "/interactions/create/response-body/id"})
    )
    document["interactionPlan"].append(again)
    compile_contract(document)

"""Contracts of older schema versions: read under their own shape, checked as the newest, never rewritten."""

from __future__ import annotations

import copy

import pytest

from evalnb.engine.compile import compile_contract
from evalnb.engine.faults import EvaluationFailure
from tests.engine.compile.contracts import Document, api_contract, at, http_operation


def stamped(version: int) -> Document:
    document = api_contract() | {"schemaVersion": version}
    if version == 5:
        for step in document["interactionPlan"]:
            del step["interfaceId"]
    return document


def failure(document: Document) -> EvaluationFailure:
    with pytest.raises(EvaluationFailure) as caught:
        compile_contract(document)
    return caught.value


@pytest.mark.parametrize("version", [5, 6, 7])
def test_the_compiled_contract_is_the_document_as_written(version: int) -> None:
    document = stamped(version)
    before = copy.deepcopy(document)
    compiled = compile_contract(document)
    assert compiled.document == before == document
    assert [step.interface_id for step in compiled.interaction_plan] == ["notes", "notes"]


@pytest.mark.parametrize("version", [4, 8, 7.5])
def test_a_stamp_outside_the_range_is_a_mismatch(version: float) -> None:
    refused = failure(api_contract() | {"schemaVersion": version})
    assert (refused.code, refused.artifact_path) == ("schema-version-mismatch", "EvalContract.schemaVersion")
    assert f'"schemaVersion" {version} where this build reads 5 to 7' in refused.detail


def test_a_field_its_version_does_not_know_is_refused() -> None:
    assert failure(api_contract() | {"schemaVersion": 5}).code == "schema-parse-failure"
    wildcard = stamped(6)
    at(wildcard, "permittedInterfaces", 0, "operations", 0)["volatilePointers"] = ["/count/*"]
    assert failure(wildcard).code == "schema-parse-failure"
    wildcard["schemaVersion"] = 7
    compile_contract(wildcard)


def test_an_operation_that_no_single_interface_declares_is_an_unknown_operation() -> None:
    none, several = stamped(5), stamped(5)
    none["interactionPlan"][1]["operationId"] = "gone"
    again = http_operation("list-notes", "GET", "/archive")
    several["permittedInterfaces"].append({"logicalId": "archive", "kind": "api", "operations": [again]})
    for document, operation in ((none, "gone"), (several, "list-notes")):
        refused = failure(document)
        assert (refused.code, refused.artifact_path) == (
            "unreachable-check-evidence",
            "EvalContract.oracles[id=O-001].check.operands[1]",
        )
        assert f'which names operation "{operation}"' in refused.detail

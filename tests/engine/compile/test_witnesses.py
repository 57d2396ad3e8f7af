"""Witness legs and relations, and the inputs they send."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.compile import compile_contract
from evalnb.engine.compile.volatile import covers
from evalnb.engine.compile.witnesses import same_json_text
from evalnb.engine.faults import StructuralFailure
from tests.engine.compile.contracts import (
    Document,
    api_contract,
    at,
    differ,
    existence,
    http_inputs,
    keys,
    mixed_contract,
)

CREATE = ("permittedInterfaces", 0, "operations", 0)
COUNT = ("permittedInterfaces", 1, "operations", 0)
WITNESS = "EvalContract.permittedInterfaces[0].operations[0].sensitivityWitness"


def failure(document: Document, strict: bool = True) -> StructuralFailure:
    with pytest.raises(StructuralFailure) as caught:
        compile_contract(document, strict_inputs=strict)
    return caught.value


def with_relation(relation: Document) -> Document:
    document = api_contract()
    at(document, *CREATE, "sensitivityWitness")["relation"] = relation
    return document


def both(suffix: str) -> Document:
    return differ(f"/interactions/create-a/{suffix}", f"/interactions/create-b/{suffix}")


@pytest.mark.parametrize(
    "suffix",
    ["response-body", "response-body/id", "response-headers/etag", "response-status", "call-inputs/body/title"],
)
def test_a_relation_reads_what_a_leg_carries(suffix: str) -> None:
    compile_contract(with_relation(both(suffix)))


@pytest.mark.parametrize(
    ("relation", "code", "path", "detail"),
    [
        (both("exit-code"), "unreachable-check-evidence", ".operands[0].operands[0]",
         "pre-flight builds each leg from response-body, response-headers, response-status, call-inputs alone"),
        (both("response-body/none"), "unreachable-check-evidence", ".operands[0].operands[0]", "declares in neither"),
        (both("call-inputs/query/x"), "unreachable-check-evidence", ".operands[0].operands[0]", "call-inputs query field"),
        (existence("/interactions/create-a/response-body"), "malformed-operator-expression", "", "addresses 1 of the two legs"),
        ({"op": "equality", "operands": [{"literal": 1}, {"literal": 2}]}, "malformed-operator-expression", "",
         "addresses 0 of the two legs"),
        (differ("/interactions/create-a/response-body", "/interactions/list/response-body"), "unreachable-check-evidence", "",
         'addresses "list"'),
    ],
)  # fmt: skip
def test_a_relation_that_shows_nothing_is_refused(relation: Document, code: str, path: str, detail: str) -> None:
    refused = failure(with_relation(relation))
    assert (refused.code, refused.artifact_path) == (code, f"{WITNESS}.relation{path}")
    assert detail in refused.detail


@pytest.mark.parametrize("volatile", ["", "/id", "/*"])
def test_a_relation_may_not_read_a_volatile_location(volatile: str) -> None:
    document = api_contract()
    at(document, *CREATE)["volatilePointers"] = ["/count", volatile]
    refused = failure(document)
    assert refused.artifact_path == f"{WITNESS}.relation.operands[0].operands[0]"
    assert f'lies under "{volatile}", which operation "create-note" declares volatile' in refused.detail


def test_a_volatile_location_below_what_is_read_is_no_matter() -> None:
    document = api_contract()
    at(document, *CREATE)["volatilePointers"] = ["/id/*", "/count"]
    compile_contract(document)


@pytest.mark.parametrize(
    ("volatile", "tail", "covered"),
    [
        ([], [], True), ([], ["id"], True), (["id"], ["id"], True), (["id"], ["id", "x"], True), (["id"], [], False),
        (["id", "*"], ["id"], False), (["*"], ["id"], True), (["*", "b"], ["a", "b", "c"], True), (["a*"], ["ab"], False),
    ],
)  # fmt: skip
def test_what_a_volatile_pointer_covers(volatile: list[str], tail: list[str], covered: bool) -> None:
    assert covers(volatile, tail) is covered


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False), ({"b": 1, "2": 2, "1": 3}, {"1": 3, "b": 1, "2": 2}, True), (2**53, 2**53 + 1, True),
        ({"2": 2, "1": 3}, {"1": 3, "2": 2}, True), (1, 1.0, True), (-0.0, 0, True), (True, 1, False), ([1, []], [1, []], True),
        ([1, 2], [2, 1], False), (None, {}, False), ("1", 1, False),
    ],
)  # fmt: skip
def test_two_values_send_one_text_when_their_keys_stand_alike(first: Any, second: Any, same: bool) -> None:
    assert same_json_text(first, second) is same


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"kind": "json", "value": {"title": "a"}}, {"kind": "json", "value": {"title": "b"}}),
        ({"kind": "json", "value": {"title": 1}}, {"kind": "json", "value": {"title": "1"}}),
        ({"kind": "raw", "base64": "", "contentType": "a/b"}, {"kind": "raw", "base64": "", "contentType": "a/c"}),
    ],
)
def test_legs_that_send_different_bodies_vary(first: Document, second: Document) -> None:
    document = api_contract()
    for leg, body in zip(at(document, *CREATE, "sensitivityWitness", "legs"), (first, second), strict=True):
        leg["inputs"]["body"] = body
    compile_contract(document)
    at(document, *CREATE, "sensitivityWitness", "legs", 1, "inputs")["body"] = first
    assert failure(document).artifact_path == f"{WITNESS}.legs"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"kind": "absent"}, 'leg "create-b" omits "title"'),
        ({"kind": "json", "value": ["title"]}, 'leg "create-b" omits "title"'),
        ({"kind": "json", "value": {"title": 1, "z": 1, "7": 1}}, 'leg "create-b" supplies "7"'),
    ],
)
def test_a_leg_sends_the_required_keys_and_no_undeclared_one(body: Document, detail: str) -> None:
    document = api_contract()
    at(document, *CREATE, "sensitivityWitness", "legs", 1, "inputs")["body"] = body
    refused = failure(document)
    assert (refused.code, refused.artifact_path) == ("undeclared-mandatory-input", f"{WITNESS}.legs[1]")
    assert refused.detail.startswith(detail)


def test_a_leg_of_another_kind_is_refused_by_whichever_check_runs() -> None:
    document = api_contract()
    at(document, *CREATE, "sensitivityWitness", "legs", 0)["inputs"] = {"arguments": {"title": "a"}}
    strict, loose = failure(document), failure(document, strict=False)
    assert "supplies tool-call channels" in strict.detail
    assert (loose.code, loose.artifact_path) == ("malformed-operator-expression", f"{WITNESS}.legs")


@pytest.mark.parametrize(
    ("required", "detail"),
    [(("word",), None), ((), "no required key there"), (("word", "other"), "2 required keys there")],
)
def test_text_on_standard_input_fills_the_one_required_key(required: tuple[str, ...], detail: str | None) -> None:
    document = mixed_contract()
    at(document, *COUNT, "requestShape")["stdin"] = keys(*required, permitted=["word"])
    for leg in at(document, *COUNT, "sensitivityWitness", "legs"):
        leg["inputs"]["stdin"] = {"kind": "text", "value": leg["legId"]}
    if detail is None:
        compile_contract(document)
    else:
        assert detail in failure(document).detail


def test_both_legs_may_not_share_an_id() -> None:
    document = api_contract()
    at(document, *CREATE, "sensitivityWitness", "legs", 1)["legId"] = "create-a"
    at(document, *CREATE, "sensitivityWitness")["relation"] = both("response-body")
    assert failure(document).artifact_path == f"{WITNESS}.legs"


def test_an_operation_that_takes_nothing_needs_no_witness() -> None:
    document = api_contract()
    at(document, *CREATE)["requestShape"]["body"] = keys()
    at(document, *CREATE)["sensitivityWitness"] = None
    document["interactionPlan"][0]["inputBinding"]["body"] = None
    compile_contract(document)


def test_header_inputs_are_held_to_the_header_shape() -> None:
    document = api_contract()
    legs = at(document, *CREATE, "sensitivityWitness", "legs")
    legs[0]["inputs"] = http_inputs(header={"x": "1"}, body=legs[0]["inputs"]["body"])
    assert 'supplies "x" on header' in failure(document).detail

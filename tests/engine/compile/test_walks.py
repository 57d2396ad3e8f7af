"""Walks over expressions: order, paths, and what `@` stands for."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.artifacts import EVAL_CONTRACT, EvalContract, read
from evalnb.engine.compile import check_contract
from evalnb.engine.compile.walks import Binding, expression_site, pointers_of, substitute
from evalnb.engine.faults import StructuralFailure
from tests.engine.compile.contracts import Document, api_contract, existence, oracle, pointer

ITEMS = "/interactions/list/response-body/items"


def parsed(check: Document) -> EvalContract:
    contract: EvalContract = read(EVAL_CONTRACT, api_contract() | {"oracles": [oracle(check, [], check["op"])]})
    return contract


def site(check: Document) -> Any:
    expression = parsed(check).oracles[0].check
    assert expression is not None
    return expression_site(expression, "check")


def for_any(collection: Document, predicate: Document) -> Document:
    return {"op": "for-any", "collection": collection, "predicate": predicate}


MEMBER = {"op": "set-membership", "operands": [pointer("@/id"), {"referenceSet": "notes"}]}
TREE = {
    "op": "all",
    "operands": [
        {"op": "not", "operands": [existence(ITEMS)]},
        for_any(pointer(ITEMS), {"op": "any", "operands": [MEMBER, for_any(pointer("@/tags"), existence("@/"))]}),
    ],
}


def test_nodes_come_depth_first_in_document_order_with_their_paths() -> None:
    assert [(visit.node.op, visit.suffix, visit.depth) for visit in site(TREE).visits] == [
        ("all", "", 0),
        ("not", ".operands[0]", 0),
        ("existence", ".operands[0].operands[0]", 0),
        ("for-any", ".operands[1]", 0),
        ("any", ".operands[1].predicate", 1),
        ("set-membership", ".operands[1].predicate.operands[0]", 1),
        ("for-any", ".operands[1].predicate.operands[1]", 1),
        ("existence", ".operands[1].predicate.operands[1].predicate", 2),
    ]


def test_pointers_are_substituted_below_the_collections_around_them() -> None:
    assert [(visit.pointer, visit.substituted) for visit in pointers_of(site(TREE))] == [
        (ITEMS, ITEMS),
        (ITEMS, ITEMS),
        ("@/id", f"{ITEMS}/id"),
        ("@/tags", f"{ITEMS}/tags"),
        ("@/", f"{ITEMS}/tags"),
    ]


@pytest.mark.parametrize(
    ("written", "bound", "meant"),
    [
        ("/interactions/a/stdout", Binding("/b", None), "/interactions/a/stdout"),
        ("@/a~1b", None, "@/a~1b"),
        ("@/a~1b", Binding("/b", None), "/b/a~1b"),
        ("@/", Binding("/b", None), "/b"),
        ("@/id", Binding("@/", Binding("/b", None)), "/b/id"),
        ("@/id", Binding("@/", None), "@//id"),
        ("@/id", Binding(None, Binding("/b", None)), "@/id"),
        ("@/id", Binding("@/x", Binding(None, Binding("/b", None))), "@/x/id"),
    ],
)
def test_substitution(written: str, bound: Binding | None, meant: str) -> None:
    assert substitute(written, bound) == meant


def test_a_collection_below_a_scalar_channel_is_left_to_the_nesting_check() -> None:
    """Open in the chapter: the substituted pointer spells nothing, so only the nesting is reported."""
    outer = "/interactions/list/response-status"
    check = for_any(pointer(outer), for_any(pointer("@/y"), existence("@/")))
    with pytest.raises(StructuralFailure) as caught:
        check_contract(parsed(check))
    assert (caught.value.code, caught.value.artifact_path) == (
        "quantifier-nesting-exceeded",
        "EvalContract.oracles[id=O-001].check.predicate",
    )


def test_a_deep_expression_is_no_trouble() -> None:
    check = existence(ITEMS)
    for _ in range(2000):
        check = {"op": "not", "operands": [check]}
    document = api_contract() | {"oracles": [oracle(check, [ITEMS], "existence")]}
    check_contract(read(EVAL_CONTRACT, document))

"""A check resolves to a tree of three-valued answers; the connectives obey the laws of their logic."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from evalnb.engine import artifacts as shapes
from evalnb.engine.evaluate import make_resolve_operand, resolve_check
from evalnb.engine.evaluate.resolution import Resolution, fold_all, fold_any, fold_not
from evalnb.engine.faults import RuntimeFault
from tests.engine.evaluate import plans

HERE = "EvalContract.oracles[id=O-001].check"
ROWS = "/interactions/list/response-body/rows"
TRUE: dict[str, Any] = {"op": "equality", "operands": [{"literal": 1}, {"literal": 1}]}
FALSE: dict[str, Any] = {"op": "equality", "operands": [{"literal": 1}, {"literal": 2}]}
UNKNOWN: dict[str, Any] = {"op": "equality", "operands": [{"literal": 1}, {"literal": []}]}
FAULT: dict[str, Any] = {"op": "regex", "operands": [{"literal": "a"}], "pattern": "^(a+)+$"}
SETS = {
    name: shapes.ReferenceSetDeclaration.model_validate({"keys": keys, "members": members, "commentary": None})
    for name, keys, members in (
        ("states", ["id"], [{"id": "open"}, {"id": "shut"}]),
        ("nobody", ["id"], []),
        ("pairs", ["id", "of"], [{"id": 1, "of": 2}]),
        ("keyless", ["id"], [{"of": 2}]),
    )
}


def resolved(document: dict[str, Any], body: Any = None, collections: tuple[str, ...] = ()) -> Any:
    observed = {"list": plans.observation("obs-1", 1, responseBody=body)}
    return resolve_check(
        plans.expression(document),
        make_resolve_operand(observed, SETS),
        collections.__contains__,
        {name: declared.keys for name, declared in SETS.items()},
        1_000_000,
        HERE,
    )


def leaf(op: str, *operands: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"op": op, "operands": list(operands), **fields}


def negation(operand: dict[str, Any]) -> dict[str, Any]:
    return {"op": "not", "operands": [operand]}


def connective(op: str, *operands: dict[str, Any]) -> dict[str, Any]:
    return {"op": op, "operands": list(operands)}


def test_the_tree_has_a_node_an_expression_and_marks_only_where_evidence_was_missing() -> None:
    tree = resolved(negation(connective("all", TRUE, UNKNOWN)))
    leaf_of = {"introductionCondition": None, "children": []}
    assert tree.model_dump(by_alias=True, mode="json") == {
        "resolution": "insufficient-evidence",
        "introductionCondition": None,
        "children": [
            {
                "resolution": "insufficient-evidence",
                "introductionCondition": None,
                "children": [
                    {"resolution": "true", **leaf_of},
                    {
                        "resolution": "insufficient-evidence",
                        "introductionCondition": "empty-collection",
                        "children": [],
                    },
                ],
            }
        ],
    }


@pytest.mark.parametrize(
    ("op", "operands", "resolution"),
    [
        ("all", (TRUE, TRUE), "true"),
        ("all", (TRUE, FALSE), "false"),
        ("all", (TRUE, UNKNOWN), "insufficient-evidence"),
        ("all", (FALSE, UNKNOWN), "false"),
        ("any", (FALSE, FALSE), "false"),
        ("any", (TRUE, FALSE), "true"),
        ("any", (TRUE, UNKNOWN), "insufficient-evidence"),
        ("any", (UNKNOWN, UNKNOWN), "insufficient-evidence"),
    ],
)
def test_connectives(op: str, operands: tuple[dict[str, Any], ...], resolution: str) -> None:
    tree = resolved(connective(op, *operands))
    assert tree.resolution == resolution
    assert len(tree.children) == len(operands)


RESOLUTIONS = st.lists(st.sampled_from(["true", "false", "insufficient-evidence"]), min_size=1, max_size=5)


@given(RESOLUTIONS, st.randoms())
def test_the_folds_do_not_depend_on_order(resolutions: list[Resolution], random: Any) -> None:
    shuffled = random.sample(resolutions, len(resolutions))
    assert fold_all(shuffled) == fold_all(resolutions)
    assert fold_any(shuffled) == fold_any(resolutions)


@given(RESOLUTIONS)
def test_the_folds_are_idempotent(resolutions: list[Resolution]) -> None:
    assert fold_all(resolutions * 2) == fold_all(resolutions)
    assert fold_any(resolutions * 2) == fold_any(resolutions)


@given(RESOLUTIONS)
def test_a_double_negation_is_nothing(resolutions: list[Resolution]) -> None:
    assert [fold_not(fold_not(one)) for one in resolutions] == resolutions


@given(RESOLUTIONS)
def test_de_morgan_holds_where_the_evidence_is_complete_or_no_operand_is_false(
    resolutions: list[Resolution],
) -> None:
    negated = fold_any([fold_not(one) for one in resolutions])
    if "insufficient-evidence" in resolutions and "false" in resolutions:
        # The conjunction is decided by its false operand; a disjunction is not rescued by its true one.
        assert (fold_not(fold_all(resolutions)), negated) == ("true", "insufficient-evidence")
    else:
        assert fold_not(fold_all(resolutions)) == negated


@given(RESOLUTIONS)
def test_false_dominates_all_and_missing_evidence_dominates_any(resolutions: list[Resolution]) -> None:
    assert fold_all([*resolutions, "false"]) == "false"
    assert fold_any([*resolutions, "insufficient-evidence"]) == "insufficient-evidence"


@pytest.mark.parametrize(
    "document",
    [
        FAULT,
        negation(FAULT),
        connective("all", FALSE, FAULT),
        connective("any", TRUE, FAULT),
        {"op": "for-all", "collection": {"literal": [1]}, "predicate": FAULT},
    ],
)
def test_a_fault_ends_the_check_even_where_it_is_decided(document: dict[str, Any]) -> None:
    with pytest.raises(RuntimeFault) as caught:
        resolved(document)
    assert (caught.value.code, caught.value.artifact_path) == ("budget-exhausted", HERE)


@pytest.mark.parametrize(
    ("op", "value", "resolution"),
    [
        ("existence", [], "true"),
        ("absence", [], "false"),
        ("existence", None, "true"),
        ("existence", {}, "true"),
    ],
)
def test_a_present_empty_collection_exists(op: str, value: Any, resolution: str) -> None:
    assert resolved(leaf(op, {"pointer": ROWS}), {"rows": value}).resolution == resolution


@pytest.mark.parametrize("expected", [0, 3])
def test_an_empty_collection_can_be_counted(expected: int) -> None:
    counted = leaf("count-tolerance", {"pointer": ROWS}, expected=expected, tolerance=0, relative=False)
    assert resolved(counted, {"rows": []}).resolution == ("true" if expected == 0 else "false")


LEAVES = [
    leaf("existence", {"pointer": ROWS}),
    leaf("absence", {"pointer": ROWS}),
    leaf("count-tolerance", {"pointer": ROWS}, expected=0, tolerance=0, relative=False),
    leaf("ordering", {"pointer": ROWS}, key="id", order="ascending"),
    leaf("regex", {"pointer": ROWS}, pattern="^a$"),
    leaf("equality", {"pointer": ROWS}, {"literal": 1}),
    leaf("deep-equality", {"literal": 1}, {"pointer": ROWS}),
    leaf("containment", {"pointer": ROWS}, {"literal": 1}),
    leaf("set-membership", {"pointer": ROWS}, {"literal": [1]}),
    leaf("shape", {"pointer": ROWS}, descriptor={"requiredKeys": [], "permittedKeys": [], "types": {}}),
]


@pytest.mark.parametrize("document", LEAVES, ids=lambda document: document["op"])
def test_a_declared_collection_that_is_not_there_is_missing_evidence(document: dict[str, Any]) -> None:
    tree = resolved(document, {}, collections=(ROWS,))
    assert (tree.resolution, tree.introduction_condition) == ("insufficient-evidence", "empty-collection")
    assert resolved(document, {}).resolution == ("true" if document["op"] == "absence" else "false")


@pytest.mark.parametrize("document", LEAVES[3:], ids=lambda document: document["op"])
def test_no_other_leaf_says_anything_about_an_empty_collection(document: dict[str, Any]) -> None:
    assert resolved(document, {"rows": []}).introduction_condition == "empty-collection"


def test_a_membership_in_a_reference_set_compares_its_one_key() -> None:
    member = leaf("set-membership", {"pointer": ROWS}, {"referenceSet": "states"})
    assert resolved(member, {"rows": "open"}).resolution == "true"
    assert resolved(member, {"rows": {"id": "open"}}).resolution == "false"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (leaf("set-membership", {"literal": 1}, {"referenceSet": "pairs"}), "declares 2 keys"),
        (leaf("set-membership", {"literal": 1}, {"referenceSet": "keyless"}), 'carries no own property "id"'),
        (leaf("set-membership", {"literal": 1}, {"referenceSet": "unknown"}), "must resolve to an array"),
        (leaf("containment", {"literal": "a"}, {"referenceSet": "unknown"}), "containment"),
        (
            leaf("covers-by-key", {"literal": 1}, {"pointer": ROWS}, expectedKey="a", actualKey="a"),
            "covers-by-key",
        ),
    ],
)
def test_what_no_compiled_contract_contains_is_an_internal_error(document: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        resolved(document)


@pytest.mark.parametrize("op", ["constructor", "eq", ""])
def test_an_operator_outside_the_vocabulary_is_an_internal_error(op: str) -> None:
    unknown = shapes.Not.model_construct(op=op, operands=())
    with pytest.raises(TypeError, match=f'unrecognized expression.op "{op}"'):
        resolve_check(unknown, make_resolve_operand({}, None), lambda pointer: False, {}, 1, HERE)


def covers(expected: dict[str, Any]) -> dict[str, Any]:
    return leaf("covers-by-key", expected, {"pointer": ROWS}, expectedKey="id", actualKey="id")


@pytest.mark.parametrize(
    ("expected", "body", "resolution"),
    [
        ("states", {"rows": [{"id": "shut"}, {"id": "open"}]}, "true"),
        ("states", {"rows": []}, "insufficient-evidence"),
        ("nobody", {"rows": [{"id": 1}]}, "insufficient-evidence"),
        ("states", {}, "false"),
        ("nobody", {}, "false"),
        ("unknown", {"rows": []}, "false"),
        ("states", {"rows": None}, "false"),
    ],
)
def test_covers_by_key_is_unsettled_only_between_two_arrays(expected: str, body: Any, resolution: str) -> None:
    tree = resolved(covers({"referenceSet": expected}), body, collections=(ROWS,))
    assert tree.resolution == resolution
    assert tree.children == ()


SOFT_DELETE = [
    negation(
        {
            "op": "for-any",
            "collection": {"pointer": ROWS},
            "predicate": leaf("existence", {"pointer": "@/gone"}),
        }
    ),
    {"op": "for-all", "collection": {"pointer": ROWS}, "predicate": leaf("absence", {"pointer": "@/gone"})},
]


@pytest.mark.parametrize("document", SOFT_DELETE, ids=["not-any-exists", "all-absent"])
@pytest.mark.parametrize(
    ("body", "resolution"),
    [
        ({"rows": [{"id": 1}, {"id": 2}]}, "true"),
        ({"rows": [{"id": 1}, {"gone": None}]}, "false"),
        ({"rows": [{"gone": []}]}, "false"),
        ({"rows": []}, "insufficient-evidence"),
        ({"rows": {"id": 1}}, "insufficient-evidence"),
        ({}, "insufficient-evidence"),
    ],
)
def test_two_spellings_of_none_is_deleted_agree(document: dict[str, Any], body: Any, resolution: str) -> None:
    assert resolved(document, body).resolution == resolution


def test_a_quantifier_has_a_child_an_element_and_binds_the_inner_one() -> None:
    inner = {
        "op": "for-any",
        "collection": {"pointer": "@/"},
        "predicate": leaf("equality", {"pointer": "@/"}, {"literal": 2}),
    }
    tree = resolved({"op": "for-all", "collection": {"pointer": ROWS}, "predicate": inner}, {"rows": [[1, 2], [3], []]})
    assert [child.resolution for child in tree.children] == ["true", "false", "insufficient-evidence"]
    assert [len(child.children) for child in tree.children] == [2, 1, 0]


def test_a_check_may_be_nested_deeper_than_the_interpreter() -> None:
    check = plans.expression(TRUE)
    for _ in range(5001):
        check = shapes.Not.model_construct(op="not", operands=(check,))
    tree = resolve_check(check, make_resolve_operand({}, None), lambda pointer: False, {}, 1, HERE)
    assert tree.resolution == "false"


POINTERS = st.sampled_from(
    [ROWS, "/interactions/list/response-status", "/interactions/other/stdout/x", "@/", "@/id", f"{ROWS}/0/id"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 2**54) | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "rows", "a"]), inner, max_size=3)
    ),
    max_leaves=6,
)
POINTER_OPERANDS = POINTERS.map(lambda pointer: {"pointer": pointer})
OPERANDS = POINTER_OPERANDS | JSON.map(lambda value: {"literal": value})
SET_OPERANDS = st.sampled_from([{"referenceSet": "states"}, {"referenceSet": "nobody"}]) | st.lists(
    JSON, min_size=1, max_size=3
).map(lambda members: {"literal": members})


def fixed(op: str, *operands: Any, **fields: Any) -> Any:
    values = {name: value if isinstance(value, st.SearchStrategy) else st.just(value) for name, value in fields.items()}
    return st.fixed_dictionaries({"op": st.just(op), "operands": st.tuples(*operands).map(list), **values})


LEAF_EXPRESSIONS = st.one_of(
    fixed("equality", OPERANDS, OPERANDS),
    fixed("deep-equality", OPERANDS, OPERANDS),
    fixed("containment", OPERANDS, OPERANDS | SET_OPERANDS),
    fixed("existence", OPERANDS),
    fixed("absence", OPERANDS),
    fixed("regex", OPERANDS, pattern=st.sampled_from(["^a$", "^[a-z]*$", "^(a+)+$", "^([a$"])),
    fixed("set-membership", OPERANDS, SET_OPERANDS),
    fixed("ordering", OPERANDS, key="id", order=st.sampled_from(["ascending", "descending"])),
    fixed(
        "count-tolerance",
        OPERANDS,
        expected=st.integers(0, 3),
        tolerance=st.integers(0, 3),
        relative=st.booleans(),
    ),
    fixed(
        "covers-by-key",
        st.just({"referenceSet": "states"}),
        POINTER_OPERANDS,
        expectedKey="id",
        actualKey="id",
    ),
)
EXPRESSIONS = st.recursive(
    LEAF_EXPRESSIONS,
    lambda inner: st.one_of(
        inner.map(negation),
        st.lists(inner, min_size=2, max_size=3).map(lambda listed: connective("all", *listed)),
        st.lists(inner, min_size=2, max_size=3).map(lambda listed: connective("any", *listed)),
        st.fixed_dictionaries(
            {"op": st.sampled_from(["for-all", "for-any"]), "collection": OPERANDS, "predicate": inner}
        ),
    ),
    max_leaves=5,
)
DECLARED_FAULTS = {"operator-cannot-accept-operand", "budget-exhausted", "non-canonicalizable-value"}


@settings(max_examples=200, deadline=None)
@given(EXPRESSIONS, JSON)
def test_every_legal_check_resolves_or_raises_one_of_its_faults(document: dict[str, Any], body: Any) -> None:
    tree = fault = None
    try:
        tree = resolved(document, body, collections=(ROWS,))
    except RuntimeFault as raised:
        fault = raised
    if tree is not None:
        assert tree.resolution in ("true", "false", "insufficient-evidence")
        assert tree == resolved(document, body, collections=(ROWS,))
    else:
        assert fault is not None
        assert fault.code in DECLARED_FAULTS
        assert fault.artifact_path == HERE


@settings(max_examples=200, deadline=None)
@given(EXPRESSIONS, JSON)
def test_missing_evidence_is_marked_once_at_its_source(document: dict[str, Any], body: Any) -> None:
    def check(node: Any) -> None:
        if node.introduction_condition is not None:
            assert node.resolution == "insufficient-evidence"
            assert node.children == ()
        elif not node.children:
            assert node.resolution in ("true", "false")
        elif node.resolution == "insufficient-evidence":
            assert any(child.resolution == "insufficient-evidence" for child in node.children)
        for child in node.children:
            check(child)

    try:
        tree = resolved(document, body, collections=(ROWS,))
    except RuntimeFault:
        return
    check(tree)

"""The checks run in one order, whatever the document's own order, and nothing of the input changes."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from evalnb.engine.canonical import serialize_artifact
from evalnb.engine.compile import CHECKS, compile_contract
from evalnb.engine.faults import EvaluationFailure
from tests.engine.compile.contracts import Document, api_contract, at, mixed_contract
from tests.engine.compile.test_codes import API_DEFECTS, Change, check_is, failure_of, for_all, pointer, put, several

ORDER = [
    "schema-version",
    "interface-identifiers",
    "requirement-linkage",
    "observable-success-criterion",
    "artifact-references",
    "evidence-reachability",
    "captured-reachability",
    "state-reset-pointers",
    "bound-element-scope",
    "operand-legality",
    "regex-constructs",
    "quantifier-over-non-collection",
    "quantifier-nesting",
    "reference-set-resolution",
    "operation-signatures",
    "undeclared-mandatory-input",
    "witness-declared",
    "oracle-channel",
    "oracle-alignment",
    "interface-kind",
    "nested-temporal-clause",
    "scripting-bound",
    "binding-cycle",
    "captured-channel",
    "rubric-identifiers",
    "rubric-reasoning-prose",
    "rubric-anchoring",
    "rubric-evidence-reachability",
    "forbidden-input-floor",
    "excluded-content",
    "scoped-references",
    "waivers",
    "step-reference-reducibility",
    "witness-leg-identifiers",
    "witness-legality",
]


def test_the_checks_stand_in_their_published_order() -> None:
    assert [check.id for check in CHECKS] == ORDER
    assert [check.id for check in CHECKS if check.strict_only] == ["undeclared-mandatory-input", "witness-declared"]


ITEMS = pointer("/interactions/list/response-body/items")
BOUND_OUTSIDE = {"op": "existence", "operands": [pointer("@/x")]}
LITERAL_ORDERED = {
    "op": "count-tolerance",
    "operands": [{"literal": []}],
    "expected": 1,
    "tolerance": 0,
    "relative": False,
}
BACKREFERENCE = {"op": "regex", "operands": [ITEMS], "pattern": r"^(a)\1$"}


@pytest.mark.parametrize(
    ("operands", "path"),
    [
        ([BACKREFERENCE, LITERAL_ORDERED, BOUND_OUTSIDE], ".operands[2].operands[0]"),
        ([BACKREFERENCE, LITERAL_ORDERED], ".operands[1].operands[0]"),
        ([BACKREFERENCE, for_all(ITEMS, for_all(pointer("@/x"), {"op": "existence", "operands": [pointer("@/")]}))],
         ".operands[0].pattern"),
    ],
)  # fmt: skip
def test_scope_comes_before_operands_before_patterns(operands: list[Document], path: str) -> None:
    document = api_contract()
    check_is({"op": "all", "operands": operands}, "all")(document)
    assert failure_of(document).artifact_path == f"EvalContract.oracles[id=O-001].check{path}"


@pytest.mark.parametrize("first", range(0, len(API_DEFECTS), 3))
@pytest.mark.parametrize("second", range(1, len(API_DEFECTS), 5))
def test_two_defects_report_one_of_the_two_the_same_way_each_time(first: int, second: int) -> None:
    """Whichever comes first in the order; a second defect may also make a third of another kind."""
    document = api_contract()
    try:
        several(API_DEFECTS[first][2], API_DEFECTS[second][2])(document)
    except (KeyError, TypeError, IndexError):
        pytest.skip("one change removes what the other changes")
    reported = [failure_of(copy.deepcopy(document)) for _ in range(2)]
    assert len({(failure.code, failure.artifact_path, failure.detail) for failure in reported}) == 1


def shuffled(value: Any, rng: random.Random) -> Any:
    """The same JSON value with the keys of every object in another order."""
    if isinstance(value, dict):
        items = list(value.items())
        rng.shuffle(items)
        return {key: shuffled(item, rng) for key, item in items}
    return [shuffled(item, rng) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("base", [api_contract, mixed_contract])
def test_key_order_changes_nothing(base: Callable[[], Document], seed: int) -> None:
    document = shuffled(base(), random.Random(seed))
    compiled = compile_contract(document).document
    assert serialize_artifact(compiled, "EvalContract") == serialize_artifact(base(), "EvalContract")


@pytest.mark.parametrize(("code", "path", "change"), API_DEFECTS[::2])
def test_key_order_changes_no_failure(code: str, path: str, change: Change) -> None:
    document = api_contract()
    change(document)
    failure = failure_of(shuffled(document, random.Random(7)))
    assert (failure.code, failure.artifact_path) == (code, path)


def test_bound_keys_are_read_as_written_and_integer_keys_first() -> None:
    document = api_contract()
    body = {"title": {"literal": "a"}, "zz": {"literal": 1}, "aa": {"literal": 1}}
    put("interactionPlan", 0, "inputBinding", "body", to=body)(document)
    assert failure_of(document).artifact_path.endswith('body["zz"]')
    at(document, "interactionPlan", 0, "inputBinding", "body").update({"10": {"literal": 1}, "9": {"literal": 1}})
    assert failure_of(document).artifact_path.endswith('body["9"]')


def test_captures_are_read_by_sorted_key() -> None:
    document = api_contract()
    gone = {"captured": "/interactions/gone/response-body/id"}
    put("interactionPlan", 0, "inputBinding", "body", to={"b": gone, "a": gone})(document)
    assert failure_of(document).artifact_path.endswith('body["a"]')


def test_the_input_is_neither_changed_nor_shared() -> None:
    document = mixed_contract()
    before = json.dumps(document)
    compiled = compile_contract(document)
    assert json.dumps(document) == before
    document["referenceSets"]["notes"]["members"][0]["id"] = "other"
    document["behaviors"][0]["description"] = "other"
    assert compiled.document == json.loads(before)
    assert compiled.reference_sets is not None
    assert compiled.reference_sets["notes"].members[0] == {"id": "n-1"}


def test_compiling_a_compiled_contract_gives_the_same_bytes() -> None:
    once = compile_contract(mixed_contract())
    twice = compile_contract(once.document)
    assert serialize_artifact(twice.document, "EvalContract") == serialize_artifact(once.document, "EvalContract")
    assert compile_contract(once) == once


def test_a_failure_of_the_checks_is_the_same_on_a_parsed_contract() -> None:
    document = api_contract()
    document["waivers"][0]["rule"] = None
    raw = failure_of(document)
    from evalnb.engine.artifacts import EVAL_CONTRACT, read

    with pytest.raises(EvaluationFailure) as caught:
        compile_contract(read(EVAL_CONTRACT, document))
    assert str(caught.value) == str(raw)

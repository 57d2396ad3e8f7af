"""Whatever is done to a contract, the stage answers: the contract, a structural failure or a runtime fault."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from evalnb.engine.compile import compile_contract
from evalnb.engine.faults import RuntimeFault, StructuralFailure
from tests.engine.compile.contracts import Document, api_contract, existence, mixed_contract, pointer

ITEMS = "/interactions/list/response-body/items"
WORDS = [
    "create", "list", "notes", "id", "*", "", "@/", "@/id", "@/x/y", ITEMS, "/interactions/create/response-body/id",
    "/interactions/list/response-status", "/interactions/count/artifact/report/total", "/id", "/*", "expects-hold", "any",
    "type-violating", "for-all", "all", "artifact", "web", "cli", "body", "^a$", "^(?<=a)$", r"^\1$", "^[$", "a@b.cd", "\ud800",
    "__proto__", "constructor", "2026-01-01T00:00:00Z", "sha256:" + "0" * 64,
]  # fmt: skip

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -1, 7, 2**53 - 1, 2**60, 1.5, -0.0, 1e300]),
    st.sampled_from(WORDS),
    st.text(max_size=8),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=6,
)


def operands() -> st.SearchStrategy[Document]:
    pointers = st.sampled_from([word for word in WORDS if word.startswith(("@", "/interactions"))]).map(pointer)
    sets = st.sampled_from([{"referenceSet": "notes"}, {"referenceSet": "constructor"}])
    return pointers | sets | st.sampled_from([{"literal": 1}, {"literal": []}])


def leaves() -> st.SearchStrategy[Document]:
    one = st.tuples(operands()).map(list)
    two = st.tuples(operands(), operands()).map(list)
    return st.one_of(
        st.fixed_dictionaries({"op": st.sampled_from(["existence", "absence"]), "operands": one}),
        st.fixed_dictionaries({"op": st.sampled_from(["equality", "deep-equality", "containment"]), "operands": two}),
        st.fixed_dictionaries(
            {
                "op": st.just("regex"),
                "operands": one,
                "pattern": st.text("ab(?<>=)[]\\1k|*{}", max_size=8).map("^{}$".format),
            }
        ),
        st.fixed_dictionaries(
            {"op": st.just("covers-by-key"), "operands": two, "expectedKey": st.just("id"), "actualKey": st.just("id")}
        ),
        st.fixed_dictionaries(
            {"op": st.just("ordering"), "operands": one, "key": st.just("id"), "order": st.just("ascending")}
        ),
        st.tuples(operands(), st.sampled_from([{"referenceSet": "notes"}, {"literal": ["a"]}])).map(
            lambda pair: {"op": "set-membership", "operands": list(pair)}
        ),
    )


def compounds(inner: st.SearchStrategy[Document]) -> st.SearchStrategy[Document]:
    quantified = {"op": st.sampled_from(["for-all", "for-any"]), "collection": operands(), "predicate": inner}
    several = {"op": st.sampled_from(["all", "any"]), "operands": st.lists(inner, min_size=2, max_size=3)}
    negated = {"op": st.just("not"), "operands": st.tuples(inner).map(list)}
    return st.one_of(*(st.fixed_dictionaries(fields) for fields in (quantified, several, negated)))


expressions = st.recursive(leaves(), compounds, max_leaves=6)


def places(document: Any) -> list[tuple[Any, Any]]:
    """Every (holder, key) of a JSON document."""
    found: list[tuple[Any, Any]] = []
    pending = [document]
    while pending:
        holder = pending.pop()
        children = list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder))
        found += [(holder, key) for key, _ in children]
        pending += [child for _, child in children if isinstance(child, dict | list)]
    return found


@st.composite
def mutated(draw: st.DrawFn) -> Document:
    document = draw(st.sampled_from([api_contract, mixed_contract]))()
    for _ in range(draw(st.integers(1, 3))):
        spots = places(document)
        holder, key = spots[draw(st.integers(0, len(spots) - 1))]
        act = draw(st.sampled_from(["replace", "remove", "same-kind", "graft", "repeat"]))
        if act == "remove":
            del holder[key]
        elif act == "repeat" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        elif act == "graft":
            other, at = spots[draw(st.integers(0, len(spots) - 1))]
            if at in other if isinstance(other, dict) else at < len(other):
                holder[key] = copy.deepcopy(other[at])
        elif act == "same-kind" and isinstance(holder[key], str):
            holder[key] = draw(st.sampled_from(WORDS))
        else:
            holder[key] = draw(values)
    return document


def answers(document: Document, strict: bool) -> str:
    before = json.dumps(document)
    refusal: StructuralFailure | RuntimeFault | None = None
    try:
        compiled = compile_contract(document, strict_inputs=strict)
    except (StructuralFailure, RuntimeFault) as failure:
        refusal = failure
    assert json.dumps(document) == before
    if refusal is None:
        assert json.dumps(compiled.document) == json.dumps(without_proto(document))
        return "compiles"
    assert refusal.artifact_path.startswith("EvalContract")
    return str(refusal)


def without_proto(value: Any) -> Any:
    """The value as parsing leaves it: keys spelled `__proto__` are dropped."""
    if isinstance(value, dict):
        return {key: without_proto(item) for key, item in value.items() if key != "__proto__"}
    return [without_proto(item) for item in value] if isinstance(value, list) else value


quiet = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@quiet
@given(mutated(), st.booleans())
def test_a_mutated_contract_is_answered_the_same_way_twice(document: Document, strict: bool) -> None:
    assert answers(document, strict) == answers(copy.deepcopy(document), strict)


@quiet
@given(expressions)
@example(existence("@/"))
def test_any_expression_that_parses_is_answered(check: Document) -> None:
    document = api_contract()
    document["oracles"][0]["check"] = check
    document["oracles"][0]["direction"] |= {"relation": check["op"], "evidenceTargets": []}
    answers(document, strict=True)
    witness = mixed_contract()
    witness["permittedInterfaces"][1]["operations"][0]["sensitivityWitness"]["relation"] = check
    answers(witness, strict=False)


@quiet
@given(values)
def test_any_json_value_is_answered(value: Any) -> None:
    with pytest.raises(RuntimeFault):
        compile_contract(value)

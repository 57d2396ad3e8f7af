"""How steps are named: by operation and bindings, escalating until those that compete read differently."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.faults import StructuralFailure
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.seal.step_reference import irreducible_steps, step_reference
from tests.engine.seal.documents import (
    api_operation,
    command_operation,
    contract,
    interface,
    pointer,
    step,
    tool_operation,
)

LITERAL, KIND = {"literal": "a"}, {"matcher": "any"}
OPERATIONS = [api_operation(name) for name in ("read-order", "make-order", "pick-one", "pick-two", "bulk-read")]


def index_of(*steps: dict[str, Any], interfaces: list[dict[str, Any]] | None = None) -> PlanIndex:
    permitted = interfaces or [interface("shop", "api", *OPERATIONS)]
    return PlanIndex.build(contract(interactionPlan=list(steps), permittedInterfaces=permitted))


def references(index: PlanIndex, *step_ids: str) -> list[str]:
    steps = [index.require_step(step_id) for step_id in step_ids]
    return [step_reference(one, steps, index) for one in steps]


def pair(first: dict[str, Any], second: dict[str, Any]) -> PlanIndex:
    return index_of(step("one", "read-order", **first), step("two", "read-order", **second))


def test_a_step_alone_is_named_generically() -> None:
    index = index_of(step("one", "read-order", query={"b": LITERAL, "a": KIND}, path={"id": {"principal": "x"}}))
    assert references(index, "one") == [
        "the read order endpoint (with the supplied path id, the supplied query a, and the supplied query b)"
    ]


def test_no_sibling_at_all_is_named_generically() -> None:
    index = index_of(step("one", "read-order"))
    assert step_reference(index.require_step("one"), [], index) == "the read order endpoint"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (
            {"body": {"n": LITERAL}},
            {"body": {"n": {"matcher": "type-violating"}, "m": LITERAL}},
            ["(with the supplied body n)", "(with a malformed body n value)"],
        ),
        (
            {"body": {"n": LITERAL}},
            {"body": {"n": KIND}},
            ["(with the stated body n)", "(with the supplied body n)"],
        ),
        (
            {"body": {"n": {"principal": "ann"}}},
            {"body": {"n": {"principal": "bob"}}},
            ["(with the body n of the ann account)", "(with the body n of the bob account)"],
        ),
        (
            {"body": {"n": {"literal": {"z": 1, "a": [2.5]}}}},
            {"body": {"n": {"literal": None}}},
            ['(with the body n {"a":[2.5],"z":1})', "(with the body n null)"],
        ),
    ],
)
def test_competing_steps_escalate_until_they_differ(first: Any, second: Any, expected: list[str]) -> None:
    assert references(pair(first, second), "one", "two") == [f"the read order endpoint {e}" for e in expected]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {}),
        ({"body": {"n": LITERAL}}, {"body": {"n": LITERAL}}),
        ({"body": {"n": {"literal": {"a": 1, "b": 2}}}}, {"body": {"n": {"literal": {"b": 2, "a": 1}}}}),
        (
            {"body": {"kind": "raw", "base64": "YQ==", "contentType": "text/plain"}},
            {"body": {"kind": "raw", "base64": "Yg==", "contentType": "text/plain"}},
        ),
    ],
    ids=["unbound", "same literal", "key order", "raw bodies"],
)
def test_steps_that_bind_alike_are_irreducible(first: Any, second: Any) -> None:
    index = pair(first, second)
    failure = irreducible_steps([pointer("one", "response-status"), pointer("two", "response-status")], index)
    assert failure is not None
    assert failure.artifact_path == "EvalContract.interactionPlan[operationId=read-order]"
    with pytest.raises(StructuralFailure) as raised:
        references(index, "one", "two")
    assert str(raised.value) == str(failure)


def test_only_steps_of_one_direction_compete() -> None:
    assert irreducible_steps([pointer("one", "response-status")], pair({}, {})) is None


def test_a_shared_operation_id_names_its_interface() -> None:
    index = index_of(
        step("one", "run", on="left", channels=("argument", "option", "environment", "stdin")),
        step("two", "run", on="right", channels=("arguments",)),
        interfaces=[
            interface("left", "cli", command_operation("run", {"kind": "stream", "channel": "stdout"})),
            interface("right", "mcp", tool_operation("run")),
        ],
    )
    assert references(index, "one") == ['the run command of interface "left"']
    assert references(index, "two") == ['the run tool of interface "right"']


def captured(step_id: str, rest: str = "response-body/id") -> dict[str, Any]:
    return {"captured": pointer(step_id, rest)}


def test_captured_values_are_told_by_where_they_came_from() -> None:
    index = index_of(
        step("made-a", "pick-one"),
        step("made-b", "pick-two", body={"n": {"literal": 2}}),
        step("one", "read-order", path={"x": captured("made-a"), "z": captured("made-a", "response-status")}),
        step("two", "read-order", path={"x": captured("made-b"), "z": captured("made-a", "response-status")}),
    )
    assert references(index, "one", "two") == [
        "the read order endpoint (with the path x and path z you obtained as its id field and its transport status "
        "from the pick one endpoint)",
        "the read order endpoint (with the path x you obtained as its id field from the pick two endpoint "
        "(with the body n 2) and the path z you obtained as its transport status from the pick one endpoint)",
    ]


def test_a_capture_that_leads_nowhere_or_back_is_not_followed() -> None:
    index = index_of(
        step("one", "read-order", path={"x": captured("one"), "y": captured("gone")}),
        step("two", "read-order", path={"x": captured("two"), "y": captured("far")}),
        step("far", "pick-one"),
    )
    assert references(index, "one", "two") == [
        "the read order endpoint (with the path x you obtained earlier and the path y you obtained earlier)",
        "the read order endpoint (with the path x you obtained earlier and "
        "the path y you obtained as its id field from the pick one endpoint)",
    ]


def complete_graph(nodes: int, literal: str) -> PlanIndex:
    """Every node captures from all earlier ones and carries a literal; two readers capture from all of them."""
    steps = []
    for number in range(nodes):
        bound = {f"k{earlier:02}": captured(f"n{earlier:02}") for earlier in range(number)}
        steps.append(step(f"n{number:02}", "bulk-read", path=bound or None, body={"blob": {"literal": literal}}))
    everything = {f"k{number:02}": captured(f"n{number:02}") for number in range(nodes)}
    steps += [step(name, "read-order", path=everything, body={"tag": {"literal": name}}) for name in ("one", "two")]
    return index_of(*steps)


@pytest.mark.parametrize(("size", "bound"), [(1, 400_000), (65_536, 400_000), (1_000_000, 1_100_000)])
def test_a_dense_capture_graph_stays_bounded(size: int, bound: int) -> None:
    first, second = references(complete_graph(14, "x" * size), "one", "two")
    assert first != second
    assert len(first) < bound


def test_a_large_unrelated_literal_does_not_hide_a_difference() -> None:
    index = index_of(
        step("bulk", "bulk-read", body={"blob": {"literal": "x" * 150_000}}),
        step("made-a", "pick-one"),
        step("made-b", "pick-two"),
        step("one", "read-order", path={"a": captured("bulk"), "b": captured("made-a")}),
        step("two", "read-order", path={"a": captured("bulk"), "b": captured("made-b")}),
    )
    first, second = references(index, "one", "two")
    assert first.endswith("the path b you obtained as its id field from the pick one endpoint)")
    assert second.endswith("the path b you obtained as its id field from the pick two endpoint)")


def test_a_long_capture_chain_stays_short() -> None:
    keys = ("k0", "k1", "k2", "k3")
    chain = [step("n00", "pick-one")]
    chain += [
        step(
            f"n{link:02}", "bulk-read", path={key: captured(f"n{link - 1:02}", f"response-body/{key}") for key in keys}
        )
        for link in range(1, 14)
    ]
    readers = [
        step(name, "read-order", path={"x": captured("n13", f"response-body/{name}")}) for name in ("one", "two")
    ]
    assert all(len(text) < 10_000 for text in references(index_of(*chain, *readers), "one", "two"))


def test_no_step_id_is_ever_named() -> None:
    index = index_of(
        step("hidden-source", "pick-one"),
        step("hidden-one", "read-order", path={"x": captured("hidden-source")}),
        step("hidden-two", "read-order", path={"x": {"literal": 1}}),
    )
    assert not any("hidden" in text for text in references(index, "hidden-one", "hidden-two"))

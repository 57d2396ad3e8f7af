"""Which observations a step selects: its operation's, narrowed by bindings, captures and the step before it."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.evaluate import (
    bind_step_observations,
    binding_order,
    match_step,
    resolve_captures,
    resolve_temporal_anchor,
    select_observations,
    select_trial,
)
from evalnb.engine.evaluate.selection import CaptureSite
from evalnb.engine.json_values import ABSENT
from evalnb.engine.plan_index import PlanIndex
from tests.engine.evaluate import plans
from tests.engine.evaluate.plans import observation, step


def query(**keys: Any) -> dict[str, Any]:
    return {"query": {key: value if isinstance(value, dict) else {"literal": value} for key, value in keys.items()}}


def sent(**keys: Any) -> dict[str, Any]:
    return {"callInputs": {"query": keys}}


def selected(steps: list[dict[str, Any]], observations: list[Any]) -> dict[str, list[str]]:
    trial = select_trial(plans.plan(steps), observations)
    return {step_id: list(selection.observation_ids) for step_id, selection in trial.selections.items()}


def bound(steps: list[dict[str, Any]], observations: list[Any]) -> dict[str, str]:
    chosen = bind_step_observations(plans.plan(steps), observations)
    return {step_id: one.observation_id for step_id, one in chosen.items()}


THREE = [observation("c", 9), observation("b", 5), observation("a", 7), observation("w", 1, "write-note")]


def test_order_is_by_sequence_not_by_place() -> None:
    assert selected([step("read")], THREE) == {"read": ["b", "a", "c"]}


def test_equal_sequences_are_ordered_by_identifier() -> None:
    assert selected([step("read")], [observation("z", 1), observation("a", 1)]) == {"read": ["a", "z"]}


@pytest.mark.parametrize(("cardinality", "chosen"), [("any", {"read": "b"}), ("exactly-one", {}), ("at-most-one", {})])
def test_several_bind_only_where_any_will_do(cardinality: str, chosen: dict[str, str]) -> None:
    assert bound([step("read", cardinality=cardinality)], THREE) == chosen


@pytest.mark.parametrize("cardinality", ["any", "exactly-one", "at-most-one"])
def test_one_binds_and_none_does_not(cardinality: str) -> None:
    steps = [
        step("write", "write-note", cardinality=cardinality),
        step("gone", "no-such", cardinality=cardinality),
    ]
    assert bound(steps, THREE) == {"write": "w"}


def test_another_interface_with_the_same_operation_is_another_operation() -> None:
    other = observation("o", 1, interfaceId="notes-v2")
    assert selected([step("read")], [other]) == {"read": []}


@pytest.mark.parametrize(
    ("binding", "call", "admitted"),
    [
        (query(limit=2), sent(limit=2), True),
        (query(limit=2), sent(limit=2.0, more=1), True),
        (query(limit=2), sent(limit="2"), False),
        (query(limit=2), sent(other=2), False),
        (query(limit=2), {}, False),
        (query(id={"literal": {"a": [1]}}), sent(id={"a": [1]}), True),
        (query(limit={"matcher": "any"}), sent(limit=None), True),
        (query(limit={"matcher": "any"}), sent(), False),
        (query(limit={"matcher": "type-violating"}), sent(limit="many"), True),
        (query(limit={"matcher": "type-violating"}), sent(limit=2), False),
        (query(id={"matcher": "type-violating"}), sent(id=2), False),
        (query(other={"matcher": "type-violating"}), sent(other=2), False),
        (query(id={"principal": "owner"}), {**sent(id="x"), "principal": "owner"}, True),
        (query(id={"principal": "owner"}), {**sent(id="x"), "principal": "guest"}, False),
        (query(id={"principal": "owner"}), sent(id="x"), False),
        ({}, {}, True),
    ],
)
def test_a_binding_admits_the_calls_it_describes(binding: dict[str, Any], call: dict[str, Any], admitted: bool) -> None:
    assert selected([step("read", binding=binding)], [observation("a", 1, **call)]) == {
        "read": ["a"] if admitted else []
    }


RAW = {"kind": "raw", "base64": "e30=", "contentType": "application/json"}


@pytest.mark.parametrize(
    ("inputs", "admitted"),
    [
        ({"body": RAW, "bodyEncoding": "raw"}, True),
        ({"body": RAW, "bodyEncoding": None}, False),
        ({"body": {**RAW, "base64": ""}, "bodyEncoding": "raw"}, False),
        ({"body": None, "bodyEncoding": None}, False),
    ],
)
def test_a_raw_body_is_only_found_among_raw_calls(inputs: dict[str, Any], admitted: bool) -> None:
    chosen = selected([step("read", binding={"body": RAW})], [observation("a", 1, callInputs=inputs)])
    assert chosen == {"read": ["a"] if admitted else []}


def test_a_step_sees_only_what_came_after_the_step_it_follows() -> None:
    steps = [step("write", "write-note"), step("read", after="write", cardinality="any")]
    observations = [observation("early", 1), observation("w", 3, "write-note"), observation("late", 4)]
    assert selected(steps, observations) == {"write": ["w"], "read": ["late"]}
    assert selected(steps, observations[:1]) == {"write": [], "read": []}


@pytest.mark.parametrize(("cardinality", "late"), [("any", ["b", "c"]), ("exactly-one", [])])
def test_an_ambiguous_anchor_is_a_floor_only_where_any_will_do(cardinality: str, late: list[str]) -> None:
    steps = [
        step("write", "write-note", cardinality=cardinality),
        step("read", after="write", cardinality="any"),
    ]
    observations = [
        observation("a", 1),
        observation("w1", 2, "write-note"),
        observation("b", 3),
        observation("w2", 4, "write-note"),
        observation("c", 5),
    ]
    assert selected(steps, observations)["read"] == late


def test_the_anchor_is_selected_by_its_own_bindings_and_its_own_anchor() -> None:
    steps = [
        step("first", binding=query(id="1")),
        step("second", binding=query(id="2"), after="first"),
        step("third", "write-note", after="second"),
    ]
    observations = [
        observation("x", 1, **sent(id="2")),
        observation("a", 2, **sent(id="1")),
        observation("v", 3, "write-note"),
        observation("b", 4, **sent(id="2")),
        observation("w", 5, "write-note"),
    ]
    assert selected(steps, observations) == {"first": ["a"], "second": ["b"], "third": ["w"]}


def test_an_undeclared_anchor_restricts_nothing() -> None:
    assert selected([step("read", after="nowhere")], [observation("a", 1)]) == {"read": ["a"]}


@pytest.mark.parametrize(
    "steps",
    [
        [step("read", after="read")],
        [step("read", after="write"), step("write", "write-note", after="read")],
    ],
)
def test_steps_that_wait_for_each_other_select_nothing(steps: list[dict[str, Any]]) -> None:
    chosen = selected(steps, [observation("a", 1), observation("w", 2, "write-note")])
    assert all(ids == [] for ids in chosen.values())


def test_a_chain_of_anchors_may_be_long() -> None:
    count = 3000
    steps = [step(f"s{index}", after=f"s{index + 1}") for index in range(count)]
    plan = plans.plan([*steps, step(f"s{count}")])
    index = PlanIndex.build(plan)
    assert select_observations(plan.interaction_plan[0], [observation("a", 1)], index, {}).result == "none"


CAPTURING = [
    step("write", "write-note"),
    step("read", binding=query(id={"captured": "/interactions/write/response-body/id"})),
]


def test_a_captured_value_is_looked_for_after_its_source() -> None:
    observations = [
        observation("before", 1, **sent(id="n-1")),
        observation("w", 2, "write-note", responseBody={"id": "n-1"}),
        observation("other", 3, **sent(id="n-2")),
        observation("after", 4, **sent(id="n-1")),
    ]
    assert selected(CAPTURING, observations) == {"write": ["w"], "read": ["after"]}


def captured(steps: list[dict[str, Any]], observations: list[Any]) -> Any:
    plan = plans.plan(steps)
    return resolve_captures(plan, observations, PlanIndex.build(plan)).get(CaptureSite("read", "query", "id"))


def test_a_capture_is_resolved_even_where_its_pointer_leads_nowhere() -> None:
    observations = [observation("w", 2, "write-note"), observation("a", 4, **sent(id=None))]
    capture = captured(CAPTURING, observations)
    assert (capture.status, capture.observation_id, capture.sequence) == ("resolved", "w", 2)
    assert capture.value is ABSENT
    assert selected(CAPTURING, observations)["read"] == []


@pytest.mark.parametrize(
    ("observations", "status"),
    [
        ([], "absent"),
        ([observation("w1", 1, "write-note"), observation("w2", 2, "write-note")], "ambiguous"),
    ],
)
def test_a_capture_without_one_source_is_not_resolved(observations: list[Any], status: str) -> None:
    assert captured(CAPTURING, observations).status == status
    assert selected(CAPTURING, [*observations, observation("a", 9, **sent(id=1))])["read"] == []


def test_a_capture_from_an_undeclared_step_is_absent() -> None:
    steps = [step("read", binding=query(id={"captured": "/interactions/nowhere/response-body/id"}))]
    assert captured(steps, [observation("a", 1)]).status == "absent"


def test_a_step_that_captures_from_itself_has_no_captures() -> None:
    steps = [step("read", binding=query(id={"captured": "/interactions/read/response-body/id"}))]
    assert captured(steps, [observation("a", 1, **sent(id=1))]) is None
    assert selected(steps, [observation("a", 1, **sent(id=1))]) == {"read": []}


def test_the_binding_order_has_tiers_in_plan_order() -> None:
    steps = [
        step("last", binding=query(id={"captured": "/interactions/middle/response-body/id"})),
        step("middle", after="first"),
        step("first"),
        step("beside"),
        step("dangling", after="nowhere"),
        step("loop", after="pool"),
        step("pool", after="loop"),
        step("waits", after="loop"),
    ]
    order = binding_order(plans.plan(steps).interaction_plan)
    assert order.tiers == (("first", "beside", "dangling"), ("middle",), ("last",))
    assert order.cyclic == ("loop", "pool", "waits")


def test_a_repeated_step_id_keeps_its_last_selection() -> None:
    steps = [step("read", binding=query(id="1")), step("read", binding=query(id="2"))]
    observations = [observation("a", 1, **sent(id="1")), observation("b", 2, **sent(id="2"))]
    assert selected(steps, observations) == {"read": ["b"]}
    assert bound(steps, observations) == {"read": "b"}


def test_of_two_observations_with_one_identifier_evidence_is_the_last_and_a_floor_the_first() -> None:
    steps = [step("write", "write-note", cardinality="any"), step("read", after="write", cardinality="any")]
    observations = [
        observation("w", 2, "write-note", responseBody="first"),
        observation("w", 8, "write-note", responseBody="last"),
        observation("r", 5),
    ]
    trial = select_trial(plans.plan(steps), observations)
    assert trial.step_observations["write"].response_body == "last"
    assert trial.selections["read"].observation_ids == ("r",)


@pytest.mark.parametrize(
    ("cardinality", "result", "chosen"), [("any", "resolved", "b"), ("exactly-one", "several", None)]
)
def test_a_temporal_anchor_by_operation_alone(cardinality: str, result: str, chosen: str | None) -> None:
    (anchor,) = plans.plan([step("read", cardinality=cardinality)]).interaction_plan
    resolution = resolve_temporal_anchor(anchor, THREE)
    assert (resolution.result, resolution.observation_id) == (result, chosen)
    assert resolve_temporal_anchor(anchor, []).result == "none"
    assert match_step(anchor, THREE).result == "several"

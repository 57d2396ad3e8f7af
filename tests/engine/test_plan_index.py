"""Looking up steps and operations: a duplicate is never guessed at."""

from __future__ import annotations

import pytest

from evalnb.engine.artifacts import UNRESOLVED_INTERFACE
from evalnb.engine.plan_index import PlanIndex
from tests.engine.evaluate import plans

STEPS = [
    plans.step("read"),
    plans.step("again"),
    plans.step("write", "write-note"),
    plans.step("lost", "nothing"),
]
ALONE = plans.plan(STEPS)
TWICE = plans.plan([*STEPS, plans.step("read", "write-note")], [*plans.api(), *plans.api("read-note")])
SHARED = plans.plan(STEPS, [*plans.api(), *plans.api("read-note", logical_id="notes-v2")])


def test_a_step_leads_to_its_operation() -> None:
    index = PlanIndex.build(ALONE)
    declared = index.operation_of_step("read")
    assert declared is not None
    assert (declared.interface_id, declared.interface_kind) == ("notes-api", "api")
    assert declared.operation.operation_id == "read-note"
    assert index.operation_of_step("lost") is None
    assert index.operation_of_step("unknown") is None
    assert index.interface_kind("notes-api") == "api"
    assert index.interface_kind("other") is None


def test_a_duplicate_resolves_to_nothing() -> None:
    index = PlanIndex.build(TWICE)
    assert index.step("read") is None
    assert index.operation("notes-api", "read-note") is None
    assert index.is_operation_duplicated("notes-api", "read-note")
    assert not index.is_operation_duplicated("notes-api", "write-note")
    assert index.operation("notes-api", "write-note") is not None


def test_a_third_occurrence_does_not_resolve_either() -> None:
    thrice = plans.plan([plans.step("read")] * 3, plans.api("read-note") * 3)
    index = PlanIndex.build(thrice)
    assert index.step("read") is None
    assert index.operation("notes-api", "read-note") is None


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (plans.plan([plans.step("read")] * 2), "duplicate interaction step id: read"),
        (
            plans.plan([], plans.api("read-note") * 2),
            "duplicate operation id within interface notes-api: read-note",
        ),
    ],
)
def test_a_duplicate_can_be_refused(plan: plans.Plan, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        PlanIndex.build(plan, duplicates="throw")  # type: ignore[arg-type]


def test_two_interfaces_may_share_an_operation_id() -> None:
    index = PlanIndex.build(SHARED, duplicates="throw")
    assert index.operation("notes-v2", "read-note") is not None
    assert index.is_operation_id_shared("read-note")
    assert not index.is_operation_id_shared("write-note")
    assert not PlanIndex.build(TWICE).is_operation_id_shared("read-note")


def test_the_steps_of_an_operation_come_in_plan_order_duplicates_included() -> None:
    index = PlanIndex.build(TWICE)
    assert [step.step_id for step in index.steps_using("notes-api", "read-note")] == ["read", "again"]
    assert [step.step_id for step in index.steps_using("notes-api", "write-note")] == ["write", "read"]
    assert index.steps_using("notes-v2", "read-note") == []


def test_what_does_not_resolve_says_why() -> None:
    index = PlanIndex.build(TWICE)
    _, again, _, lost, _ = TWICE.interaction_plan
    with pytest.raises(TypeError, match=r"does not declare: read$"):
        index.require_step("read")
    with pytest.raises(TypeError, match='"nothing" on interface "notes-api", which that interface does not declare'):
        index.require_operation_of(lost)
    assert index.undeclared_clause(again) == 'on interface "notes-api", which that interface declares more than once'


def test_a_step_without_an_interface_uses_no_operation() -> None:
    """A bare operation of an older contract that two interfaces declare refers to nothing."""
    (step,) = plans.plan([plans.step("read")]).interaction_plan
    bare = step.model_copy(update={"interface_id": UNRESOLVED_INTERFACE})
    index = PlanIndex.of([bare], ALONE.permitted_interfaces)
    assert index.operation_of_step("read") is None
    assert index.steps_using(UNRESOLVED_INTERFACE, "read-note") == []

"""The scripting bound, at each limit and one past it."""

from __future__ import annotations

import pytest

from evalnb.engine.artifacts import EVAL_CONTRACT, InteractionStep, read
from evalnb.engine.compile.plan import check_scripting_bound, check_temporal_clauses
from evalnb.engine.faults import StructuralFailure
from tests.engine.compile.contracts import api_contract, step


def plan(*links: str) -> tuple[InteractionStep, ...]:
    """Steps written `id` or `id<after`."""
    steps = []
    for link in links:
        step_id, _, after = link.partition("<")
        steps.append(step(step_id, "list-notes", after=after or None))
    contract = read(EVAL_CONTRACT, api_contract() | {"interactionPlan": steps})
    return tuple(contract.interaction_plan)


def fan(anchor: str, width: int) -> list[str]:
    return [anchor, *(f"{anchor}-{n}<{anchor}" for n in range(width))]


def flat(groups: list[list[str]]) -> list[str]:
    return [link for group in groups for link in group]


@pytest.mark.parametrize(
    "links",
    [
        [],
        fan("a", 2),
        flat([fan("a", 2), fan("b", 2)]),
        flat([fan(anchor, 1) for anchor in "abcd"]),
        [f"s{n}" for n in range(16)],
        ["a<gone", "b<a"],
        ["a<b", "b"],
    ],
)
def test_a_plan_at_the_bound_passes(links: list[str]) -> None:
    check_temporal_clauses(plan(*links))
    check_scripting_bound(plan(*links))


@pytest.mark.parametrize(
    ("links", "detail"),
    [
        (["a", "b<a", "c<b"], "one-level bound"),
        (["a<a"], "one-level bound"),
        (["a<b", "b<a"], "one-level bound"),
        (fan("a", 3), "anchors 3 other steps"),
        (flat([fan("a", 2), fan("b", 2), fan("c", 2)]), "3 steps each anchor"),
        (flat([fan(anchor, 1) for anchor in "abcde"]), "5 mutually disjoint"),
        ([f"s{n}" for n in range(17)], "declares 17 steps"),
        # The first violated bound is the one reported.
        ([*fan("a", 3), *(f"s{n}" for n in range(17))], "anchors 3 other steps"),
    ],
)
def test_a_plan_past_the_bound_says_which(links: list[str], detail: str) -> None:
    with pytest.raises(StructuralFailure) as caught:
        check_scripting_bound(plan(*links))
    assert caught.value.code == "plan-exceeds-scripting-bound"
    assert detail in caught.value.detail


@pytest.mark.parametrize(("links", "reported"), [(["a", "c<b", "b<a"], "c"), (["a<a"], "a"), (["a<b", "b<a"], "a")])
def test_the_first_nested_clause_is_reported(links: list[str], reported: str) -> None:
    with pytest.raises(StructuralFailure) as caught:
        check_temporal_clauses(plan(*links))
    assert caught.value.artifact_path == f"EvalContract.interactionPlan[stepId={reported}].after"


def test_a_repeated_step_id_anchors_nothing() -> None:
    check_temporal_clauses(plan("a", "a", "b<a", "c<b"))

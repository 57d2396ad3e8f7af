"""What a direction reads: a phrase a channel, steps grouped, and an order of its own."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.seal.evidence_clause import evidence_clause
from tests.engine.seal.documents import api_operation, contract, interface, pointer, step

OPERATIONS = [api_operation(name) for name in ("op-a", "op-b", "op-c", "op-d", "op-e")]


def index_of(*steps: dict[str, Any]) -> PlanIndex:
    return PlanIndex.build(
        contract(interactionPlan=list(steps), permittedInterfaces=[interface("shop", "api", *OPERATIONS)])
    )


def chain(*after: str | None) -> PlanIndex:
    """Steps a, b, c, ... in that order, each following the step given."""
    return index_of(*(step(name, f"op-{name}", after=prior) for name, prior in zip("abcde", after, strict=False)))


def clause(index: PlanIndex, *rests: str) -> str:
    return evidence_clause([f"/interactions/{rest}" for rest in rests], index)


@pytest.mark.parametrize(
    ("rest", "phrase"),
    [
        ("response-status", "its transport status from"),
        ("exit-code", "its exit code from"),
        ("call-inputs/body/a/b", "the body a.b value you sent to"),
        ("call-inputs/arguments", "the arguments you sent to"),
        ("response-body/a//b~1c", "its a.b/c field from"),
        ("response-body/", "the response body you obtained from"),
        ("response-headers/etag", "its etag header from"),
        ("response-headers", "the response headers you obtained from"),
        ("stdout/0", "the 0 field of its standard output from"),
        ("stdout", "the standard output you obtained from"),
        ("stderr/x", "the x field of its standard error from"),
        ("stderr", "the standard error you obtained from"),
        ("artifact/report/x", "the x field of the report it wrote from"),
        ("artifact/report", "the report it wrote from"),
    ],
)
def test_each_channel_has_its_phrase(rest: str, phrase: str) -> None:
    assert clause(chain(None), f"a/{rest}") == f"{phrase} the op a endpoint"


def test_several_targets_of_a_step_are_listed_once_and_sorted() -> None:
    text = clause(chain(None), "a/response-status", "a/response-body/z", "a/response-body/b", "a/response-status")
    assert text == "the op a endpoint: its b field, its transport status, and its z field"


def test_a_step_read_after_another_is_compared_with_it() -> None:
    text = clause(chain(None, "a"), "a/call-inputs/body/n", "b/response-body/n")
    assert text == "the body n value you sent to the op a endpoint, compared with its n field from the op b endpoint"


@pytest.mark.parametrize(
    ("rest_a", "rest_b", "first"),
    [
        ("response-body/n", "call-inputs/body/n", "the body n value you sent to the op b endpoint"),
        ("response-body/z", "response-body/a", "its a field from the op b endpoint"),
        ("response-body/n", "response-body/n", "its n field from the op a endpoint"),
    ],
)
def test_what_was_sent_or_sorts_first_leads_a_pair(rest_a: str, rest_b: str, first: str) -> None:
    assert clause(chain(None, "a"), f"a/{rest_a}", f"b/{rest_b}").startswith(f"{first}, compared with ")


def test_a_step_read_twice_is_never_paired() -> None:
    text = clause(chain(None, "a"), "a/response-status", "b/response-status", "b/response-body/n")
    assert "compared with" not in text


@pytest.mark.parametrize(
    ("after", "pairs"),
    [
        ((None, "a", "a"), [("a", "b")]),
        ((None, "a", "b"), [("a", "b")]),
        ((None, "a", "b", "c"), [("a", "b"), ("c", "d")]),
        ((None, "a", "b", "c", "d"), [("a", "b"), ("c", "d")]),
        (("b", None), [("b", "a")]),
        (("b", "a"), []),
        (("a",), []),
        (("b", "a", "a"), []),
        (("gone", None), []),
    ],
    ids=["shared", "three", "four", "five", "backwards", "cycle", "itself", "beside a cycle", "dangling"],
)
def test_which_steps_are_paired(after: tuple[str | None, ...], pairs: list[tuple[str, str]]) -> None:
    names = "abcde"[: len(after)]
    text = clause(chain(*after), *(f"{name}/response-body/{name}" for name in names))
    assert text.count("compared with") == len(pairs)
    for members in pairs:
        first, second = sorted(members)
        assert (
            f"its {first} field from the op {first} endpoint, compared with its {second} field from the op {second}"
            in text
        )


def test_the_order_of_targets_steps_and_interfaces_does_not_matter() -> None:
    steps = [step("a", "op-a"), step("b", "op-b", after="a"), step("c", "op-c", body={"n": {"literal": 1}})]
    targets = [pointer("a", "response-status"), pointer("b", "response-body/x"), pointer("c", "response-status")]
    texts = {
        evidence_clause(shown, index_of(*planned))
        for shown in itertools.permutations(targets)
        for planned in itertools.permutations(steps)
    }
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            pointer("gone", "response-status"),
            "evidence target names a step the interaction plan does not declare: gone",
        ),
        (pointer("a", "response-status/x"), "not an interaction-rooted evidence pointer of a recognized channel: "),
        (
            pointer("lost", "response-status"),
            'step names operation "op-z" on interface "shop", which that interface does not declare',
        ),
    ],
)
def test_evidence_that_resolves_to_nothing_is_a_programming_error(target: str, message: str) -> None:
    index = index_of(step("a", "op-a"), step("lost", "op-z"))
    with pytest.raises(TypeError) as error:
        evidence_clause([target], index)
    assert str(error.value).startswith(message)

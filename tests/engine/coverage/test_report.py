"""Gaps and their severity, and the Markdown account of a corpus."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from evalnb.engine.coverage import RULES, coverage, coverage_gaps, coverage_severity
from evalnb.engine.coverage.predicate_table import Cell, coverage_predicate_table
from tests.engine.seal.documents import (
    api_operation,
    behavior,
    contract,
    interface,
    oracle,
    pointer,
    response,
    step,
)

WAIVER = {
    "id": "W-001",
    "rule": "per-record",
    "rationale": "r",
    "condition": None,
    "approval": "a",
    "expiresAt": "2030-01-01T00:00:00Z",
}


def test_the_rules_keep_their_order() -> None:
    assert [entry.rule for entry in coverage(contract()).rules] == [
        "success-indicator-separation",
        "whole-body",
        "malformed-input",
        "per-record",
        "sibling-cross-check",
        "omission-and-completeness",
        "state-change-read-back",
    ]


def test_a_contract_that_declares_everything_empty_has_no_gap() -> None:
    assert coverage_gaps(contract()) == ()


def test_a_gap_is_recorded_with_its_predicates_and_no_reason() -> None:
    [gap] = coverage_gaps(contract(siblingGroups=None))
    assert gap.model_dump(by_alias=True) == {
        "rule": "sibling-cross-check",
        "relevancePredicate": "sibling-cross-check-relevance",
        "satisfactionPredicate": "sibling-cross-check-satisfaction",
        "satisfied": False,
        "severity": "material",
    }


@pytest.mark.parametrize(
    ("severities", "highest"),
    [(["low"], "low"), (["low", "material"], "material"), (["critical", "low"], "critical")],
)
def test_every_gap_carries_the_highest_severity_of_the_behaviours(severities: list[str], highest: str) -> None:
    behaviors = [behavior(number, severity) for number, severity in enumerate(severities, start=1)]
    judged = contract(behaviors=behaviors, permittedInterfaces=[], siblingGroups=None)
    assert coverage_severity(judged) == highest
    gaps = coverage_gaps(judged)
    assert len(gaps) == len(RULES)
    assert {gap.severity for gap in gaps} == {highest}


def test_waivers_change_nothing() -> None:
    fields: dict[str, Any] = {"permittedInterfaces": [], "siblingGroups": None}
    assert coverage(contract(waivers=[WAIVER], **fields)) == coverage(contract(**fields))


def test_judging_is_repeatable_and_leaves_the_contract_alone() -> None:
    judged = contract(siblingGroups=None)
    before = copy.deepcopy(judged.document)
    assert coverage(judged) == coverage(judged)
    assert judged.document == before


def test_an_unknown_rule_is_not_found() -> None:
    with pytest.raises(KeyError):
        coverage(contract()).of("no-such-rule")  # type: ignore[arg-type]


ITEMS = pointer("see", "response-body/items")
SENT = pointer("make", "call-inputs/body/n")


def witnessing(contract_id: str, oracles: list[dict[str, Any]]) -> Any:
    """A contract on which every rule fires; the six oracles of `witnesses` satisfy them all."""
    location = {
        "pointer": "/items",
        "expectedCardinality": {"mode": "exact", "count": 1},
        "referenceSet": "known",
    }
    descriptor = response(
        "ok",
        "items",
        channelRoles={"/ok": "success-indicator", "/a|b": "payload"},
        collectionLocations=[location],
    )
    making = api_operation("make-order", changes=True, body_keys=["n"])
    return contract(
        contractId=contract_id,
        permittedInterfaces=[
            interface("shop", "api", api_operation("read-order", responseDescriptor=descriptor), making)
        ],
        interactionPlan=[
            step("make", "make-order", body={"n": {"matcher": "type-violating"}}),
            step("see", "read-order", after="make"),
        ],
        siblingGroups={
            "operations": [
                [
                    {"interfaceId": "shop", "operationId": "make-order"},
                    {"interfaceId": "shop", "operationId": "read-order"},
                ]
            ],
            "parameters": [],
        },
        oracles=oracles,
    )


def witnesses() -> list[dict[str, Any]]:
    body = [pointer("see", f"response-body/{key}") for key in ("ok", "items", "a|b")]
    for_all = {
        "op": "for-all",
        "collection": {"pointer": ITEMS},
        "predicate": {"op": "existence", "operands": [{"pointer": "@/id"}]},
    }
    covers = {
        "op": "covers-by-key",
        "operands": [{"referenceSet": "known"}, {"pointer": ITEMS}],
        "expectedKey": "id",
        "actualKey": "id",
    }
    equal = {"op": "equality", "operands": [{"pointer": SENT}, {"pointer": ITEMS}]}
    return [
        oracle(1, *body),
        oracle(2, ITEMS, check=for_all),
        oracle(3, ITEMS, check=covers),
        oracle(4, SENT, ITEMS, check=equal),
    ]


def corpus() -> list[Any]:
    absent_operations = contract(contractId="absent", permittedInterfaces=[], siblingGroups=None)
    return [
        absent_operations,
        contract(contractId="empty"),
        witnessing("witnessed", witnesses()),
        witnessing("unwitnessed", []),
    ]


def cells() -> list[Cell]:
    states = {
        "absent": "absent",
        "explicitly empty": "empty",
        "witnessed": "witnessed",
        "unwitnessed": "unwitnessed",
    }
    return [Cell(rule.id, state, name) for rule in RULES for state, name in states.items()]  # type: ignore[arg-type]


def test_the_table_lists_predicates_states_gaps_and_the_matrix() -> None:
    table = coverage_predicate_table(corpus(), cells())
    assert [line for line in table.splitlines() if line.startswith("#")] == [
        "# Coverage predicates",
        "## The fourteen predicates",
        "## Declaration-state coverage",
        "## Coverage gaps",
        "## The full matrix",
    ]
    assert table.endswith("|\n")
    assert "| `per-record` | `per-record-relevance` | `per-record-satisfaction` |" in table
    assert "| `whole-body` | `absent` | `empty` | `witnessed` | `unwitnessed` |" in table
    assert "gives pointer /a\\|b a channel role" in table
    assert table.count("| yes | no | yes |") == 2 * len(RULES)
    assert table == coverage_predicate_table(corpus(), cells())


@pytest.mark.parametrize(
    ("contracts", "shown", "message"),
    [
        ([*corpus(), contract(contractId="empty")], cells(), "two corpus contracts share the identifier empty"),
        (
            corpus()[:3],
            cells(),
            "cell success-indicator-separation/unwitnessed names contract unwitnessed, which the corpus does not carry",
        ),
        (corpus(), cells()[1:], "no corpus contract occupies cell success-indicator-separation/absent"),
        (
            corpus(),
            [*cells(), Cell("per-record", "absent", "unwitnessed")],
            "the corpus occupies cell per-record/absent more than once (absent, unwitnessed)",
        ),
        (
            corpus(),
            [Cell("success-indicator-separation", "absent", "empty"), *cells()[1:]],
            "empty places success-indicator-separation at relevant=false/satisfied=true, "
            "but cell absent asserts relevant=true/satisfied=false",
        ),
    ],
)
def test_a_corpus_that_does_not_show_its_cells_is_refused(contracts: Any, shown: Any, message: str) -> None:
    with pytest.raises(ValueError) as refusal:
        coverage_predicate_table(contracts, shown)
    assert str(refusal.value) == f"coveragePredicateTable: {message}"

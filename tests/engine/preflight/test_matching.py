"""Observations against a plan: order never matters, and answers that do not fit are faults, not verdicts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.faults import RuntimeFault
from evalnb.engine.preflight import preflight_from_observations
from tests.engine.preflight.subjects import (
    LIST_FAULT,
    Document,
    api_answer,
    defect,
    list_answers,
    mcp_answer,
    seeded_probe,
    things,
)

PROBES = [seeded_probe(defect("D-001", LIST_FAULT))]


def reduced(observations: list[Document]) -> Any:
    return preflight_from_observations(things(), PROBES, "run-1", observations).document


def fault(observations: list[Document]) -> RuntimeFault:
    with pytest.raises(RuntimeFault) as caught:
        reduced(observations)
    assert (caught.value.code, caught.value.artifact_path) == ("port-contract-violation", "PreflightVerdict")
    return caught.value


@given(st.permutations(list_answers()))
def test_the_order_of_observations_never_matters(observations: list[Document]) -> None:
    assert reduced(observations) == reduced(list_answers())


def test_an_observation_that_no_leg_asked_for_is_left_out() -> None:
    assert reduced([*list_answers(), api_answer("stranger", "list", 1)]) == reduced(list_answers())


@pytest.mark.parametrize("leg", ["list-a", "stranger"])
def test_a_probe_id_echoed_twice_is_a_fault_planned_or_not(leg: str) -> None:
    answer = api_answer(leg, "list", 1)
    others = [one for one in list_answers() if one["probeId"] != leg]
    assert leg in fault([*others, answer, answer]).detail


def test_an_answer_of_another_kind_is_a_fault() -> None:
    detail = fault(list_answers(**{"list-a": mcp_answer("list-a", "list")})).detail
    assert "list-a" in detail
    assert '"api"' in detail
    assert '"mcp"' in detail


@pytest.mark.parametrize("observations", [[], [api_answer("stranger", "list", 1)]])
def test_no_answered_leg_at_all_is_a_fault(observations: list[Document]) -> None:
    expected = "no observation echoed any of the 5 planned probe ids, so no fixture was observed"
    assert fault(observations).detail == expected


def test_one_answered_leg_is_enough_for_a_failed_verdict() -> None:
    verdict = reduced(list_answers()[:1])
    assert verdict["passed"] is False
    assert verdict["fixtureDigest"].startswith("sha256:")


def test_a_header_does_not_change_the_fixture_and_a_status_does() -> None:
    def digest(**fields: Any) -> str:
        answer = api_answer("list-a", "list", [{"id": 1}], **fields)
        return str(reduced(list_answers(**{"list-a": answer}))["fixtureDigest"])

    assert digest(headers={"x": "1"}) == digest(headers={"x": "2"})
    assert digest(status=200) != digest(status=201)

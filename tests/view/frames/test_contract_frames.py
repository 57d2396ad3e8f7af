"""Contracts as frames: what they claim, may reach, and leave unseen, and how many of them compile."""

from __future__ import annotations

from pathlib import Path

import pytest

import evalnb as ev
from evalnb.engine.artifacts import EvalContract
from evalnb.view import frames


@pytest.fixture(scope="module")
def calendar() -> EvalContract:
    return ev.compile(ev.example("meeting-calendar"))


def test_a_behavior_names_its_oracles(contract: EvalContract) -> None:
    row = frames.behaviors(contract).set_index("behavior_id").loc["B-001"]
    assert (row["severity"], row["oracle_count"], row["oracle_ids"]) == ("critical", 1, "O-001")


def test_an_oracle_carries_its_prose_and_what_it_reads(contract: EvalContract) -> None:
    row = frames.oracles(contract).set_index("oracle_id").loc["O-002"]
    assert (row["behavior_ids"], row["severity"], row["relation"], row["operator"]) == (
        "B-002",
        "critical",
        "equality",
        "all",
    )
    assert row["step_ids"] == "open-hazard, read-opened"
    assert row["direction"].startswith("The get ticket endpoint")
    assert row["check"].startswith('{"op":"all"')


def test_an_oracle_whose_direction_cannot_be_said_has_none(contract: EvalContract) -> None:
    oracle = contract.oracles[0]
    assert oracle.direction is not None
    nowhere = oracle.direction.model_copy(update={"evidence_targets": ("/interactions/nowhere/response-body",)})
    broken = contract.model_copy(update={"oracles": (oracle.model_copy(update={"direction": nowhere}),)})
    assert frames.oracles(broken)["direction"].isna().all()


def test_an_operation_says_how_it_is_called(contract: EvalContract, calendar: EvalContract) -> None:
    row = frames.operations(contract).set_index("operation_id").loc["get-ticket"]
    assert (row["target"], row["required_inputs"], row["step_count"]) == ("GET /tickets/{ticketId}", "path.ticketId", 3)
    tools = frames.operations(calendar)
    assert set(tools["interface_kind"]) == {"mcp"}
    assert not tools["target"].str.contains(" ").any()


def test_a_step_says_what_it_sends_and_who_reads_it(contract: EvalContract) -> None:
    steps = frames.steps(contract).set_index("step_id")
    assert steps.loc["list-open", "inputs"] == 'query.status = "open", query.limit = 20'
    assert steps.loc["list-open", "after"] == "restore-monday"
    assert steps.loc["restore-monday", "oracle_ids"] == "O-008"
    captured = steps.loc["read-opened"]
    assert captured["captures"].startswith("/interactions/open-hazard/")
    assert f"<from {captured['captures']}>" in captured["inputs"]


def test_a_gap_gives_the_reason_of_its_satisfaction(contract: EvalContract) -> None:
    silent = contract.model_copy(update={"oracles": ()})
    rows = frames.coverage({"as it is": contract, "without oracles": silent}).set_index(["contract", "rule"])
    seen, unseen = rows.loc[("as it is", "whole-body")], rows.loc[("without oracles", "whole-body")]
    assert (seen["status"], unseen["status"]) == ("witnessed", "gap")
    assert unseen["reason"] == unseen["satisfaction_reason"]
    assert len(rows) == 14


def test_contracts_of_one_id_are_told_apart(contract: EvalContract) -> None:
    assert frames.coverage([contract, contract])["contract"].unique().tolist() == [
        "support-desk-triage",
        "support-desk-triage (2)",
    ]


def test_a_failure_to_compile_is_a_row(contract: EvalContract, tmp_path: Path) -> None:
    refused = {**contract.document, "interactionPlan": []}
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    found = frames.compile_results(
        {"good": contract.document, "refused": refused, "not a contract": {}, "broken": tmp_path / "broken.json"}
    ).set_index("source")
    assert found["status"].tolist() == ["compiled", "refused", "unreadable", "unreadable"]
    assert (found.loc["good", "behaviors"], found.loc["good", "oracles"]) == (7, 8)
    assert found.loc["refused", "code"] == "unreachable-check-evidence"
    assert found.loc["refused", "path"].startswith("EvalContract.")
    assert "/schemaVersion" in found.loc["not a contract", "detail"]
    assert found.loc["broken", "code"] == "schema-parse-failure"


def test_a_folder_of_contracts_is_a_row_a_file() -> None:
    found = frames.compile_results(ev.example("meeting-calendar").parent)
    contracts = sorted(ev.example(info.name).name for info in ev.examples() if info.kind == "contract")
    assert found["source"].tolist() == contracts
    assert set(found["status"]) == {"compiled"}


def test_a_missing_file_is_a_row() -> None:
    row = frames.compile_results("no/such/contract.json").iloc[0]
    assert (row["status"], row["source"]) == ("unreadable", "contract.json")
    assert "not found" in row["detail"]

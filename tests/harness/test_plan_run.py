"""The plan runner: the order of the steps, what they send, and what ends a trial."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from evalnb.corpus import example
from evalnb.engine.artifacts import ApiProbeObservation, McpProbeObservation
from evalnb.engine.canonical import scan_json
from evalnb.engine.compile import compile_contract
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json
from evalnb.engine.port_seam import AbortSignal
from evalnb.harness.plan_run import RESET_LEG, PlanRun, PlanRunner, step_order
from evalnb.harness.stimuli import Stimuli, parse_stimuli
from tests.harness import notes


class ScriptedPort:
    """Answers every call with one result and remembers what it was asked, and as whom."""

    def __init__(self, result: Json = None, principal: str | None = None, asked: list[Any] | None = None) -> None:
        self.result = result
        self.principal = principal
        self.asked: list[Any] = [] if asked is None else asked

    async def probe(self, request: Any, signal: AbortSignal) -> object:
        self.asked.append((self.principal, request))
        echoed = {
            "probe_id": request.probe_id,
            "interface_id": request.interface_id,
            "operation_id": request.operation_id,
        }
        body = {"kind": "json", "value": self.result}
        if request.kind == "api":
            return ApiProbeObservation(kind="api", status=200, headers={"date": "now", "x": "y"}, body=body, **echoed)
        return McpProbeObservation(kind="mcp", is_error=False, result=body, **echoed)

    def acting_as(self, principal: str) -> ScriptedPort:
        return ScriptedPort(self.result, principal, self.asked)


def run(document: dict[str, Any], port: ScriptedPort, stimuli: Stimuli | None = None) -> PlanRun:
    return asyncio.run(PlanRunner.of(compile_contract(document), stimuli or Stimuli()).run(port))


def triage() -> dict[str, Any]:
    document: Any = scan_json((example("triage") / "contract.json").read_bytes(), "EvalContract")
    return document


def sent(outcome: PlanRun) -> dict[str, Any]:
    return {one.step_id: one.document["callInputs"] for one in outcome.exchanges}


def test_a_step_waits_for_what_it_needs_and_otherwise_keeps_its_place() -> None:
    document = triage()
    document["interactionPlan"] = document["interactionPlan"][::-1]
    contract = compile_contract(document)
    order = [step.step_id for step in step_order(contract)]
    assert order.index("open-hazard") < order.index("read-opened")
    assert order.index("restore-monday") < order.index("list-open")
    assert [step.step_id for step in step_order(compile_contract(triage()))] == [
        step["stepId"] for step in triage()["interactionPlan"]
    ]


def test_the_fixture_is_put_back_first_and_is_no_part_of_the_record() -> None:
    port = ScriptedPort({"ok": True})
    outcome = run(notes.strong(), port)
    assert port.asked[0][1].probe_id == RESET_LEG
    assert [one["sequence"] for one in outcome.documents] == [1, 2, 3, 4]
    assert all(one["operationId"] != "reset" for one in outcome.documents)


def test_the_same_seed_sends_the_same_requests_and_another_seed_others() -> None:
    first, second, other = (run(notes.strong(), ScriptedPort({}), Stimuli(seed)) for seed in (3, 3, 4))
    assert sent(first) == sent(second)
    assert sent(first) != sent(other)


def test_a_type_violating_value_has_another_type_and_other_values_come_from_the_witness() -> None:
    calls = sent(run(triage(), ScriptedPort({"ticketId": "T-1047"})))
    assert isinstance(calls["open-malformed"]["body"]["subject"], int)
    assert calls["open-hazard"]["body"]["customer"] == "Iris Novak"
    assert calls["read-opened"]["path"] == {"ticketId": "T-1047"}


def test_what_a_malformed_call_is_filled_up_with_makes_no_other_step_claim_it() -> None:
    calls = sent(run(triage(), ScriptedPort({"ticketId": "T-1047"})))
    assert calls["open-malformed"]["body"].keys() == {"customer", "subject", "message", "channel"}
    assert calls["open-malformed"]["body"]["channel"] != "web-form"


def test_a_stimuli_file_decides_what_is_sent() -> None:
    stimuli = parse_stimuli({"steps": {"open-hazard": {"body": {"message": "Smoke!"}}}}, seed=0)
    calls = sent(run(triage(), ScriptedPort({"ticketId": "T-1047"}), stimuli))
    assert calls["open-hazard"]["body"]["message"] == "Smoke!"


def test_a_stimuli_file_of_another_shape_is_refused() -> None:
    with pytest.raises(RuntimeFault, match="schema-parse-failure"):
        parse_stimuli({"steps": {"open-hazard": "Smoke!"}}, seed=0)


def test_a_step_whose_captured_value_is_missing_is_not_asked() -> None:
    outcome = run(triage(), ScriptedPort({}))
    assert set(outcome.skipped) == {"read-opened", "read-drafted"}


def test_the_budget_of_calls_is_held() -> None:
    document = notes.strong()
    document["budgets"]["maxToolCalls"] = 2
    outcome = run(document, ScriptedPort({}))
    assert len(outcome.exchanges) == 2
    assert outcome.stopped is not None


def test_a_principal_acts_and_its_credential_is_never_recorded() -> None:
    document = triage()
    document["testData"]["principals"] = {"agent": {"kind": "desk agent"}}
    for operation in document["permittedInterfaces"][0]["operations"]:
        if operation["operationId"] == "list-tickets":
            operation["requestShape"]["header"] = {
                "requiredKeys": [],
                "permittedKeys": ["authorization"],
                "types": {"authorization": "string"},
            }
    document["interactionPlan"][1]["inputBinding"]["header"] = {"authorization": {"principal": "agent"}}
    port = ScriptedPort({"ticketId": "T-1047"})
    outcome = run(document, port)
    asked = {request.probe_id: (principal, request) for principal, request in port.asked}
    assert asked["list-open"][0] == "agent"
    assert asked["list-open"][1].channels.header == {}
    assert asked["open-hazard"][0] is None
    recorded = {one.step_id: one.document for one in outcome.exchanges}["list-open"]
    assert recorded["principal"] == "agent"
    assert recorded["callInputs"]["header"] == {"authorization": "credentials of agent"}


def test_headers_of_the_moment_are_not_recorded() -> None:
    outcome = run(triage(), ScriptedPort({}))
    assert outcome.documents[0]["responseHeaders"] == {"x": "y"}

"""Planning: which legs and checks a contract and its probes give, and what stops the planning."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.faults import RuntimeFault, StructuralFailure
from evalnb.engine.preflight import ProbePlan, plan_preflight
from evalnb.engine.preflight.inputs import parse_contract, parse_probes
from evalnb.engine.preflight.probe_plan import (
    CleanControlCheck,
    InterfacePresentCheck,
    SeededFaultsScopedCheck,
    StateResetCheck,
)
from evalnb.engine.preflight.wire import wire_document
from tests.engine.preflight.subjects import (
    ABSENT,
    LIST_FAULT,
    LIST_OPERATION,
    Document,
    api_inputs,
    api_operation,
    clean_probe,
    cli_inputs,
    cli_operation,
    contract,
    defect,
    interface,
    json_body,
    keys,
    manifestation,
    mcp_inputs,
    mcp_operation,
    seeded_probe,
    things,
    witness,
)

RESET = {"legId": "reset", "interfaceId": "things", "operationId": "reset", "inputs": api_inputs()}
CREATE = api_operation(
    "create",
    method="POST",
    writes=True,
    shape={"body": keys("name")},
    sensitivity=witness("body", api_inputs(json_body({"name": "x"})), api_inputs(json_body({"name": "y"})), "create"),
)
RESET_OPERATION = api_operation("reset", method="POST", writes=True)


def plan(document: Document, *probes: Document) -> ProbePlan:
    return plan_preflight(parse_contract(document), parse_probes(list(probes)), "run-1")


def legs(planned: ProbePlan) -> list[str]:
    return [leg.leg_id for leg in planned.legs]


def kinds(planned: ProbePlan) -> list[str]:
    return [check.kind for check in planned.checks]


def failure(document: Document, *probes: Document) -> tuple[str, str]:
    with pytest.raises((StructuralFailure, RuntimeFault)) as caught:
        plan(document, *probes)
    return caught.value.code, caught.value.artifact_path


def one(planned: ProbePlan, kind: type[Any]) -> Any:
    [check] = [check for check in planned.checks if isinstance(check, kind)]
    return check


def test_an_api_leg_carries_its_operation_and_its_inputs() -> None:
    first = plan(things(CREATE, LIST_OPERATION)).legs[0]
    assert first.purpose == "sensitivity"
    assert wire_document(first.request) == {
        "probeId": "create-a",
        "interfaceId": "things",
        "operationId": "create",
        "kind": "api",
        "method": "POST",
        "pathTemplate": "/create",
        "channels": {"path": {}, "query": {}, "header": {}, "body": json_body({"name": "x"})},
    }


def test_a_command_leg_carries_its_invocation() -> None:
    legs_of_witness = (cli_inputs(option={"q": "a"}), cli_inputs(option={"q": "b"}))
    find = cli_operation("find", shape={"option": keys("q")}, sensitivity=witness("option", *legs_of_witness, "find"))
    planned = plan(contract(interface("tool", "cli", find)))
    assert wire_document(planned.legs[1].request) == {
        "probeId": "find-b",
        "interfaceId": "tool",
        "operationId": "find",
        "kind": "cli",
        "executable": "tool",
        "subcommandPath": ["find"],
        "channels": {"argument": {}, "option": {"q": "b"}, "environment": {}, "stdin": ABSENT},
    }
    assert kinds(planned) == ["interface-present", "input-sensitivity", "state-reset", "clean-control"]


def test_a_tool_leg_carries_its_arguments() -> None:
    planned = plan(contract(interface("server", "mcp", mcp_operation("ping"))))
    assert legs(planned) == ["preflight-control-observe", "preflight-control-observe-2"]
    assert wire_document(planned.legs[0].request) == {
        "probeId": "preflight-control-observe",
        "interfaceId": "server",
        "operationId": "ping",
        "kind": "mcp",
        "toolName": "ping",
        "channels": {"arguments": {}},
    }


def test_a_raw_body_is_sent_as_it_is_written() -> None:
    raw = {"kind": "raw", "base64": "ew==", "contentType": "application/json"}
    sends = witness("body", api_inputs(raw), api_inputs(), "send")
    planned = plan(things(api_operation("send", sensitivity=sends)))
    request = planned.legs[0].request
    assert request.kind == "api"
    assert wire_document(request.channels.body) == raw


def test_presence_comes_first_then_sensitivity_control_and_defects() -> None:
    planned = plan(things(CREATE, LIST_OPERATION), seeded_probe(defect("D-001", LIST_FAULT)))
    assert kinds(planned) == [
        "interface-present",
        "interface-present",
        "input-sensitivity",
        "input-sensitivity",
        "state-reset",
        "clean-control",
        "seeded-faults-scoped",
        "seeded-fault-fired",
    ]
    present = planned.checks[1]
    assert isinstance(present, InterfacePresentCheck)
    assert present.leg_ids == ("list-a", "list-b", "preflight-control-observe", "preflight-control-observe-2", "fault")


def test_a_reset_puts_a_mutation_and_itself_between_the_two_reads() -> None:
    planned = plan(things(CREATE, LIST_OPERATION, RESET_OPERATION, fixtureReset=RESET))
    control = ("preflight-control-observe", "preflight-control-mutate", "reset", "preflight-control-observe-2")
    assert one(planned, CleanControlCheck).leg_ids == control
    assert one(planned, StateResetCheck) == StateResetCheck(control[0], control[3])
    mutate = next(leg for leg in planned.legs if leg.leg_id == control[1])
    assert (mutate.request.operation_id, mutate.purpose) == ("create", "control-mutate")


def test_the_resetting_operation_may_be_the_mutation() -> None:
    planned = plan(things(LIST_OPERATION, RESET_OPERATION, fixtureReset=RESET))
    assert [leg.request.operation_id for leg in planned.legs][-4:] == ["list", "reset", "reset", "list"]


@pytest.mark.parametrize("interface_id", ["elsewhere", "things"])
def test_without_a_mutation_the_read_is_only_repeated(interface_id: str) -> None:
    reset = {**RESET, "interfaceId": interface_id, "operationId": "list"}
    assert len(one(plan(things(LIST_OPERATION, fixtureReset=reset)), CleanControlCheck).leg_ids) == 2


def test_without_a_safe_read_there_is_no_control() -> None:
    needs_key = api_operation("read", shape={"path": keys("id")})
    assert kinds(plan(things(CREATE, needs_key))) == ["interface-present", "input-sensitivity", "input-sensitivity"]


def test_minted_ids_keep_clear_of_every_other_id() -> None:
    taken = manifestation("preflight-control-observe", "things", "list", api_inputs(), LIST_FAULT["relation"])
    reset = {**RESET, "legId": "preflight-control-observe-2"}
    planned = plan(things(LIST_OPERATION, RESET_OPERATION, fixtureReset=reset), seeded_probe(defect("D-001", taken)))
    assert one(planned, StateResetCheck) == StateResetCheck(
        "preflight-control-observe-3", "preflight-control-observe-4"
    )


def test_a_defect_is_judged_against_the_legs_before_it() -> None:
    again = {**LIST_FAULT, "legId": "fault-2"}
    planned = plan(things(), seeded_probe(defect("D-001", LIST_FAULT), defect("D-002", again)))
    first, second = [check for check in planned.checks if isinstance(check, SeededFaultsScopedCheck)]
    assert second.clean_leg_ids == (*first.clean_leg_ids, "fault")
    assert "fault" not in first.clean_leg_ids


def test_a_defect_without_a_witness_has_a_check_and_no_leg() -> None:
    planned = plan(things(), seeded_probe(defect("D-001", None)))
    assert kinds(planned)[-1] == "seeded-fault-fired"
    assert "seeded-faults-scoped" not in kinds(planned)
    assert len(planned.legs) == 4


def test_a_clean_probe_adds_nothing() -> None:
    assert plan(things(), clean_probe()) == plan(things())


def test_one_operation_id_on_two_interfaces_makes_two_groups() -> None:
    ping = mcp_operation("ping")
    other = {**ping, "sensitivityWitness": witness("arguments", mcp_inputs(a=1), mcp_inputs(a=2), "ping")}
    planned = plan(contract(interface("a-b", "mcp", ping), interface("a", "mcp", other)))
    assert [c.leg_ids for c in planned.checks if isinstance(c, InterfacePresentCheck)] == [
        ("ping-a", "ping-b"),
        ("preflight-control-observe", "preflight-control-observe-2"),
    ]


def test_equal_inputs_give_equal_plans() -> None:
    probes = [seeded_probe(defect("D-001", LIST_FAULT))]
    assert plan(things(), *probes) == plan(things(), *probes)


WITNESS_PATH = "Probe[probeId=P-001].defects[defectId=D-001].manifestationWitness"
OPERATION_PATH = "EvalContract.permittedInterfaces[logicalId=things].operations[operationId=reset]"


@pytest.mark.parametrize(
    ("document", "code", "path"),
    [
        (contract(), "unreachable-check-evidence", "EvalContract.permittedInterfaces"),
        (
            contract(interface("things", "web", LIST_OPERATION)),
            "unsupported-interface-kind",
            "EvalContract.permittedInterfaces[logicalId=things].kind",
        ),
        (
            contract(interface("things", "api", LIST_OPERATION), interface("things", "mcp", mcp_operation("ping"))),
            "duplicate-interface-identifier",
            "EvalContract.permittedInterfaces[1].logicalId",
        ),
        (
            things(CREATE, LIST_OPERATION, fixtureReset=RESET),
            "unreachable-check-evidence",
            "EvalContract.fixtureReset",
        ),
        *(
            (
                things(LIST_OPERATION, RESET_OPERATION, fixtureReset={**RESET, "inputs": inputs}),
                "undeclared-mandatory-input",
                OPERATION_PATH,
            )
            for inputs in (cli_inputs(), mcp_inputs())
        ),
        (
            things(LIST_OPERATION, RESET_OPERATION, fixtureReset={**RESET, "legId": "list-a"}),
            "malformed-operator-expression",
            "EvalContract.fixtureReset.legId",
        ),
    ],
)
def test_a_contract_that_cannot_be_probed_is_refused(document: Document, code: str, path: str) -> None:
    assert failure(document) == (code, path)


@pytest.mark.parametrize(
    ("changed", "code", "path"),
    [
        ({"operationId": "nope"}, "unreachable-check-evidence", WITNESS_PATH),
        ({"interfaceId": "nope"}, "unreachable-check-evidence", WITNESS_PATH),
        ({"inputs": api_inputs(query={"unknown": 1})}, "undeclared-mandatory-input", f"{WITNESS_PATH}.inputs"),
        ({"inputs": mcp_inputs()}, "undeclared-mandatory-input", f"{WITNESS_PATH}.inputs"),
        ({"legId": "list-a"}, "malformed-operator-expression", f"{WITNESS_PATH}.legId"),
    ],
)
def test_a_witness_that_cannot_be_sent_is_refused(changed: Document, code: str, path: str) -> None:
    assert failure(things(), seeded_probe(defect("D-001", {**LIST_FAULT, **changed}))) == (code, path)

"""The qualification gate, where the published cases leave room: what it reads, and that nothing stops it early."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.score.qualify.gate import qualify_probe
from evalnb.engine.score.qualify.home import resolve_home_operation
from evalnb.engine.score.qualify.result import Qualification
from tests.engine.score import thermostat

ROOT = "Probe[probeId=P-101].defectSignature"


def home(position: int = 1) -> Any:
    return thermostat.contract().permitted_interfaces[0].operations[position]


def judged(operation: Any = None, **signature: Any) -> Qualification:
    document = thermostat.probe_document()
    document["defectSignature"] |= signature
    return qualify_probe(thermostat.probe(document), operation)


def with_predicate(predicate: dict[str, Any], operation: Any = None, **signature: Any) -> list[str]:
    condition = thermostat.signature_document()["condition"] | {"predicate": predicate}
    return [one.code for one in judged(operation, condition=condition, **signature).failures]


def with_binding(operation: Any, **bound: Any) -> Qualification:
    condition = thermostat.signature_document()["condition"]
    condition["selector"]["inputBinding"] |= bound
    return judged(operation, condition=condition)


def existence(pointer: str) -> dict[str, Any]:
    return {"op": "existence", "operands": [{"pointer": pointer}]}


def test_the_specimen_qualifies() -> None:
    assert judged(home()) == Qualification((), declaration_checks_ran=True)


def test_without_a_home_operation_the_result_says_what_did_not_run() -> None:
    assert judged(None) == Qualification((), declaration_checks_ran=False)


def test_a_signature_binds_its_operation_whatever_the_parameter_is_called() -> None:
    found = resolve_home_operation(thermostat.probe().defect_signature, thermostat.contract().permitted_interfaces)
    assert found is not None
    assert (found.interface_id, found.operation.operation_id) == ("home", "read-room")


def test_failures_accumulate_in_the_order_of_the_checks() -> None:
    document = thermostat.probe_document()
    document["qualification"]["rollbackVerified"] = False
    document["defects"] = []
    document["defectSignature"] |= {"interfaceKind": "web", "observableChannel": "call-inputs"}
    document["defectSignature"]["condition"]["selector"]["inputBinding"]["body"] = {"x": {"matcher": "any"}}
    document["defectSignature"]["condition"]["predicate"] = {
        "op": "any",
        "operands": [existence("/interactions/other/response-status"), existence("@/broken")],
    }
    result = qualify_probe(thermostat.probe(document), home())
    assert [one.code for one in result.failures] == [
        "qualification-route-incompatible",
        "qualification-evidence-unverified",
        "signature-interface-kind-unsupported",
        "signature-observable-channel-not-response-side",
        "condition-pointer-not-observation-rooted",
        "condition-channels-underspecified",
        "condition-disjunct-without-response-channel",
        "condition-selector-key-undeclared",
        "condition-bound-element-outside-quantifier",
    ]


@pytest.mark.parametrize(
    ("changes", "token"),
    [
        ({"probeClass": "gameability"}, '"gameability"'),
        ({"defects": []}, "defects array is empty"),
    ],
)
def test_an_unfit_route_is_told_apart(changes: dict[str, Any], token: str) -> None:
    result = qualify_probe(thermostat.probe(thermostat.probe_document() | changes), home())
    assert [one.code for one in result.failures] == ["qualification-route-incompatible"]
    assert token in result.failures[0].detail


def test_a_clean_control_is_judged_by_its_class() -> None:
    clean = thermostat.clean_probe_document()
    assert qualify_probe(thermostat.probe(clean), None).qualified
    other = qualify_probe(thermostat.probe(clean | {"probeClass": "canary"}), None)
    assert [one.detail for one in other.failures if "admits no AD-9 route at all" in one.detail]


def test_every_branch_of_an_any_is_judged_before_its_children() -> None:
    inner = {"op": "any", "operands": [existence("/interactions/observed/call-inputs/path/room")] * 2}
    predicate = {
        "op": "any",
        "operands": [inner, existence("/interactions/observed/call-inputs/path/room")],
    }
    condition = thermostat.signature_document()["condition"] | {"predicate": predicate}
    paths = [
        one.artifact_path.removeprefix(f"{ROOT}.condition.predicate")
        for one in judged(None, condition=condition).failures
        if one.code == "condition-disjunct-without-response-channel"
    ]
    assert paths == [".operands[0]", ".operands[1]", ".operands[0].operands[0]", ".operands[0].operands[1]"]


def test_a_bound_element_reads_the_collection_around_the_any() -> None:
    elements = {"op": "any", "operands": [existence("@/a"), existence("@/b")]}
    collection = {"pointer": "/interactions/observed/response-body"}
    inside = {"op": "for-any", "collection": collection, "predicate": elements}
    assert with_predicate(inside) == []
    sent = inside | {"collection": {"pointer": "/interactions/observed/call-inputs/body/list"}}
    both = {"op": "all", "operands": [sent, existence("/interactions/observed/response-body/celsius")]}
    assert with_predicate(both) == ["condition-disjunct-without-response-channel"] * 2


def test_an_at_pointer_below_the_any_does_not_borrow_an_inner_collection() -> None:
    quantified = {
        "op": "for-any",
        "collection": {"literal": [1]},
        "predicate": existence("@/a"),
    }
    predicate = {"op": "any", "operands": [quantified, existence("/interactions/observed/response-body")]}
    assert "condition-disjunct-without-response-channel" in with_predicate(predicate)


def test_reference_sets_are_refused_wherever_an_operand_may_stand() -> None:
    predicate = {
        "op": "set-membership",
        "operands": [
            {"pointer": "/interactions/observed/response-body/celsius"},
            {"referenceSet": "temperatures"},
        ],
    }
    condition = thermostat.signature_document()["condition"] | {"predicate": predicate}
    failures = judged(None, condition=condition).failures
    assert [(one.code, one.artifact_path) for one in failures] == [
        ("condition-reference-set-operand", f"{ROOT}.condition.predicate.operands[1]")
    ]


def test_an_artifact_pointer_fails_for_its_channel_and_then_for_its_kind() -> None:
    predicate = {
        "op": "all",
        "operands": [
            existence("/interactions/observed/artifact/report"),
            existence("/interactions/observed/response-body/celsius"),
        ],
    }
    assert with_predicate(predicate) == [
        "condition-artifact-channel-contract-local",
        "condition-text-channel-on-api",
    ]


def test_selector_keys_are_visited_as_an_object_lists_them() -> None:
    any_value = {"matcher": "any"}
    result = with_binding(home(), query={"b": any_value, "10": any_value, "2": any_value}, path=None)
    assert [one.artifact_path for one in result.failures] == [
        f'{ROOT}.condition.selector.inputBinding.query["{key}"]' for key in ("2", "10", "b")
    ]


@pytest.mark.parametrize(
    ("key", "token"),
    [("note", "declares an indeterminate"), ("celsius", None), ("x", "neither")],
)
def test_type_violating_needs_a_declared_type(key: str, token: str | None) -> None:
    result = with_binding(home(0), body={key: {"matcher": "type-violating"}})
    assert [token in one.detail for one in result.failures if token] == ([True] if token else [])


def test_a_raw_body_binds_no_key() -> None:
    raw = {"kind": "raw", "base64": "e30=", "contentType": "application/json"}
    assert with_binding(home(), body=raw).qualified


def tool_call() -> tuple[dict[str, Any], Any]:
    """A tool-call signature with its operation; the chapter's channel list is older than tool arguments."""
    contract = thermostat.contract_document()
    operation = contract["permittedInterfaces"][0]["operations"][0]
    tool = {key: value for key, value in operation.items() if key not in ("method", "pathTemplate")}
    tool |= {
        "toolName": "read_room",
        "descriptorChannel": {"kind": "structured-result"},
        "requestShape": {"arguments": thermostat.keys({"room": "string"})},
    }
    contract["permittedInterfaces"] = [{"logicalId": "home", "kind": "mcp", "operations": [tool]}]
    signature = thermostat.signature_document()
    del signature["method"], signature["pathTemplate"]
    signature |= {"interfaceKind": "mcp", "toolName": "read_room"}
    return signature, thermostat.contract(contract).permitted_interfaces[0].operations[0]


@pytest.mark.parametrize(("key", "codes"), [("room", []), ("floor", ["condition-selector-key-undeclared"])])
def test_tool_arguments_are_judged_like_any_other_channel(key: str, codes: list[str]) -> None:
    signature, operation = tool_call()
    signature["condition"]["selector"]["inputBinding"] |= {"path": None, "arguments": {key: {"matcher": "any"}}}
    probe = thermostat.probe(thermostat.probe_document() | {"defectSignature": signature})
    assert [one.code for one in qualify_probe(probe, operation).failures] == codes

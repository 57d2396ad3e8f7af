"""Target policies decided and read as the reference table expects. The address table has a test of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evalnb.adapters.policies import (
    AddressAllowed,
    Allowed,
    CommandTarget,
    HttpTarget,
    McpTarget,
    evaluate_command_target,
    evaluate_environment,
    evaluate_mcp_target,
    evaluate_target,
    is_safe_method,
    parse_command_target_policy,
    parse_mcp_target_policy,
    parse_probe_target_policy,
)
from evalnb.engine.artifacts.issues import ShapeError, pointer_text
from evalnb.engine.artifacts.target_policies import (
    CommandTargetAuthorization,
    CommandTargetPolicy,
    McpTargetAuthorization,
    McpTargetPolicy,
    ProbeTargetAuthorization,
    ProbeTargetPolicy,
)
from evalnb.engine.faults import RuntimeFault
from tests.conformance.reference import params, rows

TABLE = ("cases", "target-policy.json")
POLICIES: dict[str, tuple[Any, Any, Any, Any]] = {
    "evaluate-http": (ProbeTargetPolicy, ProbeTargetAuthorization, HttpTarget, evaluate_target),
    "evaluate-command": (CommandTargetPolicy, CommandTargetAuthorization, CommandTarget, evaluate_command_target),
    "evaluate-mcp": (McpTargetPolicy, McpTargetAuthorization, McpTarget, evaluate_mcp_target),
}
PARSERS: dict[str, Any] = {
    "http": parse_probe_target_policy,
    "command": parse_command_target_policy,
    "mcp": parse_mcp_target_policy,
}


def cases_of(*ops: str) -> list[Any]:
    return params([case for case in rows(*TABLE) if case["op"] in ops], source="/".join((*TABLE, *ops)))


def snake(document: dict[str, Any]) -> dict[str, Any]:
    """The keys of a target or an authorization as Python spells them."""
    return {"".join(f"_{c.lower()}" if c.isupper() else c for c in key): value for key, value in document.items()}


def test_every_operation_of_the_table_is_known() -> None:
    assert {case["op"] for case in rows(*TABLE)} <= {*POLICIES, "is-safe-method", "command-environment", "parse-policy"}


@pytest.mark.parametrize("case", cases_of(*POLICIES))
def test_a_target_is_decided(case: dict[str, Any]) -> None:
    policy_shape, authorization_shape, target_shape, evaluate = POLICIES[case["op"]]
    # Unchecked on purpose: a policy of the table may be one that the newest schema refuses.
    authorizations = tuple(
        authorization_shape.model_construct(**snake(entry)) for entry in case["policy"]["authorizations"]
    )
    policy = policy_shape.model_construct(authorizations=authorizations)
    decision = evaluate(policy, target_shape(**snake(case["target"])))
    answer: dict[str, Any] = {"allowed": isinstance(decision, Allowed)}
    if isinstance(decision, Allowed):
        answer["authorizationIndex"] = next(i for i, a in enumerate(authorizations) if a is decision.authorization)
    else:
        answer["reason"] = decision.reason
    if case["op"] == "evaluate-http":
        answer["addressClass"] = decision.address_class
    if isinstance(decision, AddressAllowed):
        answer["canonicalAddress"] = decision.canonical_address
    assert answer == case["expected"]


@pytest.mark.parametrize("case", cases_of("is-safe-method"))
def test_a_method_is_safe_when_declared_and_authorized(case: dict[str, Any]) -> None:
    authorization = ProbeTargetAuthorization.model_construct(**snake(case["authorization"]))
    assert is_safe_method(authorization, case["method"]) is case["expected"]


@pytest.mark.parametrize("case", cases_of("command-environment"))
def test_an_environment_key_is_permitted_or_denied(case: dict[str, Any]) -> None:
    denial = evaluate_environment(case["permittedEnvironmentKeys"], case["environment"])
    answer: dict[str, Any] = {"allowed": denial is None}
    if denial is not None:
        fault = denial.fault()
        answer |= {"code": fault.code, "artifactPath": fault.artifact_path, "reason": fault.reason}
    assert answer == case["expected"]


@pytest.mark.parametrize("case", cases_of("parse-policy"))
def test_a_policy_is_read_or_refused_with_every_issue(case: dict[str, Any]) -> None:
    expected = case["expected"]
    document = json.loads(case["document"])
    if expected["ok"]:
        policy = PARSERS[case["policyKind"]](document)
        assert policy.model_dump(mode="json", by_alias=True) == document
        return
    with pytest.raises(RuntimeFault) as caught:
        PARSERS[case["policyKind"]](document)
    fault = caught.value
    assert (fault.code, fault.artifact_path) == (expected["code"], expected["artifactPath"])
    assert isinstance(fault.cause, ShapeError)
    pointers = sorted("" if not issue.path else pointer_text(issue.path) for issue in fault.cause.issues)
    assert pointers == sorted(expected["issuePointers"])
    assert fault.detail.startswith(f"input does not conform to the {fault.artifact_path} schema: ")
    unknown = case.get("unknownKeys", [])
    for part in (*expected["messageContains"], *(f'"{key}"' for key in unknown)):
        assert part in fault.detail

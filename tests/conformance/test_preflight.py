"""Pre-flight against the reference cases: plans, projections, evidence, reductions, boundaries, and two whole runs."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Any

import pytest

from evalnb.engine.artifacts import (
    CommandOperation,
    EvalContract,
    McpOperation,
    Operation,
    PreflightVerdict,
    Probe,
    ProbeObservation,
    WitnessInputs,
)
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.faults import RuntimeFault, StructuralFailure
from evalnb.engine.operations import AnyOperation
from evalnb.engine.port_seam import AbortController
from evalnb.engine.preflight import ProbePlan, plan_preflight, preflight_from_observations, run_preflight
from evalnb.engine.preflight.checks.clean_control import anomaly
from evalnb.engine.preflight.evidence import leg_evidence
from evalnb.engine.preflight.fixture import state_digest
from evalnb.engine.preflight.inputs import parse_contract, parse_observations, parse_probes
from evalnb.engine.preflight.project import project
from evalnb.engine.preflight.prune import prune_body
from evalnb.engine.preflight.reduce import reduce_preflight
from evalnb.engine.preflight.wire import wire_document
from tests.conformance.json_patch import patched
from tests.conformance.reference import load, params, rows, supporting

ROWS = rows("cases", "preflight.json")
FIXTURES = {row["ref"]: row["value"] for row in supporting("cases", "preflight.json") if row["op"] == "fixture"}
KNOWN_OPS = {
    "fixture",
    "plan",
    "reduce",
    "prune",
    "project",
    "evidence",
    "anomaly",
    "state-reset-equal",
    "boundary",
}


def test_every_operation_of_the_table_is_known() -> None:
    assert {row["op"] for row in ROWS} <= KNOWN_OPS


def cases(op: str) -> list[Any]:
    return params([row for row in ROWS if row["op"] == op], source=f"preflight.json, op {op}")


def document_of(reference: dict[str, Any]) -> dict[str, Any]:
    """The fixture that `reference` names, brought to the accepted schema version, with its patch applied."""
    if reference["ref"] not in FIXTURES:
        pytest.skip(f"fixture not here: {reference['ref']}")
    fixture = FIXTURES[reference["ref"]]
    newest = {"schemaVersion": 7 if "contractId" in fixture else 6}
    # The patch comes last: a case may be about a stale stamp.
    document: dict[str, Any] = patched({**fixture, **newest}, reference["patch"])
    signature = document.get("defectSignature")
    if signature is not None:
        signature["condition"]["selector"]["inputBinding"].setdefault("arguments", None)
    return document


def contract_of(case: dict[str, Any]) -> EvalContract:
    return parse_contract(document_of(case["contract"]))


def probes_of(case: dict[str, Any]) -> tuple[Probe, ...]:
    return parse_probes([document_of(probe) for probe in case["probes"]])


def assert_raised(error: BaseException, expected: dict[str, Any]) -> None:
    if expected.get("type") == "programming-error":
        assert isinstance(error, TypeError)
        return
    kind = {"structural": StructuralFailure, "runtime": RuntimeFault}[expected["fault"]]
    assert isinstance(error, kind)
    assert (error.code, error.artifact_path) == (expected["code"], expected["artifactPath"])


@pytest.mark.parametrize("case", cases("plan"))
def test_plan(case: dict[str, Any]) -> None:
    expected = case["expected"]
    if "error" in expected:
        with pytest.raises(Exception) as caught:
            plan_preflight(contract_of(case), probes_of(case), case["runId"])
        assert_raised(caught.value, expected["error"])
        return
    plan = plan_preflight(contract_of(case), probes_of(case), case["runId"])
    assert planned_legs(plan) == expected["legs"]
    assert planned_checks(plan, expected["checks"]) == expected["checks"]


def planned_legs(plan: ProbePlan) -> list[dict[str, Any]]:
    return [{"legId": leg.leg_id, "purpose": leg.purpose, "request": wire_document(leg.request)} for leg in plan.legs]


def planned_checks(plan: ProbePlan, expected: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The planned checks, each with the keys that the expectation at its position states."""
    known = [_check_facts(check) for check in plan.checks]
    assert len(known) == len(expected)
    return [{key: facts[key] for key in stated} for facts, stated in zip(known, expected, strict=True)]


def _check_facts(check: Any) -> dict[str, Any]:
    witness = getattr(check, "witness", None)
    leg_ids = list(getattr(check, "leg_ids", ()))
    if check.kind == "state-reset":
        leg_ids = [check.first_leg_id, check.last_leg_id]
    return {
        "kind": check.kind,
        "interfaceId": getattr(check, "interface_id", None),
        "operationId": getattr(check, "operation_id", None),
        "legIds": leg_ids,
        "defectId": getattr(check, "defect_id", None),
        "cleanLegIds": list(getattr(check, "clean_leg_ids", ())),
        "hasWitness": witness is not None,
    }


def verdict_of(case: dict[str, Any]) -> PreflightVerdict:
    plan = plan_preflight(contract_of(case), probes_of(case), case["runId"])
    return reduce_preflight(plan, parse_observations(case["observations"]))


@pytest.mark.parametrize("case", cases("reduce"))
def test_reduce(case: dict[str, Any]) -> None:
    expected = case["expected"]
    if "error" in expected:
        with pytest.raises(Exception) as caught:
            verdict_of(case)
        assert_raised(caught.value, expected["error"])
        return
    document = verdict_of(case).document
    assert document["passed"] == expected["passed"]
    assert document["checks"] == expected["checks"]
    for pinned in case.get("pinned", ()):
        assert any(pinned.items() <= check.items() for check in document["checks"])


NO_KEYS = {"requiredKeys": [], "permittedKeys": [], "types": {}}
OPERATIONS: dict[str, tuple[type[AnyOperation], dict[str, Any]]] = {
    "api": (Operation, {"method": "GET", "pathTemplate": "/things"}),
    "cli": (
        CommandOperation,
        {
            "invocation": {"executable": "tool", "subcommandPath": []},
            "artifacts": [],
            "descriptorChannel": {"kind": "stream", "channel": "stdout"},
        },
    ),
    "mcp": (McpOperation, {"toolName": "tool", "descriptorChannel": {"kind": "structured-result"}}),
}
CHANNELS = {
    "api": ("path", "query", "header", "body"),
    "cli": ("argument", "option", "environment", "stdin"),
    "mcp": ("arguments",),
}


def operation_of(stated: dict[str, Any], operation_id: str) -> AnyOperation:
    """An operation of the stated kind that has the stated fields, and nothing of interest besides."""
    fields = {key: value for key, value in stated.items() if key != "kind"}
    model, address = OPERATIONS[stated["kind"]]
    return validated(
        model,
        {
            "operationId": operation_id,
            **address,
            "stateChangeMarker": False,
            "requestShape": dict.fromkeys(CHANNELS[stated["kind"]], NO_KEYS),
            "responseDescriptor": {
                **NO_KEYS,
                "successIndicator": None,
                "channelRoles": None,
                "collectionLocations": None,
            },
            "volatilePointers": [],
            "sensitivityWitness": None,
            **fields,
        },
    )


def observation_of(document: dict[str, Any]) -> ProbeObservation:
    [observation] = parse_observations([document])
    return observation


@pytest.mark.parametrize("case", cases("prune"))
def test_prune(case: dict[str, Any]) -> None:
    answer = observation_of(
        {"probeId": "leg", "interfaceId": "i", "operationId": "o", "kind": "mcp", "isError": False}
        | {"result": case["body"]}
    )
    assert answer.kind == "mcp"
    expected = case.get("expected", {})
    error = case.get("error") or expected.get("error")
    if error is not None:
        with pytest.raises(Exception) as caught:
            prune_body(answer.result, case["volatilePointers"])
        assert_raised(caught.value, error)
        return
    assert wire_document(prune_body(answer.result, case["volatilePointers"])) == expected


@pytest.mark.parametrize("case", cases("project"))
def test_project(case: dict[str, Any]) -> None:
    observation = observation_of(case["observation"])
    operation = operation_of(case["operation"], observation.operation_id)
    assert project(observation, operation).document() == case["expected"]


@pytest.mark.parametrize("case", cases("evidence"))
def test_evidence(case: dict[str, Any]) -> None:
    observation = observation_of(case["observation"])
    operation = operation_of(case["operation"], observation.operation_id)
    inputs = validated(WitnessInputs, case["inputs"])
    evidence = wire_document(leg_evidence(observation, project(observation, operation), operation, inputs))
    # The cases predate these two fields of a recorded observation.
    assert evidence.pop("interfaceId") == observation.interface_id
    assert evidence["callInputs"].pop("bodyEncoding") is None
    assert evidence == case["expected"]


@pytest.mark.parametrize("case", cases("anomaly"))
def test_anomaly(case: dict[str, Any]) -> None:
    assert anomaly(observation_of(case["observation"])) == case["expected"]


@pytest.mark.parametrize("case", cases("state-reset-equal"))
def test_state_reset_equality(case: dict[str, Any]) -> None:
    left, right = (observation_of(case[side]) for side in ("left", "right"))
    operation = operation_of(case["operation"], left.operation_id)
    states = [state_digest(project(one, operation), operation) for one in (left, right)]
    assert (states[0] == states[1]) is case["expected"]


class StatedPort:
    """A port that does what a boundary case says in prose, and answers the plan's first leg where it says nothing."""

    def __init__(self, prose: str, expected: dict[str, Any], controller: AbortController) -> None:
        self.calls = 0
        self._error: Exception | None = None
        if "fault" in prose.lower():
            self._error = RuntimeFault(expected["code"], expected["artifactPath"], "as the case says")
        elif re.search("rejects|throws", prose):
            self._error = ConnectionError("refused")
        self._aborting = controller if "abort" in prose else None
        resolved = re.match(r"port (?:resolves|answers) (.+)", prose)
        self._answer = stated(resolved[1], prose) if resolved else FIRST_ANSWER

    async def probe(self, _request: object, _signal: object) -> object:
        self.calls += 1
        if self._aborting is not None:
            self._aborting.abort()
        if self._error is not None:
            raise self._error
        return self._answer


def stated(value: str, prose: str) -> Any:
    """The JSON value that a boundary case spells out; skips the test where it only describes one."""
    if value in ("empty", "an empty list", "an empty array", "empty list"):
        return []
    try:
        return json.loads(value)
    except ValueError:
        pytest.skip(f"no reading of: {prose}")


FIRST_ANSWER = {
    "probeId": "create-a",
    "interfaceId": "thing-api",
    "operationId": "create-thing",
    "kind": "api",
    "status": 200,
    "headers": {},
    "body": {"kind": "absent"},
}


@pytest.mark.parametrize("case", cases("boundary"))
def test_boundary(case: dict[str, Any]) -> None:
    prose, expected = case["input"], case["expected"]
    given = {
        "contract": document_of({"ref": "contract:base", "patch": []}),
        "probes": [document_of({"ref": "probe:seeded", "patch": []})],
        "run_id": "run-1",
        "observations": [FIRST_ANSWER],
    }
    replaced = re.match(r"(contract|probes|observations) is (?:the )?(.+)", prose)
    if replaced:
        given[replaced[1]] = stated(replaced[2], prose)
    elif re.match("runId is (the )?empty( string)?$", prose):
        given["run_id"] = ""
    elif "port" not in prose and "abort" not in prose:
        pytest.skip(f"no reading of: {prose}")
    controller = AbortController()
    port = StatedPort(prose, expected, controller)
    if "already aborted" in prose:
        controller.abort()
    observations = given.pop("observations")

    def enter() -> PreflightVerdict:
        if case["entry"] == "preflightFromObservations":
            return preflight_from_observations(**given, observations=observations)
        return asyncio.run(run_preflight(**given, port=port, signal=controller.signal))

    with pytest.raises((StructuralFailure, RuntimeFault)) as caught:
        enter()
    assert_raised(caught.value, expected)
    assert port.calls == expected.get("portCalls", port.calls)


@pytest.mark.parametrize(("chain", "leg_count"), [("walkthrough", 8), ("agent", 7)])
def test_a_public_run_passes_its_preflight(chain: str, leg_count: int) -> None:
    expected = load("chains", chain, "expected.json")["preflight"]
    lines: list[str] = []
    verdict = preflight_from_observations(
        load("chains", chain, "contract.json"),
        load("chains", chain, "probes.json"),
        expected["runId"],
        load("chains", chain, "observations.json"),
        lambda line: lines.append(line.message),
    )
    assert verdict.passed is expected["passed"]
    assert lines[-1] == f"reduced {leg_count} leg(s): passed"
    assert len(lines) == 2 * leg_count + 1
    checks = [[c.kind, c.interface_id, c.operation_id, c.outcome] for c in verdict.checks]
    assert checks == expected.get("checks", checks)

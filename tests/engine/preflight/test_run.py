"""The two entry points: what they parse, in which order they ask, what they say while they do, what ends them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from evalnb.engine.artifacts import PreflightVerdict, ProbeRequest
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.faults import RuntimeFault, StructuralFailure
from evalnb.engine.port_seam import AbortController, AbortSignal, Diagnostic
from evalnb.engine.preflight import preflight_from_observations, run_preflight
from evalnb.engine.preflight.inputs import parse_contract, parse_observations, parse_probes
from tests.engine.preflight.subjects import (
    LIST_FAULT,
    Document,
    clean_probe,
    defect,
    list_answers,
    seeded_probe,
    things,
)

PROBES = [seeded_probe(defect("D-001", LIST_FAULT)), clean_probe()]
LEGS = ["list-a", "list-b", "preflight-control-observe", "preflight-control-observe-2", "fault"]


class Environment:
    """A port that answers each leg from `list_answers`, or does what `instead` does."""

    def __init__(self, instead: Callable[[ProbeRequest], object] | None = None) -> None:
        answers = {answer["probeId"]: answer for answer in list_answers()}
        self.asked = list[str]()
        self._answer = instead or (lambda request: answers[request.probe_id])

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> object:
        self.asked.append(request.probe_id)
        return self._answer(request)


def run(
    environment: Environment, document: Any = None, probes: Any = PROBES, run_id: str = "run-1", **options: Any
) -> PreflightVerdict:
    signal = options.pop("signal", None) or AbortController().signal
    subject = things() if document is None else document
    return asyncio.run(run_preflight(subject, probes, run_id, environment, signal, **options))


def fault_of(call: Callable[[], object]) -> RuntimeFault:
    with pytest.raises(RuntimeFault) as caught:
        call()
    return caught.value


def refuse(error: BaseException) -> Callable[[ProbeRequest], object]:
    def raising(_request: ProbeRequest) -> object:
        raise error

    return raising


def test_each_leg_is_asked_once_in_plan_order() -> None:
    environment = Environment()
    assert run(environment).passed
    assert environment.asked == LEGS


def test_both_entry_points_agree_on_verdict_and_diagnostics() -> None:
    asked, given = list[Diagnostic](), list[Diagnostic]()
    live = run(Environment(), sink=asked.append)
    recorded = preflight_from_observations(things(), PROBES, "run-1", list_answers(), given.append)
    assert live.document == recorded.document
    assert asked == given
    assert [line.message for line in given] == [
        *(line for leg in LEGS for line in (f'leg "{leg}": planned', f'leg "{leg}": observed')),
        "reduced 5 leg(s): passed",
    ]
    assert {(line.run_id, line.stage) for line in given} == {("run-1", "preflight")}


def test_an_unanswered_leg_is_said_and_fails_the_verdict() -> None:
    lines = list[Diagnostic]()
    verdict = preflight_from_observations(things(), PROBES, "run-1", list_answers()[:-1], lines.append)
    assert not verdict.passed
    assert [line.message for line in lines][-2:] == ['leg "fault": no observation', "reduced 5 leg(s): failed"]


def test_a_sink_that_fails_ends_the_run() -> None:
    def broken(_line: Diagnostic) -> None:
        raise OSError("closed pipe")

    with pytest.raises(OSError, match="closed pipe"):
        run(Environment(), sink=broken)


def test_an_empty_run_id_is_refused_before_anything_is_asked() -> None:
    environment = Environment()
    fault = fault_of(lambda: run(environment, document={"not": "a contract"}, run_id=""))
    assert (fault.code, fault.artifact_path) == ("schema-parse-failure", "runId")
    assert environment.asked == []


def test_an_empty_run_id_over_observations_fails_the_verdict_itself() -> None:
    fault = fault_of(lambda: preflight_from_observations(things(), PROBES, "", list_answers()))
    assert (fault.code, fault.artifact_path) == ("schema-parse-failure", "PreflightVerdict")


def test_an_aborted_signal_asks_nothing() -> None:
    controller, environment = AbortController(), Environment()
    controller.abort()
    fault = fault_of(lambda: run(environment, signal=controller.signal))
    assert (fault.code, fault.artifact_path, environment.asked) == ("aborted", "ProbeRequest", [])


@pytest.mark.parametrize(
    ("instead", "code"),
    [
        (refuse(ConnectionError("refused")), "port-failure"),
        (lambda _request: {"probeId": "list-a"}, "port-contract-violation"),
        (refuse(RuntimeFault("budget-exhausted", "ProbeObservation", "too large")), "budget-exhausted"),
    ],
)
def test_a_port_that_fails_ends_the_run_at_once(instead: Callable[[ProbeRequest], object], code: str) -> None:
    environment = Environment(instead)
    fault = fault_of(lambda: run(environment))
    assert (fault.code, fault.artifact_path) == (code, "ProbeObservation")
    assert environment.asked == LEGS[:1]


def test_a_request_that_no_port_may_get_is_refused_at_the_boundary() -> None:
    document = things()
    inputs = document["permittedInterfaces"][0]["operations"][0]["sensitivityWitness"]["legs"][0]["inputs"]
    subject = _with_query(document, {**inputs, "query": {"": 1}})
    fault = fault_of(lambda: run(Environment(), document=subject, probes=[]))
    assert (fault.code, fault.artifact_path) == ("schema-parse-failure", "ProbeRequest")


def _with_query(document: Document, inputs: Document) -> Document:
    [interface] = document["permittedInterfaces"]
    [operation] = interface["operations"]
    witness = operation["sensitivityWitness"]
    legs = [{**witness["legs"][0], "inputs": inputs}, witness["legs"][1]]
    changed = {**operation, "sensitivityWitness": {**witness, "legs": legs}}
    return {**document, "permittedInterfaces": [{**interface, "operations": [changed]}]}


@pytest.mark.parametrize(
    ("document", "probes", "observations", "code", "path"),
    [
        ({"not": "a contract"}, [], [], "schema-parse-failure", "EvalContract"),
        ({**things(), "schemaVersion": 4}, [], [], "schema-version-mismatch", "EvalContract.schemaVersion"),
        (things(), [{}], "x", "schema-parse-failure", "Probe"),
        (things(), {}, [], "schema-parse-failure", "Probe"),
        (
            things(),
            [{}, {**clean_probe(), "schemaVersion": 3}],
            [],
            "schema-version-mismatch",
            "Probe[probeId=P-900].schemaVersion",
        ),
        (things(), [{"schemaVersion": 3}], [], "schema-version-mismatch", "Probe.schemaVersion"),
        (things(), [], [{"probeId": "list-a"}], "schema-parse-failure", "ProbeObservation"),
        (things(), [], {}, "schema-parse-failure", "ProbeObservation"),
    ],
)
def test_inputs_are_parsed_contract_then_probes_then_observations(
    document: Any, probes: Any, observations: Any, code: str, path: str
) -> None:
    fault = fault_of(lambda: preflight_from_observations(document, probes, "run-1", observations))
    assert (fault.code, fault.artifact_path) == (code, path)


def test_every_bad_observation_is_listed_under_its_position() -> None:
    wrong = [list_answers()[0], {"probeId": "x"}, 7]
    fault = fault_of(lambda: preflight_from_observations(things(), [], "run-1", wrong))
    assert isinstance(fault.cause, ShapeError)
    assert {issue.path[0] for issue in fault.cause.issues} == {1, 2}
    assert fault.detail == "input does not conform to the ProbeObservation schema"


def test_a_failed_plan_passes_through() -> None:
    with pytest.raises(StructuralFailure):
        run(Environment(), document={**things(), "permittedInterfaces": []}, probes=[])


def test_parsed_models_are_taken_as_they_are() -> None:
    parsed = preflight_from_observations(
        parse_contract(things()), parse_probes(PROBES), "run-1", parse_observations(list_answers())
    )
    assert parsed == preflight_from_observations(things(), PROBES, "run-1", list_answers())

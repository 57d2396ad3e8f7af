"""The witness match: did the planted defect show, and does a finding point at where it showed."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.faults import RuntimeFault
from evalnb.engine.score.findings import finding_bucket
from evalnb.engine.score.qualify.home import resolve_home_operation
from evalnb.engine.score.witness import Partition, WitnessMatch, match_witness
from tests.engine.score import thermostat

SET = thermostat.observation("obs-1", 1, "set-target", 21)
COLLECTIONS = [
    {
        "pointer": "/celsius",
        "expectedCardinality": {"mode": "at-most", "max": 9},
        "referenceSet": None,
    }
]


def read(name: str, sequence: int, celsius: object, **changes: Any) -> dict[str, Any]:
    return thermostat.observation(name, sequence, "read-room", celsius, **changes)


def match(observations: list[dict[str, Any]], *findings: dict[str, Any], **signature: Any) -> WitnessMatch:
    document = thermostat.probe_document()
    document["defectSignature"] |= signature
    probe = thermostat.probe(document)
    contract = thermostat.contract_document()
    contract["permittedInterfaces"][0]["operations"][1]["responseDescriptor"]["collectionLocations"] = COLLECTIONS
    home = resolve_home_operation(probe.defect_signature, thermostat.contract(contract).permitted_interfaces)
    trial = thermostat.trial(observations=[SET, *observations], findings=[*findings])
    return match_witness(probe, home, trial)


def test_a_cited_manifestation_is_matched() -> None:
    result = match([read("obs-3", 3, 21), read("obs-2", 2, 18)], thermostat.finding("F-101", "obs-1", "obs-2"))
    assert result == WitnessMatch(
        "matched",
        home_operation_resolved=True,
        exercised=True,
        observation_ids=("obs-2", "obs-3"),
        partition=Partition(satisfying=("obs-2",), refuting=("obs-3",)),
        witness_observation_ids=("obs-2",),
    )


@pytest.mark.parametrize(
    ("observations", "findings", "expected"),
    [
        ([], [], "unexercised"),
        ([read("obs-2", 2, 18, provenance="baseline")], [], "unexercised"),
        ([read("obs-2", 2, 18)], [], "manifested-unclaimed"),
        ([read("obs-2", 2, 18)], [thermostat.finding("F-101", "obs-1")], "manifested-unclaimed"),
        ([read("obs-2", 2, 18)], [thermostat.finding("F-101", "obs-2", probeId="P-999")], "manifested-unclaimed"),
        ([read("obs-2", 2, 21)], [], "not-triggered"),
        ([read("obs-2", 2, 21)], [thermostat.finding("F-101", "obs-2")], "unwitnessed-claim"),
        ([read("obs-2", 2, [])], [], "vacuous"),
        ([read("obs-2", 2, []), read("obs-3", 3, 21)], [], "not-triggered"),
        (
            [read("obs-2", 2, 18), read("obs-3", 3, 21)],
            [thermostat.finding("F-101", "obs-2"), thermostat.finding("F-102", "obs-3")],
            "unwitnessed-claim",
        ),
    ],
)
def test_the_first_fitting_result_wins(
    observations: list[dict[str, Any]], findings: list[dict[str, Any]], expected: str
) -> None:
    assert match(observations, *findings).result == expected


def test_an_unresolved_home_operation_leaves_the_probe_unexercised() -> None:
    result = match([read("obs-2", 2, 18)], pathTemplate="/cellar")
    assert (result.result, result.home_operation_resolved, result.exercised) == ("unexercised", False, False)


def test_a_citation_of_a_baseline_call_is_a_claim_about_the_operation() -> None:
    observations = [read("obs-2", 2, 18, provenance="baseline"), read("obs-3", 3, 21)]
    result = match(observations, thermostat.finding("F-101", "obs-2"))
    assert (result.result, result.unwitnessed_finding_ids) == ("unwitnessed-claim", ("F-101",))


def with_selector(**bound: Any) -> dict[str, Any]:
    condition = thermostat.signature_document()["condition"]
    condition["selector"]["inputBinding"] |= bound
    return {"condition": condition}


@pytest.mark.parametrize(
    ("bound", "sent", "admitted"),
    [
        ({"path": {"room": {"literal": "cellar"}}}, {}, False),
        ({"path": {"room": {"matcher": "any"}}}, {}, True),
        ({"path": {"room": {"matcher": "type-violating"}}}, {}, False),
        ({"path": {"room": {"matcher": "type-violating"}}}, {"path": {"room": 7}}, True),
        ({"path": {"floor": {"matcher": "any"}}}, {}, False),
        ({"query": {"q": {"matcher": "any"}}}, {}, False),
        ({"path": None, "arguments": {"q": {"literal": 1.0}}}, {"arguments": {"q": 1}}, True),
        ({"path": None, "arguments": {"q": {"literal": 1}}}, {"arguments": {"q": True}}, False),
    ],
)
def test_the_selector_chooses_the_calls(bound: dict[str, Any], sent: dict[str, Any], admitted: bool) -> None:
    call = read("obs-2", 2, 18)
    call["callInputs"] |= sent
    result = match([call], **with_selector(**bound))
    assert result.result == ("manifested-unclaimed" if admitted else "not-triggered")
    assert result.observation_ids == (("obs-2",) if admitted else ())


def test_a_raw_selector_only_admits_calls_that_sent_bytes() -> None:
    raw = {"kind": "raw", "base64": "e30=", "contentType": "application/json"}
    looks_alike, sent_raw = read("obs-2", 2, 18), read("obs-3", 3, 18)
    looks_alike["callInputs"]["body"] = raw
    sent_raw["callInputs"] |= {"body": raw, "bodyEncoding": "raw"}
    assert match([looks_alike, sent_raw], **with_selector(body=raw)).observation_ids == ("obs-3",)


def test_a_fault_of_the_condition_passes_through_with_its_path() -> None:
    condition = thermostat.signature_document()["condition"] | {
        "predicate": {
            "op": "deep-equality",
            "operands": [{"pointer": "/interactions/observed/response-body/celsius"}, {"literal": 1}],
        }
    }
    with pytest.raises(RuntimeFault) as raised:
        match([read("obs-2", 2, 2**60)], condition=condition)
    assert (raised.value.code, raised.value.artifact_path) == (
        "non-canonicalizable-value",
        "Probe[probeId=P-101].defectSignature.condition.predicate",
    )


@pytest.mark.parametrize(
    ("changes", "cited", "bucket"),
    [
        ({"probeId": "P-999"}, "obs-2", "dangling"),
        ({}, "obs-2", "mapped"),
        ({}, "obs-1", "unmapped"),
        ({}, "gone", "unmapped"),
    ],
)
def test_findings_fall_into_buckets(changes: dict[str, Any], cited: str, bucket: str) -> None:
    probe = thermostat.probe()
    home = resolve_home_operation(probe.defect_signature, thermostat.contract().permitted_interfaces)
    trial = thermostat.trial(findings=[thermostat.finding("F-101", cited, **changes)])
    observations = {one.observation_id: one for one in trial.observations}
    finding: Any = trial.findings[0]
    assert finding_bucket(finding, probe, home, observations) == bucket


def test_a_clean_control_and_an_unresolved_signature_have_buckets_of_their_own() -> None:
    trial = thermostat.trial(findings=[thermostat.finding("F-101", "obs-2", probeId="P-102")])
    observations = {one.observation_id: one for one in trial.observations}
    finding: Any = trial.findings[0]
    clean = thermostat.probe(thermostat.clean_probe_document())
    assert finding_bucket(finding, clean, None, observations) == "signatureless"
    signed = thermostat.probe(thermostat.probe_document() | {"probeId": "P-102"})
    assert finding_bucket(finding, signed, None, observations) == "unmapped"

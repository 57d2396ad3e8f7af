"""Artifact documents that must parse, spoiled ones that must not, and the run-side files of the public chains."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from evalnb.engine.artifacts import KINDS, Issue, ShapeError, check_stamp, issues_of, parse_shape
from evalnb.engine.artifacts.aggregate import StrengthFloors
from evalnb.engine.artifacts.port_messages import ProbeObservation, ProbeRequest
from evalnb.engine.artifacts.target_policies import CommandTargetPolicy, McpTargetPolicy, ProbeTargetPolicy
from evalnb.engine.canonical import scan_json
from evalnb.engine.faults import RuntimeFault
from tests.conformance.contradictions import CONTRADICTIONS
from tests.conformance.json_patch import patched
from tests.conformance.published_errors import PublishedError, published_errors
from tests.conformance.reference import REFERENCE, cases, load, rows, supporting

VALID = ("cases", "artifact-valid.json")
REJECTS = ("cases", "artifact-rejects.json")
UNPUBLISHED = {
    "strength-floors": StrengthFloors,
    "probe-request": ProbeRequest,
    "probe-observation": ProbeObservation,
    "probe-target-policy": ProbeTargetPolicy,
    "command-target-policy": CommandTargetPolicy,
    "mcp-target-policy": McpTargetPolicy,
}
CHAIN_FILES = {
    "probe.json": "probe",
    "probes.json": "probe",
    "sealed-run-record.json": "sealed-run-record",
    "isolation-manifest.json": "isolation-manifest",
    "evaluator-configuration.json": "evaluator-configuration",
    "observations.json": "probe-observation",
    "scoring-policy.json": "scoring-policy",
    "preflight-verdict.json": "preflight-verdict",
}
# Such a note says that the pinned location dates from before a union took the place of one object.
MOVED = "location pinned while"


def is_published(parameters: Any) -> bool:
    """Whether a case is about a published artifact; the stand-in of a missing table stays in."""
    case = parameters.values[0]
    return case is None or case["artifact"] in KINDS


def as_read(document: Any) -> Any:
    """The document as the strict scanner reads it, where `1.0` is an integer."""
    return scan_json(json.dumps(document), "document")


def issues(artifact: str, document: Any) -> tuple[Issue, ...]:
    if artifact in UNPUBLISHED:
        return issues_of(UNPUBLISHED[artifact], document)
    try:
        model = parse_shape(KINDS[artifact], document)
    except RuntimeFault as refused:
        fault = refused
    else:
        assert model.document == document
        return ()
    assert (fault.code, fault.artifact_path) == ("schema-parse-failure", KINDS[artifact].name)
    assert isinstance(fault.cause, ShapeError)
    return fault.cause.issues


def spoiled(case: dict[str, Any]) -> Any:
    seeds = {row["id"]: row for row in supporting(*VALID)}
    if case["seed"] not in seeds:
        pytest.skip(f"seed not here: {case['seed']}")
    patch = [
        {
            "op": "remove" if mutation["op"] == "remove" else "replace",
            "path": mutation["pointer"],
            "value": mutation.get("value"),
        }
        for mutation in case["mutations"]
    ]
    return as_read(patched(seeds[case["seed"]]["value"], patch))


def expected_location(case: dict[str, Any]) -> tuple[tuple[str | int, ...], str]:
    if case.get("note", "").startswith(MOVED):
        return ("defectSignature",), "invalid_union"
    return tuple(case["issuePath"]), case["issueCode"]


@pytest.mark.parametrize("case", cases(*VALID))
def test_a_valid_document_parses_and_stays_as_written(case: dict[str, Any]) -> None:
    assert issues(case["artifact"], as_read(case["value"])) == ()


@pytest.mark.parametrize("case", cases(*REJECTS))
def test_a_spoiled_document_is_refused_where_it_was_spoiled(case: dict[str, Any]) -> None:
    found = issues(case["artifact"], spoiled(case))
    contradicted = ("artifact-rejects.json", case["id"]) in CONTRADICTIONS
    assert found
    if case["source"] == "pinned":
        located = expected_location(case) in [(issue.path, issue.code) for issue in found]
        assert located is not contradicted


@pytest.mark.parametrize("case", [case for case in cases(*VALID) if is_published(case)])
def test_the_published_schema_accepts_a_valid_document(case: dict[str, Any]) -> None:
    assert published_errors(case["artifact"], as_read(case["value"])) == []


@pytest.mark.parametrize("case", [case for case in cases(*REJECTS) if is_published(case)])
def test_the_published_schema_refuses_what_it_can_express(case: dict[str, Any]) -> None:
    if case["keyword"] is None:
        pytest.skip("no keyword is known, or none expresses the rule")
    errors = published_errors(case["artifact"], spoiled(case))
    assert errors
    if case["source"] == "pinned":
        about = next(iter(case.get("errorParams", {}).values()), None)
        contradicted = ("artifact-rejects.json", case["id"]) in CONTRADICTIONS
        expected = PublishedError(case["keyword"], case["instancePath"], about)
        assert (expected in errors) is not contradicted


def test_the_published_schema_cannot_say_that_sequences_differ() -> None:
    record = next((row for row in rows(*VALID) if row["id"] == "sealed-run-record"), None)
    if record is None:
        pytest.skip("the record is not here")
    document = copy.deepcopy(record["value"])
    document["observations"][1]["sequence"] = document["observations"][0]["sequence"]
    assert published_errors("sealed-run-record", document) == []
    assert [issue.code for issue in issues("sealed-run-record", document)] == ["custom"]


def chain_documents() -> Iterator[Any]:
    for path in sorted((REFERENCE / "chains").glob("*/*.json")):
        if path.name in CHAIN_FILES:
            yield pytest.param(path.parent.name, path.name, id=f"{path.parent.name}/{path.name}")


@pytest.mark.parametrize(("chain", "file"), list(chain_documents()))
def test_a_chain_s_documents_parse_and_stay_as_written(chain: str, file: str) -> None:
    document = as_read(load("chains", chain, file))
    artifact = CHAIN_FILES[file]
    for item in document if isinstance(document, list) else [document]:
        if artifact in KINDS:
            check_stamp(KINDS[artifact], item)
        assert issues(artifact, item) == ()


def embedded(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The policies, evidence artifacts and aggregates inside `value`."""
    if isinstance(value, dict):
        if "policyId" in value and "schemaVersion" in value:
            yield "scoring-policy", value
        elif "scoringVersionInputs" in value and "strength" in value:
            yield "evidence-artifact", value
        elif "floorDecisions" in value and "engineVersion" in value:
            yield "strength-aggregate", value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from embedded(inner)


def test_artifacts_inside_the_aggregation_cases_parse() -> None:
    for artifact, document in embedded(load("cases", "aggregate.json")):
        assert issues(artifact, as_read(document)) == (), document

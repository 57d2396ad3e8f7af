"""Run-side artifacts: which stamps are read, what older ones become, what stays as written, what is refused."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.artifacts import (
    EVAL_CONTRACT,
    EVIDENCE_ARTIFACT,
    PREFLIGHT_VERDICT,
    PROBE,
    SEALED_RUN_RECORD,
    UNRESOLVED_INTERFACE,
    ArtifactKind,
    issues_of,
    read,
)
from evalnb.engine.artifacts.aggregate import StrengthFloors
from evalnb.engine.artifacts.evidence import ContractScoringEvidence, ProductionEvidence
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.artifacts.port_messages import CliChannels, CorpusResolveResponse, McpProbeObservation
from evalnb.engine.artifacts.probe import CleanProbe, SeededProbe
from evalnb.engine.artifacts.record import Observation, SealedRunRecord, resolve_observation_interfaces
from evalnb.engine.artifacts.target_policies import CommandTargetPolicy, McpTargetPolicy, ProbeTargetPolicy
from evalnb.engine.faults import RuntimeFault
from tests.engine.artifacts import run_documents as documents

RAW = {"kind": "raw", "base64": "AA==", "contentType": "text/plain"}

VERSIONS: list[tuple[ArtifactKind, Callable[[int], dict[str, Any]], range]] = [
    (PROBE, documents.probe, range(5, 7)),
    (SEALED_RUN_RECORD, documents.record, range(6, 9)),
    (PREFLIGHT_VERDICT, documents.verdict, range(1, 3)),
]


def refusal(kind: ArtifactKind, document: Any) -> RuntimeFault:
    with pytest.raises(RuntimeFault) as raised:
        read(kind, document)
    return raised.value


def locations(kind: ArtifactKind, document: Any) -> list[tuple[tuple[str | int, ...], str]]:
    fault = refusal(kind, document)
    assert fault.code == "schema-parse-failure"
    assert isinstance(fault.cause, ShapeError)
    return [(issue.path, issue.code) for issue in fault.cause.issues]


def changed(document: dict[str, Any], *path: str | int, to: Any) -> dict[str, Any]:
    result = copy.deepcopy(document)
    holder: Any = result
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = to
    return result


@pytest.mark.parametrize(("kind", "make", "stamps"), VERSIONS)
def test_every_stamp_of_the_range_is_read_and_stays_as_written(
    kind: ArtifactKind, make: Callable[[int], dict[str, Any]], stamps: range
) -> None:
    for stamp in stamps:
        document = make(stamp)
        artifact = read(kind, copy.deepcopy(document))
        assert artifact.schema_version == stamp
        assert artifact.document == document


@pytest.mark.parametrize(("kind", "make", "stamps"), VERSIONS)
def test_a_stamp_outside_the_range_is_named_with_the_range(
    kind: ArtifactKind, make: Callable[[int], dict[str, Any]], stamps: range
) -> None:
    for stamp in (stamps.start - 1, stamps.stop):
        if stamp == 0:
            continue
        fault = refusal(kind, {**make(stamps.stop - 1), "schemaVersion": stamp})
        assert fault.code == "schema-version-mismatch"
        named = f'carries "schemaVersion" {stamp} where this build reads {stamps.start} to {stamps.stop - 1}'
        assert named in fault.detail


class TestRecord:
    def test_an_observation_of_stamp_6_has_no_interface_until_it_is_resolved(self) -> None:
        record = read(SEALED_RUN_RECORD, documents.record(6))
        assert [item.interface_id for item in record.observations] == [UNRESOLVED_INTERFACE] * 2
        assert [item.call_inputs.body_encoding for item in record.observations] == [None] * 2

    def test_an_observation_of_stamp_7_keeps_its_interface_and_has_no_encoding(self) -> None:
        record = read(SEALED_RUN_RECORD, documents.record(7))
        assert record.observations[0].interface_id == "notes"
        assert record.observations[0].call_inputs.body_encoding is None

    @pytest.mark.parametrize(
        ("stamp", "newest", "path", "code"),
        [
            (6, {"interfaceId": "notes"}, ("observations", 0), "unrecognized_keys"),
            (7, {"bodyEncoding": None}, ("observations", 0, "callInputs"), "unrecognized_keys"),
        ],
    )
    def test_a_key_that_the_stamp_does_not_know_is_unknown(
        self, stamp: int, newest: dict[str, Any], path: tuple[str | int, ...], code: str
    ) -> None:
        document = documents.record(stamp)
        holder: Any = document
        for step in path:
            holder = holder[step]
        holder.update(newest)
        assert locations(SEALED_RUN_RECORD, document) == [(path, code)]

    def test_a_key_that_the_stamp_requires_is_required(self) -> None:
        older = documents.record(6)
        assert locations(SEALED_RUN_RECORD, {**older, "schemaVersion": 7})[0] == (
            ("observations", 0, "interfaceId"),
            "invalid_type",
        )
        older = documents.record(7)
        assert locations(SEALED_RUN_RECORD, {**older, "schemaVersion": 8})[0] == (
            ("observations", 0, "callInputs", "bodyEncoding"),
            "invalid_value",
        )

    @pytest.mark.parametrize(
        ("interfaces", "expected"),
        [
            ([("notes", "list-notes")], "notes"),
            ([("other", "else"), ("notes", "list-notes")], "notes"),
            ([("notes", "list-notes"), ("copy", "list-notes")], UNRESOLVED_INTERFACE),
            ([("notes", "add-note")], UNRESOLVED_INTERFACE),
        ],
    )
    def test_an_interface_is_found_where_exactly_one_declares_the_operation(
        self, interfaces: list[tuple[str, str]], expected: str
    ) -> None:
        contract = read(EVAL_CONTRACT, documents.contract(*interfaces))
        document = documents.record(6)
        resolved = resolve_observation_interfaces(read(SEALED_RUN_RECORD, document), contract)
        assert [item.interface_id for item in resolved.observations] == [expected] * 2
        assert resolved.document == document

    def test_an_interface_that_the_record_names_is_never_replaced(self) -> None:
        contract = read(EVAL_CONTRACT, documents.contract(("other", "list-notes")))
        record = read(SEALED_RUN_RECORD, documents.record(8))
        assert resolve_observation_interfaces(record, contract) is record

    def test_sequences_may_be_sparse_but_not_shared(self) -> None:
        document = documents.record()
        sparse = changed(document, "observations", 0, "sequence", to=40)
        assert read(SEALED_RUN_RECORD, sparse).observations[0].sequence == 40
        for spelling in (2, 2.0):
            shared = changed(document, "observations", 0, "sequence", to=spelling)
            assert locations(SEALED_RUN_RECORD, shared) == [(("observations",), "custom")]

    def test_a_shared_sequence_is_not_looked_for_where_an_observation_is_no_observation(self) -> None:
        document = changed(documents.record(), "observations", 0, "sequence", to="2")
        assert locations(SEALED_RUN_RECORD, document) == [(("observations", 0, "sequence"), "invalid_type")]

    def test_a_quotation_names_a_file_exactly_where_it_quotes_one(self) -> None:
        place = ("findings", 0, "quotedEvidence", 0)
        for quotation in (
            {"quote": "x", "channel": "artifact", "artifactId": None},
            {"quote": "x", "channel": "stdout", "artifactId": "report"},
            {"quote": "x", "channel": "stdout"},
        ):
            spoiled = changed(documents.record(), *place, to=quotation)
            assert locations(SEALED_RUN_RECORD, spoiled) == [(place, "invalid_union")]
        quoted = changed(documents.record(), *place, to={"quote": "x", "channel": "artifact", "artifactId": "report"})
        assert read(SEALED_RUN_RECORD, quoted).findings[0].quoted_evidence[0].artifact_id == "report"

    def test_a_raw_body_without_its_marker_is_an_ordinary_json_body(self) -> None:
        record = read(SEALED_RUN_RECORD, changed(documents.record(), "observations", 0, "callInputs", "body", to=RAW))
        assert record.observations[0].call_inputs.body == RAW
        assert record.observations[0].call_inputs.body_encoding is None

    def test_a_model_is_read_as_itself(self) -> None:
        record = read(SEALED_RUN_RECORD, documents.record())
        assert read(SEALED_RUN_RECORD, record) is record
        assert isinstance(record, SealedRunRecord)

    def test_a_record_built_in_python_dumps_the_document_it_would_be_read_from(self) -> None:
        read_record = read(SEALED_RUN_RECORD, documents.record())
        built = SealedRunRecord(**{name: getattr(read_record, name) for name in SealedRunRecord.model_fields})
        assert built.document == documents.record()


class TestProbe:
    def test_a_probe_is_clean_or_seeded(self) -> None:
        assert isinstance(read(PROBE, documents.clean_probe()), CleanProbe)
        assert isinstance(read(PROBE, documents.probe()), SeededProbe)

    @pytest.mark.parametrize("value", [1, 0, "true", None])
    def test_nothing_but_a_boolean_says_which(self, value: Any) -> None:
        document = {**documents.probe(), "expectedClean": value}
        assert locations(PROBE, document) == [(("expectedClean",), "invalid_union")]

    def test_a_clean_control_has_no_defect_and_no_place_for_a_signature(self) -> None:
        seeded = documents.probe()
        document = {**seeded, "expectedClean": True}
        assert locations(PROBE, document) == [(("defects",), "too_big"), ((), "unrecognized_keys")]

    def test_a_raw_body_is_known_from_stamp_6(self) -> None:
        witness = ("defects", 0, "manifestationWitness", "inputs")
        selector = ("defectSignature", "condition", "selector", "inputBinding", "body")
        for place, union in (((*witness, "body"), witness), (selector, ("defectSignature",))):
            probe = read(PROBE, changed(documents.probe(6), *place, to=RAW))
            assert probe.schema_version == 6
            assert locations(PROBE, changed(documents.probe(5), *place, to=RAW)) == [(union, "invalid_union")]

    def test_a_selector_channel_binds_something_or_is_null(self) -> None:
        place = ("defectSignature", "condition", "selector", "inputBinding", "query")
        assert locations(PROBE, changed(documents.probe(), *place, to={})) == [(place, "custom")]

    @pytest.mark.parametrize("value", [{"captured": "/interactions/a/response-body"}, {"principal": "owner"}, "x"])
    def test_a_selector_takes_literals_and_matchers_only(self, value: Any) -> None:
        place = ("defectSignature", "condition", "selector", "inputBinding", "query")
        document = changed(documents.probe(), *place, to={"title": value})
        assert locations(PROBE, document) == [(("defectSignature",), "invalid_union")]


class TestPreflightVerdict:
    def test_a_check_of_stamp_1_names_no_interface(self) -> None:
        verdict = read(PREFLIGHT_VERDICT, documents.verdict(1))
        assert verdict.checks[0].interface_id is None
        assert verdict.checks[0].operation_id == "list-notes"

    def test_a_check_of_stamp_1_may_not_name_one(self) -> None:
        document = changed(documents.verdict(1), "checks", 0, "interfaceId", to=None)
        assert locations(PREFLIGHT_VERDICT, document) == [(("checks", 0), "unrecognized_keys")]

    def test_a_check_of_stamp_2_must_say_whether_it_does(self) -> None:
        document = {**documents.verdict(1), "schemaVersion": 2}
        assert locations(PREFLIGHT_VERDICT, document) == [(("checks", 0, "interfaceId"), "invalid_type")]


class TestEvidence:
    def test_the_mode_decides_what_else_is_there(self) -> None:
        assert isinstance(read(EVIDENCE_ARTIFACT, documents.evidence()), ProductionEvidence)
        scoring = read(EVIDENCE_ARTIFACT, documents.evidence("contract-scoring"))
        assert isinstance(scoring, ContractScoringEvidence)
        assert scoring.outcomes[0].check_resolution.children[0].resolution == "true"

    def test_the_mode_among_the_version_inputs_is_the_artifact_s_own(self) -> None:
        document = changed(documents.evidence(), "scoringVersionInputs", "mode", to="contract-scoring")
        assert locations(EVIDENCE_ARTIFACT, document) == [(("scoringVersionInputs", "mode"), "invalid_value")]

    def test_a_class_is_spelled_with_a_hyphen(self) -> None:
        strength = {"caught": 0, "exercised": 0, "rate": None}
        place = ("strength", "vector", "zero-action")
        evidence = read(EVIDENCE_ARTIFACT, changed(documents.evidence(), *place, to=strength))
        assert evidence.strength.vector.zero_action.exercised == 0
        document = changed(documents.evidence(), "strength", "vector", "zeroAction", to=None)
        assert locations(EVIDENCE_ARTIFACT, document) == [(("strength", "vector"), "unrecognized_keys")]


class TestFragments:
    def test_a_floor_is_left_out_never_null(self) -> None:
        assert issues_of(StrengthFloors, {}) == ()
        assert issues_of(StrengthFloors, {"zero-action": 0}) == ()
        assert [issue.path for issue in issues_of(StrengthFloors, {"defect": None})] == [("defect",)]
        assert StrengthFloors(defect=0.5).gameability is None

    def test_an_exit_code_of_a_tool_call_is_left_out_never_null(self) -> None:
        answer = {
            "probeId": "leg",
            "interfaceId": "notes",
            "operationId": "list-notes",
            "kind": "mcp",
            "isError": False,
            "result": {"kind": "absent"},
        }
        assert issues_of(McpProbeObservation, answer) == ()
        assert issues_of(McpProbeObservation, {**answer, "exitCode": -9}) == ()
        assert [issue.code for issue in issues_of(McpProbeObservation, {**answer, "exitCode": None})] == [
            "invalid_type"
        ]

    def test_an_environment_key_has_no_equals_sign(self) -> None:
        # The published pattern is open; a process environment can carry neither of these in a name.
        channels = {"argument": {}, "option": {}, "environment": {}, "stdin": {"kind": "absent"}}
        for key in ("A=B", "", "A\0"):
            found = issues_of(CliChannels, {**channels, "environment": {key: "x"}})
            assert [(issue.path, issue.code) for issue in found] == [(("environment", key), "invalid_key")]
        assert issues_of(CliChannels, {**channels, "environment": {"a.b c-\u00e9": ""}}) == ()

    def test_an_observation_model_refuses_what_the_document_refuses(self) -> None:
        assert [issue.path for issue in issues_of(Observation, {**documents.observation(), "exitCode": "1"})] == [
            ("exitCode",)
        ]


HTTP = {
    "interfaceId": "notes",
    "scheme": "http",
    "host": "notes.test",
    "port": 80,
    "addresses": ["127.0.0.1"],
    "methods": ["GET"],
    "safeMethods": [],
    "maxRedirects": 0,
    "maxElapsedMs": 1,
    "maxRequestBytes": 1,
    "maxResponseBytes": 1,
}
COMMAND = {
    "interfaceId": "notes",
    "executable": "notes",
    "target": "/bin/true",
    "permittedSubcommandPaths": [[]],
    "permittedEnvironmentKeys": ["PATHS"],
    "cwd": "/",
    "artifacts": {},
    "maxElapsedMs": 2147483647,
    "maxOutputBytes": 1,
}
MCP = {
    "interfaceId": "notes",
    "target": "server",
    "targetArgs": [""],
    "tools": ["list_notes"],
    "cwd": "/",
    "serverEnvironment": {},
    "maxElapsedMs": 1,
    "maxOutputBytes": 1,
}


class TestTargetPolicies:
    @pytest.mark.parametrize(
        ("shape", "authorization"), [(ProbeTargetPolicy, HTTP), (CommandTargetPolicy, COMMAND), (McpTargetPolicy, MCP)]
    )
    def test_a_policy_may_authorize_nothing_or_something(self, shape: Any, authorization: dict[str, Any]) -> None:
        assert issues_of(shape, {"authorizations": []}) == ()
        assert issues_of(shape, {"authorizations": [authorization]}) == ()

    @pytest.mark.parametrize(
        ("shape", "authorizations", "expected"),
        [
            (ProbeTargetPolicy, [{**HTTP, "addresses": ["localhost"]}], (("addresses", 0), "custom")),
            (ProbeTargetPolicy, [{**HTTP, "addresses": []}], (("addresses",), "too_small")),
            (ProbeTargetPolicy, [{**HTTP, "port": 65536}], (("port",), "too_big")),
            (
                CommandTargetPolicy,
                [{**COMMAND, "permittedEnvironmentKeys": ["pAtH"]}],
                (("permittedEnvironmentKeys",), "custom"),
            ),
            (CommandTargetPolicy, [{**COMMAND, "maxElapsedMs": 2147483648}], (("maxElapsedMs",), "too_big")),
        ],
    )
    def test_what_an_authorization_refuses(
        self, shape: Any, authorizations: list[Any], expected: tuple[tuple[str | int, ...], str]
    ) -> None:
        path, code = expected
        found = issues_of(shape, {"authorizations": authorizations})
        assert [(issue.path, issue.code) for issue in found] == [(("authorizations", 0, *path), code)]

    def test_tool_servers_are_told_apart_by_interface(self) -> None:
        found = issues_of(McpTargetPolicy, {"authorizations": [MCP, {**MCP, "target": "other"}]})
        assert [(issue.path, issue.code) for issue in found] == [(("authorizations",), "custom")]
        assert issues_of(CommandTargetPolicy, {"authorizations": [COMMAND, COMMAND]}) == ()


LEAVES = st.sampled_from(
    [None, True, 0, -1, 1.0, 1.5, 2**53, float("inf"), "", "x", "P-001", "raw", [], {}, [1], {"kind": "absent"}, RAW]
)


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [place for step, part in inner for place in places(part, (*path, step))]


@given(st.data())
def test_a_document_is_refused_exactly_where_the_issue_list_says_why(data: st.DataObject) -> None:
    kind, document = data.draw(
        st.sampled_from(
            [
                (PROBE, documents.probe()),
                (SEALED_RUN_RECORD, documents.record()),
                (PREFLIGHT_VERDICT, documents.verdict()),
                (EVIDENCE_ARTIFACT, documents.evidence("contract-scoring")),
            ]
        )
    )
    place = data.draw(st.sampled_from([place for place in places(document) if place != ("schemaVersion",)]))
    spoiled = changed(document, *place, to=data.draw(LEAVES))
    issues = issues_of(kind.shape, spoiled)
    if issues:
        assert locations(kind, spoiled) == [(issue.path, issue.code) for issue in issues]
    else:
        assert read(kind, spoiled).document == spoiled


def test_the_bytes_of_a_port_s_answer_are_bytes() -> None:
    assert issues_of(CorpusResolveResponse, {"privateRef": "opaque", "bytes": b"\0"}) == ()
    for answer in ("text", None, [0]):
        found = issues_of(CorpusResolveResponse, {"privateRef": "opaque", "bytes": answer})
        assert [(issue.path, issue.code) for issue in found] == [(("bytes",), "invalid_type")]

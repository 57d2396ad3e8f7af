"""Reading: the stamp before the shape, older stamps in the newest shape, and the document as it was written."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest

from evalnb.engine import artifacts
from evalnb.engine.artifacts import EVAL_CONTRACT, RUBRIC, SEALED_EVALUATOR_BRIEF, EvalContract, RawRequestBody, read
from evalnb.engine.artifacts.contract import UNRESOLVED_INTERFACE
from evalnb.engine.artifacts.issues import ShapeError, issues_of
from evalnb.engine.artifacts.model import Artifact, StrictObject, Tagged
from evalnb.engine.artifacts.reading import KINDS, check_stamp, parse_shape, validated
from evalnb.engine.artifacts.witnesses import WitnessInputs
from evalnb.engine.faults import RuntimeFault
from tests.engine.artifacts import documents


def refusal(document: Any) -> RuntimeFault:
    with pytest.raises(RuntimeFault) as caught:
        read(EVAL_CONTRACT, document)
    return caught.value


def issues(document: Any) -> list[tuple[str, str]]:
    fault = refusal(document)
    assert fault.code == "schema-parse-failure"
    assert isinstance(fault.cause, ShapeError)
    return [("/".join(map(str, issue.path)), issue.code) for issue in fault.cause.issues]


@pytest.mark.parametrize("stamp", [5, 6, 7])
def test_every_stamp_in_the_range_reads_and_keeps_its_document(stamp: int) -> None:
    document = documents.contract(stamp)
    model = read(EVAL_CONTRACT, document)
    assert isinstance(model, EvalContract)
    assert model.document is document
    assert model.schema_version == stamp
    assert [step.interface_id for step in model.interaction_plan] == ["api"]
    assert model.sibling_groups is not None
    assert [member.interface_id for member in model.sibling_groups.operations[0]] == ["api", "tool"]


@pytest.mark.parametrize("stamp", [4, 8, 0, -1, 5.5])
def test_a_stamp_outside_the_range_is_named_with_the_range(stamp: float) -> None:
    fault = refusal({"schemaVersion": stamp})
    assert (fault.code, fault.artifact_path) == ("schema-version-mismatch", "EvalContract.schemaVersion")
    assert fault.detail.startswith(f'carries "schemaVersion" {stamp} where this build reads 5 to 7')


def test_a_single_version_is_named_alone() -> None:
    with pytest.raises(RuntimeFault) as caught:
        check_stamp(SEALED_EVALUATOR_BRIEF, {"schemaVersion": 3}, "Brief[3].schemaVersion")
    assert caught.value.artifact_path == "Brief[3].schemaVersion"
    assert 'carries "schemaVersion" 3 where this build reads 2;' in caught.value.detail


@pytest.mark.parametrize("raw", [None, [], [None], "text", 7, {}, {"schemaVersion": "7"}, {"schemaVersion": True}])
def test_what_has_no_numeric_stamp_goes_on_to_the_shape(raw: Any) -> None:
    fault = refusal(raw)
    assert (fault.code, fault.artifact_path) == ("schema-parse-failure", "EvalContract")
    assert fault.detail == "input does not conform to the EvalContract schema"


def test_the_fault_is_reported_where_the_caller_says() -> None:
    with pytest.raises(RuntimeFault) as caught:
        parse_shape(EVAL_CONTRACT, {}, "EvalContract[2]")
    assert caught.value.artifact_path == "EvalContract[2]"


def test_a_rubric_has_a_stamp_that_nobody_compares() -> None:
    rubric = {
        "id": "R-001",
        "scaleLevels": None,
        "failureModePenalties": None,
        "maxLength": None,
        "criteria": [],
        "schemaVersion": 99,
        "parentDigest": None,
        "revisionCount": 0,
    }
    assert read(RUBRIC, rubric).schema_version == 99


def test_a_model_is_returned_as_it_is() -> None:
    model = read(EVAL_CONTRACT, documents.contract())
    assert read(EVAL_CONTRACT, model) is model


def test_a_model_of_another_kind_is_refused() -> None:
    model = read(EVAL_CONTRACT, documents.contract())
    with pytest.raises(RuntimeFault) as caught:
        parse_shape(RUBRIC, model)
    assert (caught.value.code, caught.value.artifact_path) == ("schema-parse-failure", "Rubric")


def test_a_model_of_another_stamp_is_refused_too() -> None:
    model = read(EVAL_CONTRACT, documents.contract()).model_copy(update={"schema_version": 4})
    assert refusal(model).code == "schema-version-mismatch"


def _with(change: Callable[[dict[str, Any]], None], stamp: int) -> dict[str, Any]:
    document = documents.contract(stamp)
    change(document)
    return document


def _raw_binding(document: dict[str, Any]) -> None:
    document["interactionPlan"][0]["inputBinding"]["body"] = documents.raw_body()


def _raw_leg(document: dict[str, Any]) -> None:
    witness = document["permittedInterfaces"][0]["operations"][0]["sensitivityWitness"]
    witness["legs"][1]["inputs"]["body"] = documents.raw_body()


def _raw_reset(document: dict[str, Any]) -> None:
    inputs = documents.leg("reset", "a")["inputs"] | {"body": documents.raw_body()}
    document["fixtureReset"] = {"legId": "reset", "interfaceId": "api", "operationId": "list", "inputs": inputs}


def _wildcard(document: dict[str, Any]) -> None:
    document["permittedInterfaces"][0]["operations"][0]["volatilePointers"] = ["/items/*/readAt"]


def _reset_pointers(document: dict[str, Any]) -> None:
    document["permittedInterfaces"][1]["operations"][0]["stateResetPointers"] = ["/total"]


NEWER = [
    pytest.param(_raw_binding, "interactionPlan/0/inputBinding", "invalid_union", id="raw body in a binding"),
    pytest.param(
        _raw_leg,
        "permittedInterfaces/0/operations/0/sensitivityWitness/legs/1/inputs",
        "invalid_union",
        id="raw body on a leg",
    ),
    pytest.param(_raw_reset, "fixtureReset/inputs", "invalid_union", id="raw body in the reset"),
    pytest.param(_wildcard, "permittedInterfaces/0/operations/0/volatilePointers/0", "invalid_format", id="wildcard"),
    pytest.param(_reset_pointers, "permittedInterfaces/1/operations/0", "unrecognized_keys", id="state reset pointers"),
]


@pytest.mark.parametrize(("change", "path", "code"), NEWER)
def test_what_version_7_brought_is_read_with_7_alone(
    change: Callable[[dict[str, Any]], None], path: str, code: str
) -> None:
    read(EVAL_CONTRACT, _with(change, 7))
    for stamp in (5, 6):
        assert issues(_with(change, stamp)) == [(path, code)]


def test_version_5_does_not_know_the_interface_of_a_step() -> None:
    document = documents.contract(5)
    document["interactionPlan"][0]["interfaceId"] = "api"
    assert issues(document) == [("interactionPlan/0", "unrecognized_keys")]


@pytest.mark.parametrize("stamp", [6, 7])
def test_later_versions_require_the_interface_of_a_step(stamp: int) -> None:
    document = documents.contract(stamp)
    del document["interactionPlan"][0]["interfaceId"]
    assert issues(document) == [("interactionPlan/0/interfaceId", "invalid_type")]


def test_sibling_members_of_version_5_are_bare_names() -> None:
    document = documents.contract(5)
    document["siblingGroups"]["operations"] = [[documents.member("api", "list"), "Export"]]
    assert issues(document) == [
        ("siblingGroups/operations/0/0", "invalid_type"),
        ("siblingGroups/operations/0/1", "invalid_format"),
    ]
    document["siblingGroups"]["operations"] = "none"
    assert issues(document) == [("siblingGroups/operations", "invalid_type")]


@pytest.mark.parametrize("elsewhere", [0, 2], ids=["nowhere", "twice"])
def test_a_bare_operation_that_no_single_interface_declares_refers_to_nothing(elsewhere: int) -> None:
    document = documents.contract(5)
    if elsewhere:
        document["permittedInterfaces"].append(documents.api_interface() | {"logicalId": "copy"})
    else:
        document["interactionPlan"][0]["operationId"] = "unheard-of"
        document["siblingGroups"]["operations"] = [["unheard-of", "export"]]
    model = read(EVAL_CONTRACT, document)
    assert model.interaction_plan[0].interface_id == UNRESOLVED_INTERFACE
    assert model.sibling_groups.operations[0][0].interface_id == UNRESOLVED_INTERFACE
    assert model.sibling_groups.operations[0][1].interface_id == "tool"


def test_issues_of_an_older_document_follow_its_own_shape() -> None:
    document = documents.contract(5)
    document["interactionPlan"][0]["cardinality"] = "some"
    document["extra"] = 1
    assert issues(document) == [("interactionPlan/0/cardinality", "invalid_value"), ("", "unrecognized_keys")]


def test_proto_keys_are_dropped_everywhere_without_an_issue() -> None:
    clean = documents.contract()
    document = copy.deepcopy(clean)
    document["__proto__"] = {"polluted": True}
    document["oracles"][0]["check"]["operands"][1]["operands"][1]["literal"] = {"__proto__": 1, "a": [{"__proto__": 2}]}
    document["testData"]["principals"]["__proto__"] = 3
    document["permittedInterfaces"][0]["operations"][0]["responseDescriptor"]["types"]["__proto__"] = "string"
    clean["oracles"][0]["check"]["operands"][1]["operands"][1]["literal"] = {"a": [{}]}
    model = read(EVAL_CONTRACT, document)
    assert model.document == clean
    assert model.oracles[0].check.operands[1].operands[1].literal == {"a": [{}]}


@pytest.mark.parametrize("depth", [10, 300, 2000])
def test_the_depth_of_an_expression_is_unbounded(depth: int) -> None:
    document = documents.contract()
    check = documents.existence()
    for _ in range(depth):
        check = {"op": "not", "operands": [check]}
    document["oracles"][0]["check"] = check
    node, levels = read(EVAL_CONTRACT, document).oracles[0].check, 0
    while node.op == "not":
        node, levels = node.operands[0], levels + 1
    assert levels == depth
    check["operands"] = []
    assert issues(document) == [("oracles/0/check/operands", "too_small")]


def test_a_tag_that_is_a_deep_value_is_refused_without_a_word_on_standard_error(
    capfd: pytest.CaptureFixture[str],
) -> None:
    document, tag = documents.contract(), []
    for _ in range(2000):
        tag = [tag]
    document["oracles"][0]["check"] = {"op": tag}
    assert issues(document) == [("oracles/0/check/op", "invalid_union")]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("number", [7.0, 7])
def test_an_integral_number_is_an_integer_however_it_is_written(number: float) -> None:
    document = documents.contract() | {"schemaVersion": number, "revisionCount": -0.0}
    model = read(EVAL_CONTRACT, document)
    assert (model.schema_version, type(model.revision_count)) == (7, int)
    assert str(model.document["revisionCount"]) == "-0.0"


def test_document_keys_are_the_published_spelling_only() -> None:
    document = documents.contract()
    document["contract_id"] = document.pop("contractId")
    assert issues(document) == [("contractId", "invalid_type"), ("", "unrecognized_keys")]


def test_a_model_built_in_python_writes_its_own_document() -> None:
    body = RawRequestBody(kind="raw", base64="AAEC", content_type="text/plain")
    assert body.model_dump(by_alias=True) == {"kind": "raw", "base64": "AAEC", "contentType": "text/plain"}
    model = read(EVAL_CONTRACT, documents.contract())
    changed = model.model_copy(update={"contract_id": "renamed"})
    assert changed.document == documents.contract() | {"contractId": "renamed"}
    assert model.model_copy().document is model.document


def test_built_models_can_be_put_into_a_union() -> None:
    class Named(StrictObject):
        which_kind: Literal["named"]

    class Numbered(StrictObject):
        which_kind: Literal["numbered"]

    class Holder(Artifact):
        item: Annotated[Named | Numbered, Tagged("whichKind")]

    holder = Holder(item=Numbered(which_kind="numbered"))
    assert holder.document == {"item": {"whichKind": "numbered"}}
    assert [issue.code for issue in issues_of(Holder, {"item": {"which_kind": "named"}})] == ["invalid_union"]
    with pytest.raises(ShapeError):
        validated(Holder, {"item": {"which_kind": "named"}})


def test_an_optional_key_that_was_left_out_stays_out() -> None:
    model = read(EVAL_CONTRACT, documents.contract())
    operation = model.permitted_interfaces[0].operations[0]
    assert operation.state_reset_pointers is None
    rewritten = model.model_copy(update={"contract_id": "notes"}).document
    assert "stateResetPointers" not in rewritten["permittedInterfaces"][0]["operations"][0]
    document = documents.contract()
    document["permittedInterfaces"][0]["operations"][0]["stateResetPointers"] = None
    assert issues(document) == [("permittedInterfaces/0/operations/0/stateResetPointers", "invalid_type")]


def test_models_do_not_change() -> None:
    model = read(EVAL_CONTRACT, documents.contract())
    with pytest.raises(ValueError, match="frozen"):
        model.contract_id = "other"


def test_a_fragment_is_read_by_shape_alone() -> None:
    inputs = validated(WitnessInputs, {"arguments": {"q": 1}})
    assert inputs.arguments == {"q": 1}
    with pytest.raises(ShapeError, match=r"\(root\): Invalid input"):
        validated(WitnessInputs, {"arguments": 1, "path": {}})


def test_there_are_thirteen_kinds_in_registry_order() -> None:
    assert list(KINDS)[:3] == ["eval-contract", "rubric", "sealed-evaluator-brief"]
    assert len(KINDS) == 13
    assert all(kind.writes in (None, *kind.reads) for kind in KINDS.values())


def test_reading_a_contract_loads_neither_the_run_side_nor_what_a_refusal_needs() -> None:
    code = (
        "import sys; from evalnb.engine.artifacts import EVAL_CONTRACT, read; EVAL_CONTRACT.shape.model_rebuild();"
        "print(*(name.rpartition('.')[2] for name in sys.modules if name.startswith('evalnb.engine.artifacts.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "contract" in loaded
    needless = {
        "probe",
        "record",
        "evidence",
        "aggregate",
        "port_messages",
        "shapes",
        "issues",
        "issue_walk",
        "json_schema",
    }
    assert needless.isdisjoint(loaded)


def test_every_published_name_of_the_package_loads() -> None:
    for name in dir(artifacts):
        getattr(artifacts, name)
    with pytest.raises(AttributeError, match="no attribute 'Unheard'"):
        artifacts.Unheard  # noqa: B018

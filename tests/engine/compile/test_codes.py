"""Each defect stops the stage with its own code, at its own path."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from evalnb.engine.codes import FAILURE_CODES
from evalnb.engine.compile import compile_contract
from evalnb.engine.faults import EvaluationFailure, RuntimeFault, StructuralFailure
from tests.engine.compile.contracts import (
    Document,
    api_contract,
    at,
    bind,
    existence,
    http_inputs,
    http_operation,
    keys,
    mixed_contract,
    oracle,
    pointer,
    rubric,
    step,
)

Change = Callable[[Document], Any]

ITEMS = "/interactions/list/response-body/items"
CHECK = "EvalContract.oracles[id=O-001].check"
DIRECTION = "EvalContract.oracles[id=O-001].direction"
RUBRIC = "EvalContract.rubrics[id=R-001]"
CREATE = "EvalContract.permittedInterfaces[0].operations[0].sensitivityWitness"
COUNTER = "EvalContract.permittedInterfaces[logicalId=counter].operations[operationId=count-words]"


def put(*path: str | int, to: Any) -> Change:
    def change(document: Document) -> None:
        at(document, *path[:-1])[path[-1]] = copy.deepcopy(to)

    return change


def check_is(check: Document, relation: str, *targets: str) -> Change:
    """The one oracle becomes this check, its direction naming these targets."""
    return put("oracles", 0, to=oracle(check, targets, relation))


def for_all(collection: Document, predicate: Document) -> Document:
    return {"op": "for-all", "collection": collection, "predicate": predicate}


def regex(pattern: str) -> Document:
    return {"op": "regex", "operands": [pointer(ITEMS)], "pattern": pattern}


def capture(of: str) -> Change:
    """The list step binds `owner` to what another step answered."""
    return put("interactionPlan", 1, "inputBinding", to=bind("query", owner={"captured": of}))


def several(*changes: Change) -> Change:
    def change(document: Document) -> None:
        for one in changes:
            one(document)

    return change


def add_step(*steps: Document) -> Change:
    return lambda document: document["interactionPlan"].extend(copy.deepcopy(steps))


def chained(count: int, anchors: int) -> list[Document]:
    """`anchors` steps, each with `count` followers."""
    steps = []
    for anchor in range(anchors):
        steps.append(step(f"anchor-{anchor}", "create-note"))
        steps += [step(f"after-{anchor}-{n}", "create-note", after=f"anchor-{anchor}") for n in range(count)]
    return steps


def also(operation: Document) -> Change:
    return lambda document: document["permittedInterfaces"][0]["operations"].append(copy.deepcopy(operation))


RESET = {
    "legId": "reset",
    "interfaceId": "notes",
    "operationId": "create-note",
    "inputs": http_inputs(body={"kind": "json", "value": {"title": "x"}}),
}

LIST_AGAIN = step("list-again", "list-notes", inputBinding=bind("query", owner={"literal": "me"}))
BOTH_LISTS = {"op": "all", "operands": [existence(ITEMS), existence("/interactions/list-again/response-body/items")]}

# code, artifact path, the change to the API contract that brings it about
API_DEFECTS: list[tuple[str, str, Change]] = [
    (
        "duplicate-interface-identifier",
        "EvalContract.permittedInterfaces[1].logicalId",
        lambda d: d["permittedInterfaces"].append({"logicalId": "notes", "kind": "cli", "operations": []}),
    ),
    ("missing-requirement-linkage", "EvalContract.behaviors[id=B-001]", put("behaviors", 0, "requirementLinks", to=[])),
    (
        "no-observable-success-criterion",
        "EvalContract.behaviors[id=B-001].observableSuccessCriterion",
        put("behaviors", 0, "observableSuccessCriterion", to=None),
    ),
    (
        "unreachable-check-evidence",
        f"{CHECK}.operands[1]",
        put("oracles", 0, "check", "operands", 1, to=pointer("/interactions/nobody/response-body")),
    ),
    (
        "unreachable-check-evidence",
        'EvalContract.interactionPlan[stepId=list].inputBinding.query["owner"]',
        capture("/interactions/create/response-body/count"),
    ),
    (
        "unreachable-check-evidence",
        "EvalContract.permittedInterfaces[logicalId=notes].operations[operationId=create-note].stateResetPointers[1]",
        put("permittedInterfaces", 0, "operations", 0, "stateResetPointers", to=["/id", "/missing"]),
    ),
    (
        "malformed-operator-expression",
        f"{CHECK}.collection",
        check_is(for_all(pointer("@/x"), existence(ITEMS)), "for-all", ITEMS),
    ),
    (
        "malformed-operator-expression",
        f"{CHECK}.operands[0]",
        check_is({"op": "existence", "operands": [{"literal": 1}]}, "existence"),
    ),
    ("malformed-operator-expression", f"{CHECK}.pattern", check_is(regex(r"^(a)\1$"), "regex", ITEMS)),
    (
        "malformed-operator-expression",
        "EvalContract.referenceSets[id=notes].members[1].id",
        put("referenceSets", "notes", "members", 1, "id", to="n-1"),
    ),
    (
        "quantifier-over-non-collection",
        f"{CHECK}.collection",
        check_is(
            for_all(pointer("/interactions/create/response-body/id"), existence("@/")),
            "for-all",
            "/interactions/create/response-body/id",
        ),
    ),
    (
        "quantifier-nesting-exceeded",
        f"{CHECK}.predicate.operands[0]",
        check_is(
            for_all(pointer(ITEMS), {"op": "not", "operands": [for_all(pointer("@/tags"), existence("@/"))]}),
            "for-all",
            ITEMS,
        ),
    ),
    (
        "unresolved-reference-set",
        f"{CHECK}.operands[0]",
        put("oracles", 0, "check", "operands", 0, to={"referenceSet": "nobodys"}),
    ),
    (
        "duplicate-operation-signature",
        "EvalContract.permittedInterfaces[logicalId=notes].operations[operationId=list-too]",
        also(http_operation("list-too", "GET", "/notes")),
    ),
    (
        "undeclared-mandatory-input",
        'EvalContract.interactionPlan[stepId=create].inputBinding.body["a \\"b\\""]',
        put("interactionPlan", 0, "inputBinding", "body", 'a "b"', to={"literal": 1}),
    ),
    (
        "undeclared-mandatory-input",
        'EvalContract.interactionPlan[stepId=create].inputBinding.body["title"]',
        put("interactionPlan", 0, "inputBinding", "body", "title", to={"principal": "ghost"}),
    ),
    (
        "undeclared-mandatory-input",
        "EvalContract.permittedInterfaces[0].operations[0]",
        put("permittedInterfaces", 0, "operations", 0, "sensitivityWitness", to=None),
    ),
    ("oracle-missing-channel", DIRECTION, put("oracles", 0, "direction", to=None)),
    ("oracle-missing-channel", CHECK, put("oracles", 0, "check", to=None)),
    (
        "direction-check-misaligned",
        f"{DIRECTION}.evidenceTargets",
        put("oracles", 0, "direction", "evidenceTargets", to=["/interactions/create/response-body/id"]),
    ),
    ("direction-check-misaligned", f"{DIRECTION}.relation", put("oracles", 0, "direction", "relation", to="absence")),
    (
        "direction-check-misaligned",
        f"{DIRECTION}.polarity",
        put("oracles", 0, "direction", "polarity", to="expects-violation"),
    ),
    (
        "unsupported-interface-kind",
        "EvalContract.permittedInterfaces[logicalId=notes].kind",
        put("permittedInterfaces", 0, "kind", to="web"),
    ),
    (
        "nested-temporal-clause",
        "EvalContract.interactionPlan[stepId=third].after",
        add_step(step("third", "create-note", after="list")),
    ),
    ("plan-exceeds-scripting-bound", "EvalContract.interactionPlan", add_step(*chained(3, 1))),
    (
        "binding-cycle",
        'EvalContract.interactionPlan[stepId=create].inputBinding.body["title"]',
        several(
            put("interactionPlan", 0, "inputBinding", to=bind("body", title={"captured": ITEMS})),
            put("permittedInterfaces", 0, "operations", 1, "responseDescriptor", "types", to={"items": "string"}),
        ),
    ),
    (
        "captured-channel-undeclared",
        'EvalContract.interactionPlan[stepId=list].inputBinding.query["owner"]',
        capture("/interactions/create/response-status"),
    ),
    ("rubric-unanchored", "EvalContract.rubrics[1].id", lambda d: d["rubrics"].append(rubric())),
    (
        "rubric-scores-reasoning-prose",
        f"{RUBRIC}.scaleLevels[1].anchor",
        put("rubrics", 0, "scaleLevels", 1, "anchor", to="The Chain\u2011of thoughts is sound."),
    ),
    ("rubric-unanchored", f"{RUBRIC}.maxLength", put("rubrics", 0, "maxLength", to=None)),
    (
        "rubric-evidence-unreachable",
        f"{RUBRIC}.criteria[id=RC-001].evidence",
        put("rubrics", 0, "criteria", 0, "evidence", to="/interactions/list/response-body/nothing"),
    ),
    ("forbidden-input-floor-incomplete", "EvalContract.forbiddenInputs", lambda d: d["forbiddenInputs"].pop()),
    (
        "excluded-content-in-declaration",
        "EvalContract.safetyLimits[0]",
        put("safetyLimits", to=["write to somebody@example.org"]),
    ),
    (
        "scoped-reference-resolves-forbidden",
        "EvalContract.scopedResources[0].reference",
        put("scopedResources", to=[{"reference": "manual", "kind": "document"}]),
    ),
    (
        "scoped-reference-resolves-forbidden",
        'EvalContract.testData.resources["a-list"]',
        put("testData", "resources", to={"b-list": {"kind": "file"}, "a-list": {"kind": "file"}}),
    ),
    ("waiver-incomplete", "EvalContract.waivers[id=W-001].expiresAt", put("waivers", 0, "expiresAt", to=None)),
    (
        "irreducible-step-reference",
        f"{DIRECTION}.evidenceTargets",
        several(
            add_step(LIST_AGAIN),
            check_is(BOTH_LISTS, "all", ITEMS, "/interactions/list-again/response-body/items"),
        ),
    ),
    (
        "malformed-operator-expression",
        f"{CREATE}.legs[1].legId",
        put("permittedInterfaces", 0, "operations", 0, "sensitivityWitness", "legs", 1, "legId", to="list"),
    ),
    (
        "malformed-operator-expression",
        CREATE,
        put("permittedInterfaces", 0, "operations", 0, "sensitivityWitness", "channel", to="query"),
    ),
    (
        "unreachable-check-evidence",
        "EvalContract.fixtureReset",
        put("fixtureReset", to=RESET | {"interfaceId": "gone"}),
    ),
    (
        "malformed-operator-expression",
        "EvalContract.fixtureReset",
        put("fixtureReset", to=RESET | {"operationId": "list-notes"}),
    ),
    (
        "undeclared-mandatory-input",
        "EvalContract.fixtureReset.inputs",
        put("fixtureReset", to=RESET | {"inputs": http_inputs()}),
    ),
]

MIXED_DEFECTS: list[tuple[str, str, Change]] = [
    (
        "unresolved-artifact-reference",
        f"{COUNTER}.descriptorChannel.artifactId",
        put("permittedInterfaces", 1, "operations", 0, "artifacts", to=["log"]),
    ),
    (
        "unresolved-artifact-reference",
        f"{RUBRIC}.criteria[id=RC-001].evidence",
        put("rubrics", 0, "criteria", 0, "evidence", to="/interactions/ping/artifact/report"),
    ),
    (
        "rubric-evidence-unreachable",
        f"{RUBRIC}.criteria[id=RC-001].evidence",
        put("rubrics", 0, "criteria", 0, "evidence", to="/interactions/count/artifact/log/line"),
    ),
    (
        "rubric-evidence-unreachable",
        f"{RUBRIC}.criteria[id=RC-001].evidence",
        put("rubrics", 0, "criteria", 0, "evidence", to="/interactions/ping/response-headers/etag"),
    ),
    (
        "unreachable-check-evidence",
        "EvalContract.permittedInterfaces[1].operations[0].sensitivityWitness.relation.operands[0].operands[1]",
        put(
            *("permittedInterfaces", 1, "operations", 0, "sensitivityWitness", "relation"),
            *("operands", 0, "operands", 1, "pointer"),
            to="/interactions/count-b/artifact/log",
        ),
    ),
]

# Raised by the audit of a generated brief, never by compile.
NOT_COMPILE = {"brief-exceeds-scripting-bound"}


def failure_of(document: Document, **options: Any) -> EvaluationFailure:
    with pytest.raises(EvaluationFailure) as caught:
        compile_contract(document, **options)
    return caught.value


@pytest.mark.parametrize("base", [api_contract, mixed_contract])
def test_the_contracts_to_break_compile_unchanged(base: Callable[[], Document]) -> None:
    assert compile_contract(base()).document == base()


@pytest.mark.parametrize(("code", "path", "change"), API_DEFECTS)
def test_a_defect_is_refused_with_its_code_and_path(code: str, path: str, change: Change) -> None:
    document = api_contract()
    change(document)
    failure = failure_of(document)
    assert isinstance(failure, StructuralFailure)
    assert (failure.code, failure.artifact_path) == (code, path)


@pytest.mark.parametrize(("code", "path", "change"), MIXED_DEFECTS)
def test_a_defect_beside_a_command_and_a_tool_is_refused(code: str, path: str, change: Change) -> None:
    document = mixed_contract()
    change(document)
    failure = failure_of(document)
    assert (failure.code, failure.artifact_path) == (code, path)


def test_every_code_of_the_stage_is_brought_about_here() -> None:
    brought = {code for code, _, _ in API_DEFECTS + MIXED_DEFECTS}
    assert brought == set(FAILURE_CODES) - NOT_COMPILE


def test_the_stamp_is_read_before_the_shape() -> None:
    failure = failure_of({"schemaVersion": 4, "nonsense": True})
    assert isinstance(failure, RuntimeFault)
    assert failure.code == "schema-version-mismatch"
    assert failure.artifact_path == "EvalContract.schemaVersion"
    assert failure.detail.startswith('carries "schemaVersion" 4 where this build reads 5 to 7')


@pytest.mark.parametrize("document", [None, [], "x", 3, {}, {"schemaVersion": "7"}, {"schemaVersion": True}])
def test_what_is_no_contract_is_a_parse_failure(document: Any) -> None:
    failure = failure_of(document)
    assert isinstance(failure, RuntimeFault)
    assert (failure.code, failure.artifact_path) == ("schema-parse-failure", "EvalContract")


@pytest.mark.parametrize(
    "change",
    [
        put("interactionPlan", 0, "inputBinding", "body", "extra", to={"literal": 1}),
        put("interactionPlan", 0, "inputBinding", "body", "title", to={"principal": "ghost"}),
        put("permittedInterfaces", 0, "operations", 0, "sensitivityWitness", to=None),
    ],
)
def test_undeclared_inputs_and_witnesses_pass_without_strict_inputs(change: Change) -> None:
    document = api_contract()
    change(document)
    assert compile_contract(document, strict_inputs=False).document == document


def test_the_fixture_reset_is_held_to_its_shape_even_without_strict_inputs() -> None:
    document = api_contract() | {"fixtureReset": RESET | {"inputs": http_inputs()}}
    assert failure_of(document, strict_inputs=False).code == "undeclared-mandatory-input"


def test_a_raw_body_binds_no_key() -> None:
    """Open in the chapter: a raw request body captures nothing and leaves nothing undeclared."""
    document = api_contract()
    raw = {"kind": "raw", "base64": "e30=", "contentType": "application/json"}
    at(document, "interactionPlan", 0, "inputBinding")["body"] = raw
    assert compile_contract(document).document == document


def test_a_refused_value_is_never_quoted() -> None:
    secret = "sk-" + "a1" * 12
    document = copy.deepcopy(api_contract()) | {"requiredEvidence": ["fine", f"key {secret}"]}
    failure = failure_of(document)
    assert failure.artifact_path == "EvalContract.requiredEvidence[1]"
    assert secret not in str(failure)


def test_two_interfaces_may_declare_one_operation_id() -> None:
    document = api_contract()
    other = http_operation("list-notes", "GET", "/archive", responseDescriptor={
        **keys("id"), "successIndicator": None, "channelRoles": None, "collectionLocations": None,
    })  # fmt: skip
    document["permittedInterfaces"].append({"logicalId": "archive", "kind": "api", "operations": [other]})
    document["interactionPlan"].append(step("archived", "list-notes", interface_id="archive"))
    document["oracles"].append(
        oracle(existence("/interactions/archived/response-body/id"), ["/interactions/archived/response-body/id"],
               "existence", "O-002")
    )  # fmt: skip
    assert compile_contract(document).document == document
    document["interactionPlan"][-1]["interfaceId"] = "notes"
    assert failure_of(document).artifact_path == "EvalContract.oracles[id=O-002].check.operands[0]"

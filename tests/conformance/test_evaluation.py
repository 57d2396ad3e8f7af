"""Evaluation answers every reference case: operators, whole checks, pointers, collections, selections (spec: 03)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evalnb.engine import artifacts as shapes
from evalnb.engine.artifacts.issues import issues_of
from evalnb.engine.evaluate import (
    make_denotes_collection,
    make_resolve_operand,
    operators,
    resolve_check,
    select_trial,
    walk,
)
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import ABSENT
from evalnb.engine.pointers import bound_element_tail, decode_tail, parse_interaction_pointer
from tests.conformance import fragments
from tests.conformance.reference import cases, params, rows

RESOLUTION = "cases/resolution.json"
EVIDENCE = "cases/evidence-resolution.json"


def of_kind(table: str, kind: str) -> list[Any]:
    return params([row for row in rows(*table.split("/")) if row["kind"] == kind], source=f"{table} {kind}")


def untagged(tagged: dict[str, Any]) -> Any:
    return ABSENT if tagged.get("absent") else tagged["value"]


def tagged(value: Any) -> dict[str, Any]:
    return {"absent": True} if value is ABSENT else {"value": value}


OPERATORS: dict[str, Callable[[list[Any], dict[str, Any], str], bool]] = {
    "existence": lambda values, given, path: operators.existence(*values),
    "absence": lambda values, given, path: operators.absence(*values),
    "equality": lambda values, given, path: operators.equality(*values, path),
    "deep-equality": lambda values, given, path: operators.deep_equality(*values, path),
    "containment": lambda values, given, path: operators.containment(*values, path),
    "set-membership": lambda values, given, path: operators.set_membership(*values, path),
    "regex": lambda values, given, path: operators.regex_match(
        *values, given["pattern"], given["matchStepBudget"], path
    ),
    "shape": lambda values, given, path: operators.shape(
        *values, fragments.built(shapes.KeyedShapeDescriptor, given["descriptor"])
    ),
    "ordering": lambda values, given, path: operators.ordering(*values, given["key"], given["order"]),
    "count-tolerance": lambda values, given, path: operators.count_tolerance(
        *values, given["expected"], given["tolerance"], given["relative"]
    ),
    "covers-by-key": lambda values, given, path: operators.covers_by_key(
        *values, given["expectedKey"], given["actualKey"], path
    ),
}


@pytest.mark.parametrize("case", cases("cases", "operators.json"))
def test_an_operator_answers_as_published(case: dict[str, Any]) -> None:
    values = [untagged(operand) for operand in case["operands"]]
    ask = OPERATORS[case["operator"]]
    expected = case["expect"]
    if "fault" in expected:
        with pytest.raises(RuntimeFault) as caught:
            ask(values, case["params"], case["artifactPath"])
        assert_fault(caught.value, expected["fault"])
    else:
        assert ask(values, case["params"], case["artifactPath"]) is expected["result"]


def assert_fault(fault: RuntimeFault, expected: dict[str, Any]) -> None:
    assert (fault.code, fault.artifact_path) == (expected["code"], expected["artifactPath"])
    for part in expected.get("messageContains", ()):
        assert part in str(fault)


def loose_resolver(case: dict[str, Any]) -> Callable[[Any, Any, str], Any]:
    sets = {**case.get("referenceSets", {}), **case.get("referenceSetOverrides", {})}

    def resolve(operand: Any, bound_element: Any, artifact_path: str) -> Any:
        if isinstance(operand, shapes.LiteralOperand):
            return operand.literal
        if isinstance(operand, shapes.ReferenceSetOperand):
            return sets.get(operand.reference_set, ABSENT)
        if operand.pointer.startswith("@"):
            if bound_element is ABSENT:
                return ABSENT
            return walk(bound_element, bound_element_tail(operand.pointer))
        step, channel, *rest = operand.pointer.removeprefix("/interactions/").split("/", 2)
        channels = case["evidence"].get(step, {})
        if channel not in channels:
            return ABSENT
        return walk(channels[channel], decode_tail("/" + rest[0]) if rest else ())

    return resolve


def evaluated(case: dict[str, Any]) -> Any:
    collections = set(case["collectionPointers"])
    return resolve_check(
        fragments.expression(case["expression"]),
        loose_resolver(case),
        lambda pointer: not pointer.startswith("@") and pointer in collections,
        case["referenceSetKeys"],
        case["regexMatchStepBudget"],
        case["artifactPath"],
    )


@pytest.mark.parametrize("case", of_kind(RESOLUTION, "evaluate"))
def test_a_check_resolves_as_published(case: dict[str, Any]) -> None:
    expected = case["expect"]
    if "fault" in expected:
        with pytest.raises(RuntimeFault) as caught:
            evaluated(case)
        assert_fault(caught.value, expected["fault"])
    elif "internalError" in expected:
        with pytest.raises(TypeError) as internal:
            evaluated(case)
        for part in expected["internalError"]["messageContains"]:
            assert part in str(internal.value)
    else:
        tree = evaluated(case)
        assert tree.resolution == expected["resolution"]
        if "tree" in expected:
            assert tree.model_dump(by_alias=True, mode="json") == expected["tree"]
        if "childResolutions" in expected:
            assert [child.resolution for child in tree.children] == expected["childResolutions"]


@pytest.mark.parametrize("case", of_kind(RESOLUTION, "grammar"))
def test_a_worked_example_parses_or_fails_as_published(case: dict[str, Any]) -> None:
    issues = issues_of(shapes.Expression, case["expression"])
    assert (not issues) is case["expect"]["parses"]
    assert [{"path": list(issue.path), "code": issue.code} for issue in issues] == case["expect"].get("issues", [])


@pytest.mark.parametrize("case", of_kind(EVIDENCE, "walk"))
def test_a_tail_is_walked_as_published(case: dict[str, Any]) -> None:
    assert tagged(walk(case["root"], case["tail"])) == case["expect"]


@pytest.mark.parametrize("case", of_kind(EVIDENCE, "decode-tail"))
def test_a_tail_decodes_as_published(case: dict[str, Any]) -> None:
    assert list(decode_tail(case["tailSource"])) == case["expect"]


@pytest.mark.parametrize("case", of_kind(EVIDENCE, "decode-bound-tail"))
def test_a_bound_tail_decodes_as_published(case: dict[str, Any]) -> None:
    assert list(bound_element_tail(case["pointer"])) == case["expect"]


@pytest.mark.parametrize("case", of_kind(EVIDENCE, "parse-target"))
def test_a_pointer_splits_as_published(case: dict[str, Any]) -> None:
    if case["expect"].get("error"):
        with pytest.raises(TypeError) as refused:
            parse_interaction_pointer(case["pointer"])
        assert case["pointer"] in str(refused.value)
        return
    target = parse_interaction_pointer(case["pointer"])
    assert case["expect"] == {
        "stepId": target.step_id,
        "channel": target.channel,
        "inputChannel": target.input_channel,
        "artifactId": target.artifact_id,
        "tail": list(target.tail),
    }


@pytest.mark.parametrize("case", of_kind(EVIDENCE, "resolve"))
def test_an_operand_resolves_as_published(case: dict[str, Any]) -> None:
    bound = {name: fragments.observation(one) for name, one in case["stepObservations"].items()}
    resolve = make_resolve_operand(bound, fragments.reference_sets(case["referenceSets"]))
    value = resolve(fragments.operand(case["operand"]), untagged(case["boundElement"]), "any")
    assert tagged(value) == case["expect"]


@pytest.mark.parametrize("case", of_kind(EVIDENCE, "denotes-collection"))
def test_a_pointer_denotes_a_collection_as_published(case: dict[str, Any]) -> None:
    denotes = make_denotes_collection(fragments.contract(case["contract"]))
    assert denotes(case["pointer"]) is case["expect"]


@pytest.mark.parametrize("case", of_kind(EVIDENCE, "select"))
def test_a_plan_selects_observations_as_published(case: dict[str, Any]) -> None:
    evidence = select_trial(fragments.contract(case), [fragments.observation(one) for one in case["observations"]])
    answered = {
        step_id: {
            "result": selection.result,
            "matchedObservationIds": list(selection.observation_ids),
            "boundObservationId": getattr(evidence.step_observations.get(step_id), "observation_id", None),
        }
        for step_id, selection in evidence.selections.items()
    }
    assert answered == case["expect"]

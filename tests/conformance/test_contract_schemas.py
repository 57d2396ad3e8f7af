"""The contract-side shapes against the reference tables: what parses, every issue in order, the published documents."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import pytest

from evalnb.engine import pointers
from evalnb.engine.artifacts import behaviors, bodies, declarations, expressions, plan, primitives, reference, witnesses
from evalnb.engine.artifacts.issues import ShapeError, issues_of
from evalnb.engine.artifacts.reading import EVAL_CONTRACT, RUBRIC, SEALED_EVALUATOR_BRIEF, parse_shape, validated
from evalnb.engine.faults import RuntimeFault
from tests.conformance.published_errors import PublishedError, published_errors, validator
from tests.conformance.reference import cases, params, rows, supporting

TABLE = ("cases", "contract-schema-rejects.json")
KINDS = {kind.name: kind for kind in (EVAL_CONTRACT, RUBRIC, SEALED_EVALUATOR_BRIEF)}
FRAGMENTS: dict[str, Any] = {
    "Expression": expressions.Expression,
    "Operand": expressions.Operand,
    "SetOperand": expressions.SetOperand,
    "BindingValue": plan.BindingValue,
    "ApiInputBinding": plan.ApiInputBinding,
    "InputBinding": plan.InputBinding,
    "InteractionStep": plan.InteractionStep,
    "Direction": behaviors.Direction,
    "SiblingGroups": declarations.SiblingGroups,
    "WitnessInputs": witnesses.WitnessInputs,
}
PRIMITIVE_MODULES = (primitives, bodies, reference)
SPELLINGS = {
    "interaction": (primitives.InteractionPointer, pointers.INTERACTION),
    "bound-element": (primitives.BoundElementPointer, pointers.BOUND_ELEMENT),
    "descriptor": (primitives.DescriptorPointer, pointers.DESCRIPTOR),
    "volatile": (primitives.WildcardPointer, pointers.VOLATILE),
}

ROWS = rows(*TABLE)
PUBLISHED = [case for case in ROWS if "published" in case]
DOCUMENTS = [case for case in ROWS if case["kind"] != "fragment"]
EXPRESSIONS = [case for case in ROWS if case["kind"] == "fragment" and case["schema"] in ("Expression", "Operand")]


@cache
def base_documents() -> dict[str, Any]:
    return {case["base"]: case["document"] for case in supporting(*TABLE) if case["kind"] == "base"}


def subject(case: dict[str, Any]) -> Any:
    """The value that a case is about."""
    if case["kind"] == "base":
        return case["document"]
    if case["kind"] == "fragment":
        return case["value"]
    if case["base"] not in base_documents():
        pytest.skip(f"base document not here: {case['base']}")
    document = copy.deepcopy(base_documents()[case["base"]])
    for mutation in case["mutations"]:
        mutate(document, mutation)
    return document


def mutate(document: Any, mutation: dict[str, Any]) -> None:
    tokens = pointers.decode_tail(mutation["at"])
    holder, places = document, tokens if mutation["op"] == "append" else tokens[:-1]
    for token in places:
        holder = holder[int(token)] if isinstance(holder, list) else holder[token]
    if mutation["op"] == "append":
        holder.append(mutation["value"])
        return
    place: Any = int(tokens[-1]) if isinstance(holder, list) else tokens[-1]
    if mutation["op"] == "remove":
        del holder[place]
    elif isinstance(holder, list) and place == len(holder):
        holder.append(mutation["value"])
    else:
        holder[place] = mutation["value"]


def found_issues(schema: str, value: Any) -> list[dict[str, Any]]:
    """The issues of a value, from the fault of a whole artifact or of the fragment alone."""
    refused = refusal(schema, value)
    return [{"path": list(issue.path), "code": issue.code} for issue in refused.issues] if refused else []


def refusal(schema: str, value: Any) -> ShapeError | None:
    try:
        if schema in KINDS:
            assert parse_shape(KINDS[schema], value).document == value
        else:
            validated(FRAGMENTS[schema], value)
    except ShapeError as error:
        return error
    except RuntimeFault as fault:
        located = (fault.code, fault.artifact_path) == ("schema-parse-failure", schema)
        return fault.cause if located and isinstance(fault.cause, ShapeError) else pytest.fail(str(fault))
    return None


@pytest.mark.parametrize("case", params(ROWS, source=TABLE[-1]))
def test_a_value_is_read_or_refused_with_every_issue_in_order(case: dict[str, Any]) -> None:
    found = found_issues(case["schema"], subject(case))
    assert (not found) is case["accept"]
    assert found == case.get("issues", [])


@pytest.mark.parametrize("case", params(PUBLISHED, source=TABLE[-1]))
def test_the_published_document_reports_the_error_where_it_should(case: dict[str, Any]) -> None:
    expected = case["published"]
    parameters = list(expected.get("params", {}).values())
    error = PublishedError(expected["keyword"], expected["instancePath"], *parameters)
    key = KINDS[case["schema"]].key
    assert error in published_errors(key, subject(case))


@pytest.mark.parametrize("case", params(DOCUMENTS, source=TABLE[-1]))
def test_the_published_document_and_the_reader_agree(case: dict[str, Any]) -> None:
    assert validator(KINDS[case["schema"]].key).is_valid(subject(case)) is case["accept"]


@pytest.mark.parametrize("case", params(EXPRESSIONS, source=TABLE[-1]))
def test_the_published_definitions_and_the_reader_agree(case: dict[str, Any]) -> None:
    assert validator("eval-contract", case["schema"]).is_valid(subject(case)) is case["accept"]


@pytest.mark.parametrize("case", cases("cases", "primitives.json"))
def test_a_primitive_accepts_and_refuses(case: dict[str, Any]) -> None:
    shape = next(
        getattr(module, case["primitive"]) for module in PRIMITIVE_MODULES if hasattr(module, case["primitive"])
    )
    value = case["value"]
    assert (not issues_of(shape, value)) is case["accept"]
    try:
        validated(shape, value)
    except ShapeError:
        assert not case["accept"]
    else:
        assert case["accept"]


@pytest.mark.parametrize("case", cases("cases", "pointer-grammar.json"))
def test_a_pointer_is_read_by_its_spelling(case: dict[str, Any]) -> None:
    text = case["pointer"]
    if case["spelling"] == "operand":
        assert (not issues_of(expressions.EvidencePointer, text)) is case["accept"]
    else:
        shape, spelling = SPELLINGS[case["spelling"]]
        assert pointers.matches(spelling, text) is case["accept"]
        assert (not issues_of(shape, text)) is case["accept"]
    if case["accept"]:
        assert parts(case["spelling"], text) == case["parsed"]
    elif case["spelling"] == "interaction":
        with pytest.raises(TypeError, match="not an interaction-rooted evidence pointer of a recognized channel: "):
            pointers.parse_interaction_pointer(text)


def parts(spelling: str, text: str) -> dict[str, Any]:
    """A legal pointer in its parts, spelled as the table spells them."""
    if spelling == "interaction" or (spelling == "operand" and not pointers.is_bound_element(text)):
        parsed = pointers.parse_interaction_pointer(text)
        return {
            "stepId": parsed.step_id,
            "channel": parsed.channel,
            "inputChannel": parsed.input_channel,
            "artifactId": parsed.artifact_id,
            "tail": list(parsed.tail),
        }
    return {"tail": list(pointers.decode_tail(text.removeprefix(pointers.BOUND_ELEMENT_MARK)))}

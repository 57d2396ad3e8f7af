"""The published documents: how types are rendered, what is injected, and that they say what the reader does."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st
from jsonschema import Draft202012Validator

from evalnb.engine.artifacts import EVAL_CONTRACT, KINDS, EvalContract
from evalnb.engine.artifacts.constraint_ledger import DIALECT, LEDGER, Constraint, inject
from evalnb.engine.artifacts.issues import issues_of
from evalnb.engine.artifacts.json_schema import json_schema, json_schemas, schema_text
from tests.engine.artifacts import documents

CONTRACT_DEFINITIONS = [
    "Expression",
    "InputBindingChannel",
    "JsonValue",
    "Operand",
    "Operation",
    "RubricBody",
    "WitnessInputs",
]
NOT_PRIOR = {
    "eval-contract",
    "sealed-run-record",
    "isolation-manifest",
    "probe",
    "artifact-reference",
    "private-artifact-manifest",
}


@cache
def published(key: str) -> dict[str, Any]:
    return json_schema(KINDS[key])


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every JSON object inside a document."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


@pytest.mark.parametrize("key", list(KINDS))
def test_every_document_is_a_legal_schema_that_names_itself(key: str) -> None:
    document = published(key)
    Draft202012Validator.check_schema(document)
    assert list(document)[:2] == ["$schema", "$id"]
    assert document["$schema"] == DIALECT
    assert document["$id"] == f"urn:eval-quality:schema:{key}"
    assert ("no prior art" in document["description"]) is (key not in NOT_PRIOR)


@pytest.mark.parametrize("key", list(KINDS))
def test_every_document_stands_alone_and_closes_its_objects(key: str) -> None:
    document = published(key)
    for item in objects(document):
        if "$ref" in item:
            assert item["$ref"].removeprefix("#/$defs/") in document["$defs"]
        if isinstance(item.get("properties"), dict) and item.get("type") == "object":
            assert item["additionalProperties"] is False
            assert set(item["required"]) <= set(item["properties"])
        if item.get("type") == "integer":
            assert {"minimum", "maximum"} <= item.keys()


@pytest.mark.parametrize("key", list(KINDS))
def test_every_object_is_described_in_the_words_of_json(key: str) -> None:
    for item in objects(published(key)):
        if item.get("type") == "object" and item.get("additionalProperties") is False:
            assert item["description"]
            assert "None" not in item["description"]
            assert "_" not in item["description"]


def test_documents_come_in_registry_order() -> None:
    assert list(json_schemas()) == list(KINDS)


@pytest.mark.parametrize("key", list(KINDS))
def test_the_text_is_ascii_with_two_spaces_and_one_final_newline(key: str) -> None:
    text = schema_text(published(key))
    assert text.isascii()
    assert text.startswith('{\n  "$schema": ')
    assert text.endswith("}\n")
    assert not text.endswith("\n\n")
    assert json.loads(text) == published(key)


def test_other_characters_are_escaped_by_utf_16_unit() -> None:
    assert schema_text({"é": "𝄞"}) == '{\n  "\\u00e9": "\\ud834\\udd1e"\n}\n'


def test_the_contract_names_its_definitions_and_inlines_the_rest() -> None:
    document = published("eval-contract")
    assert sorted(document["$defs"]) == CONTRACT_DEFINITIONS
    references = [item["$ref"] for item in objects(document) if "$ref" in item]
    assert references.count("#/$defs/WitnessInputs") == 4
    assert references.count("#/$defs/Operation") == 2
    assert document["$defs"]["WitnessInputs"]["required"] == ["path", "query", "header", "body"]


def test_the_root_lists_the_contract_s_keys_in_declaration_order() -> None:
    document = published("eval-contract")
    assert list(document["properties"]) == document["required"] == list(documents.contract())
    assert document["properties"]["schemaVersion"] == {"type": "integer", "minimum": 1, "maximum": 2**53 - 1}
    assert document["properties"]["parentDigest"] == {
        "anyOf": [{"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}, {"type": "null"}]
    }


def test_an_optional_key_is_published_and_not_required() -> None:
    operation = published("eval-contract")["$defs"]["Operation"]
    assert set(operation["properties"]) - set(operation["required"]) == {"stateResetPointers"}


@pytest.mark.parametrize("key", ["probe", "evidence-artifact", "artifact-reference"])
def test_a_union_at_the_root_has_no_properties_of_its_own(key: str) -> None:
    assert "properties" not in published(key)
    assert len(published(key)["oneOf"]) == 2


def test_operators_state_their_arity() -> None:
    for key in ("eval-contract", "probe"):
        branches = published(key)["$defs"]["Expression"]["oneOf"]
        operands = {item["properties"]["op"]["const"]: item["properties"].get("operands") for item in branches}
        assert len(operands) == 16
        fixed = {op: item for op, item in operands.items() if item and "prefixItems" in item}
        assert len(fixed) == 12
        for item in fixed.values():
            assert item["minItems"] == len(item["prefixItems"])
            assert item["items"] is False
        assert operands["all"]["minItems"] == operands["any"]["minItems"] == 2


@pytest.mark.parametrize(
    ("key", "name"), [("eval-contract", "InputBindingChannel"), ("probe", "ProbeInputBindingChannel")]
)
def test_a_bound_channel_names_a_parameter_and_null_binds_nothing(key: str, name: str) -> None:
    document = published(key)
    assert document["$defs"][name]["minProperties"] == 1
    channel = Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": document["$defs"]})
    assert channel.is_valid(None)
    assert channel.is_valid({"id": {"literal": 1}})
    assert not channel.is_valid({})


def test_the_ledger_has_a_row_for_every_rule_the_documents_cannot_carry() -> None:
    ids = [row.id for row in LEDGER]
    assert len(ids) == len(set(ids))
    assert sum(row.disposition == "injected" for row in LEDGER) == 26
    assert {row.id for row in LEDGER if row.id.startswith("lineage-")} == {
        f"lineage-{key}" for key in KINDS if key != "artifact-reference"
    }
    assert {"observation-sequence-unique", "json-value-numeric-domain", "operator-operand-types"} <= set(ids)
    assert all(row.key in KINDS for row in LEDGER)


def _row(**changes: Any) -> tuple[Constraint, ...]:
    return (Constraint("r", "k", "injected", "a rule", **{"definition": "D", "keywords": {"minItems": 1}, **changes}),)


@pytest.mark.parametrize(
    ("document", "row", "message"),
    [
        ({"$schema": "draft-07", "$defs": {"D": {}}}, _row(), "not for draft-07"),
        ({"$schema": DIALECT, "$defs": {}}, _row(), "not in the document"),
        ({"$schema": DIALECT, "$defs": {"D": {"oneOf": []}}}, _row(branch="not"), "not in the document"),
        ({"$schema": DIALECT, "$defs": {"D": {"minItems": 2}}}, _row(), "minItems already there"),
    ],
)
def test_an_injection_that_does_not_fit_is_an_error(document: Any, row: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        inject(document, "k", row)


def test_rows_of_other_documents_are_left_alone() -> None:
    document = {"$schema": DIALECT, "$defs": {"D": {}}}
    inject(document, "other", _row())
    assert document["$defs"] == {"D": {}}


@cache
def contract_validator() -> Draft202012Validator:
    return Draft202012Validator(json_schema(EVAL_CONTRACT))


def test_the_example_contract_is_valid_by_both() -> None:
    assert contract_validator().is_valid(documents.contract())
    assert issues_of(EvalContract, documents.contract()) == ()


def places(value: Any) -> list[tuple[Any, Any]]:
    found = []
    for holder in objects(value):
        for key, item in holder.items():
            found.append((holder, key))
            if isinstance(item, list):
                found += [(item, index) for index in range(len(item))]
    return found


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["set", "remove", "add"]),
    st.sampled_from([None, True, 0, 1, -1, 1.5, "", "a", "A b", "any", [], {}, [1], {"a": 1}, {"kind": "json"}]),
)
def test_the_published_contract_and_the_reader_agree_on_spoiled_documents(place: int, change: str, value: Any) -> None:
    document = documents.contract()
    found = places(document)
    holder, key = found[place % len(found)]
    if change == "add":
        assume(isinstance(holder, dict))
        holder["added"] = copy.deepcopy(value)
    elif change == "remove":
        del holder[key]
    else:
        holder[key] = copy.deepcopy(value)
    assert contract_validator().is_valid(document) is (issues_of(EvalContract, document) == ())

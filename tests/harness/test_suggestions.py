"""Suggested oracles: the relation that says most first, nothing that is chance, no check where a known one does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalnb.engine.artifacts import McpOperation
from evalnb.engine.artifacts.reading import validated
from evalnb.harness.differences import differences
from evalnb.harness.related_values import CallPair
from evalnb.harness.suggestions import candidates

OPERATION = validated(
    McpOperation,
    {
        "operationId": "add",
        "toolName": "add",
        "stateChangeMarker": True,
        "requestShape": {
            "arguments": {"requiredKeys": ["items"], "permittedKeys": ["items"], "types": {"items": "array"}}
        },
        "descriptorChannel": {"kind": "structured-result"},
        "responseDescriptor": {
            "requiredKeys": ["items"],
            "permittedKeys": ["items"],
            "types": {"items": "array"},
            "successIndicator": None,
            "channelRoles": None,
            "collectionLocations": [],
        },
        "volatilePointers": [],
        "sensitivityWitness": None,
    },
)
NOTE = {"title": "Rope", "body": "Rope", "length": 3}


def observed(step: str, sequence: int, sent: Any, body: Any) -> dict[str, Any]:
    return {
        "observationId": step,
        "sequence": sequence,
        "callInputs": {"arguments": sent},
        "responseStatus": 0,
        "responseHeaders": None,
        "responseBody": body,
        "exitCode": None,
    }


def first(clean: Any, mutated: Any, others: Mapping[str, Any] | None = None, sent: Any = None) -> list[dict[str, Any]]:
    sent = {"items": [NOTE]} if sent is None else sent
    here = observed("add", 2, sent, clean)
    pair = CallPair("add", OPERATION, here, {"add": here, **(others or {})}, {})
    return list(candidates(pair, differences(here, observed("add", 2, sent, mutated), ())))


def test_a_whole_collection_that_was_sent_goes_before_a_value_in_it() -> None:
    found = first({"items": [NOTE]}, {"items": [{**NOTE, "body": None}]})
    assert found[0] == {
        "op": "deep-equality",
        "operands": [
            {"pointer": "/interactions/add/response-body/items"},
            {"pointer": "/interactions/add/call-inputs/arguments/items"},
        ],
    }
    values = [check for check in found if check["op"] == "equality" and "pointer" in check["operands"][1]]
    assert values[0]["operands"][1]["pointer"].endswith("/0/body"), "not the title, though it is the same text"


def test_this_very_call_goes_before_an_earlier_and_that_before_a_later_one() -> None:
    others = {name: observed(name, place, {"text": "Rope"}, {}) for name, place in (("after", 3), ("before", 1))}
    found = first({"said": "Rope"}, {"said": "Hemp"}, others, sent={"text": "Rope"})
    named = [check["operands"][1]["pointer"].split("/")[2] for check in found[:3]]
    assert named == ["add", "before", "after"]


def test_small_numbers_truth_values_and_short_texts_relate_to_nothing() -> None:
    sent = {"count": 3, "ok": True, "id": "a"}
    found = first(dict(sent), {"count": 4, "ok": False, "id": "b"}, sent=sent)
    assert not [
        check for check in found if check["op"] in ("equality", "deep-equality") and "pointer" in check["operands"][1]
    ]


def test_the_form_of_a_whole_object_goes_before_a_key_of_it_and_nulls_have_no_type() -> None:
    shape = next(check for check in first({"a": 1, "b": None}, {"a": "1", "b": None}) if check["op"] == "shape")
    assert shape["descriptor"]["types"] == {"a": "number"}
    assert shape["descriptor"]["requiredKeys"] == ["a", "b"]


def test_the_size_of_a_collection_is_said_before_a_place_in_it() -> None:
    found = first({"rows": [1, 2]}, {"rows": [1, 2, 2]})
    assert (found[0]["op"], found[0]["expected"]) == ("count-tolerance", 2)

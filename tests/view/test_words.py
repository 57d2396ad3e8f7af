"""Checks read as sentences, and their resolution says what was seen and where evidence was missing."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.view.words import check_in_words, resolution_in_words
from evalnb.view.words.pointers import pointer_words
from evalnb.view.words.sentences import SENTENCES
from tests.view.expressions import ID, NOTES, TITLE, contract_with, literal, observation, pointer
from tests.view.hostile import PAYLOADS
from tests.view.markup import assert_harmless

EXISTS = {"op": "existence", "operands": [ID]}
SHAPE = {"requiredKeys": ["id"], "permittedKeys": ["id", "tag"], "types": {"id": "string", "tag": None}}

SENTENCES_OF = {
    "equality": ({"op": "equality", "operands": [TITLE, literal(1)]}, "list.response-body.title equals 1"),
    "deep-equality": (
        {"op": "deep-equality", "operands": [TITLE, literal({"a": 1})]},
        'list.response-body.title has the same content as {"a": 1}',
    ),
    "containment": (
        {"op": "containment", "operands": [TITLE, literal("red")]},
        'list.response-body.title contains "red"',
    ),
    "existence": ({"op": "existence", "operands": [TITLE]}, "list.response-body.title exists"),
    "absence": ({"op": "absence", "operands": [TITLE]}, "list.response-body.title is absent"),
    "regex": ({"op": "regex", "operands": [TITLE], "pattern": "^a+$"}, "list.response-body.title matches /^a+$/"),
    "set-membership": (
        {"op": "set-membership", "operands": [TITLE, {"referenceSet": "labels"}]},
        "list.response-body.title is one of the name values of the reference set labels (2 members)",
    ),
    "ordering": (
        {"op": "ordering", "operands": [NOTES], "key": "id", "order": "descending"},
        "list.response-body.notes is sorted by id, descending",
    ),
    "count-tolerance": (
        {"op": "count-tolerance", "operands": [NOTES], "expected": 10, "tolerance": 20, "relative": True},
        "list.response-body.notes has 10 elements, give or take 20 per cent of that",
    ),
    "shape": (
        {"op": "shape", "operands": [TITLE], "descriptor": SHAPE},
        "list.response-body.title is an object that has id (string) and may have tag, and no other key",
    ),
    "covers-by-key": (
        {
            "op": "covers-by-key",
            "operands": [{"referenceSet": "labels"}, NOTES],
            "expectedKey": "name",
            "actualKey": "id",
        },
        "list.response-body.notes has, by id, exactly one element for the name of each element of labels, "
        "and none besides",
    ),
    "not": (
        {"op": "not", "operands": [{"op": "existence", "operands": [TITLE]}]},
        "not: list.response-body.title exists",
    ),
    "all": (
        {"op": "all", "operands": [EXISTS, EXISTS]},
        "all of these:\n  id exists\n  id exists",
    ),
    "any": (
        {"op": "any", "operands": [EXISTS, EXISTS]},
        "at least one of these:\n  id exists\n  id exists",
    ),
    "for-all": (
        {"op": "for-all", "collection": NOTES, "predicate": EXISTS},
        "for every element of list.response-body.notes: id exists",
    ),
    "for-any": (
        {"op": "for-any", "collection": NOTES, "predicate": EXISTS},
        "for at least one element of list.response-body.notes: id exists",
    ),
}


def words_of(check: Any) -> str:
    contract = contract_with(check)
    return check_in_words(contract.oracles[0], contract).text


def test_every_operator_has_a_sentence() -> None:
    assert SENTENCES_OF.keys() == SENTENCES.keys()


@pytest.mark.parametrize("op", SENTENCES_OF)
def test_sentences(op: str) -> None:
    check, sentence = SENTENCES_OF[op]
    assert words_of(check) == sentence


@pytest.mark.parametrize(
    "check, sentence",
    [
        (
            {"op": "count-tolerance", "operands": [NOTES], "expected": 1, "tolerance": 0, "relative": False},
            "list.response-body.notes has exactly 1 element",
        ),
        (
            {"op": "containment", "operands": [NOTES, literal(["a", "b"])]},
            'list.response-body.notes contains every one of ["a", "b"]',
        ),
        (
            {"op": "containment", "operands": [NOTES, {"referenceSet": "pairs"}]},
            "list.response-body.notes contains every one of the members of the reference set pairs (1 member)",
        ),
        (
            {"op": "set-membership", "operands": [TITLE, literal([1, 2])]},
            "list.response-body.title is one of [1, 2]",
        ),
        (
            {"op": "shape", "operands": [TITLE], "descriptor": {"requiredKeys": [], "permittedKeys": [], "types": {}}},
            "list.response-body.title is an object without keys",
        ),
    ],
)
def test_special_forms(check: Any, sentence: str) -> None:
    assert words_of(check) == sentence


@pytest.mark.parametrize(
    "written, read",
    [
        ("@/id", "id"),
        ("@/", "the element"),
        ("@/a/0/b", "a[0].b"),
        ("/interactions/s/response-body", "s.response-body"),
        ("/interactions/s/response-body/a~1b/c.d/1", 's.response-body["a/b"]["c.d"][1]'),
        ("/interactions/s/call-inputs/body/title", "s.call-inputs.body.title"),
        ("/interactions/s/artifact/notes/x", "s.artifact.notes.x"),
        ("/interactions/s/exit-code", "s.exit-code"),
        ("no pointer", "no pointer"),
    ],
)
def test_pointers(written: str, read: str) -> None:
    assert pointer_words(written) == read


def test_an_only_child_continues_the_line_and_what_is_below_moves_up() -> None:
    inner = {"op": "all", "operands": [EXISTS, {"op": "not", "operands": [EXISTS]}]}
    check = {"op": "any", "operands": [{"op": "for-all", "collection": NOTES, "predicate": inner}, EXISTS]}
    assert words_of(check).splitlines() == [
        "at least one of these:",
        "  for every element of list.response-body.notes: all of these:",
        "    id exists",
        "    not: id exists",
        "  id exists",
    ]


def test_an_oracle_without_a_check_says_so() -> None:
    contract = contract_with(None)
    assert check_in_words(contract.oracles[0]).lines == ()
    assert "evaluator alone" in str(check_in_words(contract.oracles[0]).html)
    assert resolution_in_words(contract, "O-001", []).resolution is None


def test_a_pointer_tells_its_operation() -> None:
    contract = contract_with(EXISTS | {"operands": [TITLE]})
    assert "the step calls list of api" in str(check_in_words(contract.oracles[0], contract).html)


def test_values_are_shown_with_their_observation() -> None:
    contract = contract_with({"op": "equality", "operands": [TITLE, literal("x")]})
    tree = resolution_in_words(contract, "O-001", [observation(1, "list", {"title": "y"})])
    assert tree.resolution == "false"
    assert tree.conclusion == "O-001: the check is not met; it is expected to hold, so this is a violation"
    assert tree.lines[0].operands[0].text == 'list.response-body.title = "y" (in obs-001)'
    assert '✗ list.response-body.title equals "x" [false]' in tree.text


def test_a_violation_that_is_expected_is_as_it_should_be() -> None:
    contract = contract_with({"op": "existence", "operands": [TITLE]}, polarity="expects-violation")
    tree = resolution_in_words(contract, "O-001", [observation(1, "list", {})])
    assert tree.conclusion.endswith("it is expected to be violated, so this is as it should be")


@pytest.mark.parametrize(
    "observations, reason",
    [
        ([observation(1, "list", {"notes": []})], "list.response-body.notes is an empty collection"),
        (
            [observation(1, "list", {})],
            "the collection list.response-body.notes is missing: not there in obs-001",
        ),
        ([], "the collection list.response-body.notes is missing: no observation fits step list"),
        (
            [observation(1, "list", {}), observation(2, "list", {})],
            "the collection list.response-body.notes is missing: step list fits 2 observations and stands for none of them",
        ),
    ],
)
def test_the_node_where_evidence_went_missing_says_why(observations: Any, reason: str) -> None:
    inner = {"op": "for-all", "collection": NOTES, "predicate": EXISTS}
    contract = contract_with({"op": "all", "operands": [inner, {"op": "not", "operands": [inner]}]})
    tree = resolution_in_words(contract, "O-001", observations)
    assert tree.resolution == "insufficient-evidence"
    assert [line.place for line in tree.introductions] == [".operands[0]", ".operands[1].operands[0]"]
    assert {line.introduced for line in tree.introductions} == {reason}


def test_a_leaf_over_an_empty_collection_says_which() -> None:
    contract = contract_with({"op": "ordering", "operands": [NOTES], "key": "id", "order": "ascending"})
    tree = resolution_in_words(contract, "O-001", [observation(1, "list", {"notes": []})])
    assert tree.lines[0].introduced == "list.response-body.notes is an empty collection"


def test_elements_see_their_own_values() -> None:
    contract = contract_with({"op": "for-all", "collection": NOTES, "predicate": EXISTS})
    tree = resolution_in_words(contract, "O-001", [observation(1, "list", {"notes": [{"id": 7}, {}]})])
    assert [line.resolution for line in tree.lines] == ["false", "true", "false"]
    assert tree.lines[1].text == "element 1: id exists"
    assert tree.lines[1].operands[0].value == 7
    assert tree.lines[2].operands[0].missing == "not there in this element"


def test_of_many_elements_the_deciding_ones_are_listed() -> None:
    notes = [{"id": 1}] * 50 + [{}] + [{"id": 1}] * 49
    contract = contract_with({"op": "for-all", "collection": NOTES, "predicate": EXISTS})
    tree = resolution_in_words(contract, "O-001", [observation(1, "list", {"notes": notes})], most_elements=3)
    assert [line.place for line in tree.lines] == ["", "[0]", "[1]", "[50]", ""]
    assert tree.lines[-1].text == "and 97 more elements: 97 true"


def test_a_fault_is_part_of_the_answer() -> None:
    contract = contract_with({"op": "regex", "operands": [TITLE], "pattern": "^(a+)+$"})
    tree = resolution_in_words(contract, "O-001", [observation(1, "list", {"title": "aaa"})])
    assert tree.fault is not None
    assert tree.fault.code == "budget-exhausted"
    assert "could not be evaluated" in tree.text
    assert "budget-exhausted" in str(tree.html)


def test_an_unknown_oracle_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        resolution_in_words(contract_with(EXISTS), "O-999", [])


def test_deep_checks_can_be_read() -> None:
    check: Any = EXISTS
    for _ in range(150):
        check = {"op": "not", "operands": [check]}
    contract = contract_with(check)
    assert len(check_in_words(contract.oracles[0]).lines) == 151
    assert len(resolution_in_words(contract, "O-001", []).lines) == 151
    assert "and " not in str(check_in_words(contract.oracles[0]).html)


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_hostile_values_are_text(payload: str) -> None:
    text = payload.replace("\ud800", "")
    check = {
        "op": "all",
        "operands": [
            {"op": "equality", "operands": [TITLE, literal(text)]},
            {
                "op": "equality",
                "operands": [pointer("@/" + text.replace("~", "~0").replace("/", "~1")), literal([text])],
            },
        ],
    }
    contract = contract_with(check)
    tree = resolution_in_words(contract, "O-001", [observation(1, "list", {"title": text})])
    for shown in (tree, check_in_words(contract.oracles[0], contract)):
        assert_harmless(shown._repr_html_())
        assert "\x1b" not in shown.text
        assert "\u202e" not in shown.text
        assert all(len(line) < 1_000 for line in shown.text.splitlines())

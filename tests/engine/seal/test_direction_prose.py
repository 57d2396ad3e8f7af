"""What a direction says: one claim a relation, and free text shaped into sentences."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.artifacts import Direction
from evalnb.engine.artifacts.primitives import Relation
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.seal import direction_prose
from evalnb.engine.seal.direction_text import render_direction
from evalnb.engine.seal.wording import enumerate_phrases, length, literal_text, sentence
from tests.engine.seal.documents import contract, direction, oracle, pointer

HOLDS = "The declared polarity expects this relation to hold."
EVIDENCE = "its ok field from the read order endpoint"
NAMED = 'Its ok field from the read order endpoint is asserted to satisfy the declared "{}" condition.'

CLAIMS = {
    "for-all": f"Every element reachable through {EVIDENCE} is asserted to meet the declared condition.",
    "for-any": f"At least one element reachable through {EVIDENCE} is asserted to meet the declared condition.",
    "all": "Its ok field from the read order endpoint is asserted to satisfy every declared condition together.",
    "any": "Its ok field from the read order endpoint is asserted to satisfy at least one declared condition.",
    "not": "Its ok field from the read order endpoint is asserted to fail the declared condition, not to satisfy it.",
    "existence": "Its ok field from the read order endpoint is asserted to be present.",
    "absence": "Its ok field from the read order endpoint is asserted to be absent.",
    "equality": "Its ok field from the read order endpoint is asserted to be equal.",
    "deep-equality": "Its ok field from the read order endpoint is asserted to be deeply, structurally equal.",
    "containment": "Its ok field from the read order endpoint is asserted to contain the declared member.",
    **{
        name: NAMED.format(name)
        for name in ("regex", "set-membership", "ordering", "count-tolerance", "shape", "covers-by-key")
    },
}


def prose(**fields: Any) -> str:
    document = direction(pointer("see", "response-body/ok")) | fields
    return render_direction(Direction.model_validate(document), PlanIndex.build(contract()))


def test_every_relation_has_a_claim() -> None:
    assert set(CLAIMS) == set(get_args(getattr(Relation, "__value__", Relation)))


@pytest.mark.parametrize("relation", sorted(CLAIMS))
def test_the_claim_of_a_relation(relation: str) -> None:
    assert prose(relation=relation) == f"{CLAIMS[relation]} {HOLDS}"


def test_a_violation_is_announced() -> None:
    assert prose(polarity="expects-violation").endswith("expects this relation to be a violation.")


@pytest.mark.parametrize(
    ("fields", "ending"),
    [
        ({"scope": "one call"}, f"{HOLDS} One call."),
        ({"scope": "\u00a0\ufeff really? "}, f"{HOLDS} Really?"),
        ({"scope": " \n\u2003"}, HOLDS),
        ({"scope": "\x85x"}, f"{HOLDS} \x85X."),
        ({"negativeDomain": "an order lost!?."}, f"{HOLDS} An order lost is treated as a defect."),
        ({"negativeDomain": "stop . .."}, f"{HOLDS} Stop .  is treated as a defect."),
        ({"negativeDomain": "..."}, f"{HOLDS} Is treated as a defect."),
        ({"scope": "a", "negativeDomain": "b"}, f"{HOLDS} A. B is treated as a defect."),
    ],
)
def test_free_text_becomes_sentences(fields: dict[str, str], ending: str) -> None:
    assert prose(**fields).endswith(f"be present. {ending}")


def test_braces_in_names_are_kept_as_they_are() -> None:
    text = render_direction(
        Direction.model_validate(direction(pointer("see", "response-body/{field}"))), PlanIndex.build(contract())
    )
    assert text.startswith("Its {field} field from")


def test_a_direction_without_evidence_is_refused() -> None:
    with pytest.raises(TypeError, match="direction carries no evidenceTargets"):
        prose(evidenceTargets=[])


def test_the_prose_of_an_oracle_ignores_check_and_commentary() -> None:
    target = pointer("see", "response-body/ok")
    plain = contract(oracles=[oracle(1, target)])
    other = contract(
        oracles=[oracle(1, target, check={"op": "absence", "operands": [{"pointer": target}]}, commentary="because")]
    )
    assert direction_prose(plain, plain.oracles[0]) == direction_prose(other, other.oracles[0])


def test_an_oracle_without_a_direction_has_no_prose() -> None:
    bare = contract(oracles=[oracle(1, pointer("see", "response-body/ok"), direction=None)])
    with pytest.raises(TypeError, match="oracle O-001 reached seal"):
        direction_prose(bare, bare.oracles[0])


@pytest.mark.parametrize(
    ("text", "shaped"),
    [("5 things", "5 Things."), ('"quoted"', '"Quoted".'), ("élan", "éLan."), ("中文。", "中文。."), ("so:", "So:.")],
)
def test_a_sentence_raises_its_first_ascii_letter_and_closes(text: str, shaped: str) -> None:
    assert sentence(text) == shaped


@given(st.text(min_size=1))
def test_shaping_a_sentence_twice_changes_nothing(text: str) -> None:
    once = sentence(text)
    assert sentence(once) == once
    assert once.endswith((".", "!", "?"))


@pytest.mark.parametrize(
    ("items", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b, and c")],
)
def test_phrases_are_enumerated(items: list[str], text: str) -> None:
    assert enumerate_phrases(items) == text


def test_lengths_count_utf_16_code_units() -> None:
    assert [length("ab"), length("é"), length("\U0001f600")] == [2, 1, 2]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": [1, 1.5, True, None], "a": "é\n"}, '{"a":"é\\n","b":[1,1.5,true,null]}'),
        ({"a": 1, "10": 2, "9": 3, "01": 4}, '{"9":3,"10":2,"01":4,"a":1}'),
        ("\ud800", '"\\ud800"'),
    ],
)
def test_a_literal_is_shown_as_compact_json(value: Any, text: str) -> None:
    assert literal_text(value) == text


def test_a_deep_literal_is_shown_whole() -> None:
    value: Any = {}
    for _ in range(3000):
        value = [value]
    assert literal_text(value) == "[" * 3000 + "{}" + "]" * 3000

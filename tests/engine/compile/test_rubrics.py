"""Rubric texts: blanks, and prose that scores stated reasoning."""

from __future__ import annotations

import pytest

from evalnb.engine.compile import compile_contract
from evalnb.engine.compile.rubrics import is_blank
from evalnb.engine.faults import StructuralFailure
from tests.engine.compile.contracts import api_contract, at


def test_blank_is_white_space_and_zero_width_characters_only() -> None:
    assert all(is_blank(text) for text in ("", " \t\u3000", "\u200b \ufeff\u200d", "\u2028"))
    # Characters that Python would strip and the contract's language would not.
    assert not any(is_blank(text) for text in ("\x1c", "\x85", "\u180e", "x"))


def compile_with_text(text: str) -> None:
    document = api_contract()
    at(document, "rubrics", 0, "criteria", 0)["text"] = text
    compile_contract(document)


@pytest.mark.parametrize(
    ("text", "matched"),
    [
        ("Grade the CHAIN of\u00a0Thought.", "CHAIN of\u00a0Thought"),
        ("trains-of--thought", "trains-of--thought"),
        ("thought\u2010processing", "thought\u2010processing"),
        ("an inner\n monologue", "inner\n monologue"),
        ("its Rationales", "Rationales"),
        ("self-explanations", "self-explanations"),
    ],
)
def test_stated_reasoning_is_refused_with_the_words_as_written(text: str, matched: str) -> None:
    with pytest.raises(StructuralFailure) as caught:
        compile_with_text(text)
    assert caught.value.code == "rubric-scores-reasoning-prose"
    assert f'matched "{matched}"' in caught.value.detail


@pytest.mark.parametrize(
    "text", ["explain it", "thinking time", "reasoningless", "reaſoning", "train of", "thoughtprocess", "justify"]
)
def test_other_words_pass(text: str) -> None:
    compile_with_text(text)


@pytest.mark.parametrize(
    ("field", "value", "path"),
    [
        ("scaleLevels", [], "scaleLevels"),
        ("scaleLevels", [{"level": 2, "anchor": ""}, {"level": 2, "anchor": "x"}], "scaleLevels[1].level"),
        ("scaleLevels", [{"level": -2, "anchor": "x"}, {"level": 9, "anchor": "\u200b"}], "scaleLevels[1].anchor"),
        ("failureModePenalties", [], "failureModePenalties"),
        ("failureModePenalties", [{"name": "\ufeff", "description": ""}], "failureModePenalties[0].name"),
    ],
)
def test_a_missing_anchor_is_reported_where_it_is_missing(field: str, value: object, path: str) -> None:
    document = api_contract()
    at(document, "rubrics", 0)[field] = value
    with pytest.raises(StructuralFailure) as caught:
        compile_contract(document)
    assert (caught.value.code, caught.value.artifact_path) == (
        "rubric-unanchored",
        f"EvalContract.rubrics[id=R-001].{path}",
    )


def test_one_level_gapped_ordinals_and_no_criterion_are_legal() -> None:
    document = api_contract()
    rubric = at(document, "rubrics", 0)
    rubric["scaleLevels"] = [{"level": -7, "anchor": "x"}, {"level": 40, "anchor": "x"}]
    rubric["failureModePenalties"] = [{"name": "same", "description": ""}, {"name": "same", "description": ""}]
    rubric["criteria"] = []
    compile_contract(document)

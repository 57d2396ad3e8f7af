"""Values shaped like secrets or personal data."""

from __future__ import annotations

from time import perf_counter

import pytest

from evalnb.engine.artifacts import EVAL_CONTRACT, read
from evalnb.engine.compile.excluded_content import EXCLUDED_CATEGORIES, excluded_content
from tests.engine.compile.contracts import api_contract

HITS = [
    ("-----BEGIN EC PRIVATE KEY-----", "credentials"),
    ("Authorization: bearer\u00a0abcdefghijklmnop", "tokens"),
    ("eyJhbGciOiJI.eyJzdWIi", "tokens"),
    ("sk-0123456789abcdef", "tokens"),
    ("gho_0123456789abcdef", "tokens"),
    ("AKIA0123456789ABCDEF", "tokens"),
    ("mail a.b+c@example.co.uk now", "email addresses"),
    ("GB29NWBK60161331926819", "account identifiers"),
    ("ssn 123-45-6789.", "account identifiers"),
    ("4111 1111-1111 1111", "transaction content"),
]
MISSES = [
    "-----BEGIN PUBLIC KEY-----",
    "xbearer abcdefghijklmnop",
    "bearer short",
    "bearer\u0085abcdefghijklmnop",
    "task-0123456789abcdef",
    "@/items/id",
    "a@b",
    "a@b.c",
    "gb29nwbk60161331926819",
    "GB29 short",
    "2026-08-13",
    "4111111111111111",
    "x4111 1111 1111 1111",
    "sha256:" + "a1" * 32,
]


@pytest.mark.parametrize(("text", "category"), HITS)
def test_a_value_with_an_excluded_shape_is_found(text: str, category: str) -> None:
    (hit,) = excluded_content({"note": text}, "Root")
    assert (hit.category, hit.path) == (category, "Root.note")
    assert hit.category in EXCLUDED_CATEGORIES
    assert hit.match in text


@pytest.mark.parametrize("text", MISSES)
def test_a_value_without_one_passes(text: str) -> None:
    assert list(excluded_content(text, "Root")) == []


def test_hits_come_in_document_order_one_a_string_and_keys_are_not_read() -> None:
    document = {"b": ["x", "a@b.cd, 123-45-6789"], "10": "c@d.ef", "a@b.cd": 4000, "9": {"x": "e@f.gh"}}
    hits = list(excluded_content(document, "R"))
    assert [(hit.path, hit.category) for hit in hits] == [
        ("R.9.x", "email addresses"),
        ("R.10", "email addresses"),
        ("R.b[1]", "email addresses"),
    ]


def test_a_contract_is_walked_in_the_order_its_fields_are_declared() -> None:
    document = api_contract() | {"safetyLimits": ["a@b.cd"]}
    document["oracles"][0]["commentary"] = "c@d.ef"
    contract = read(EVAL_CONTRACT, dict(reversed(document.items())))
    paths = [hit.path for hit in excluded_content(contract, "EvalContract")]
    assert paths == ["EvalContract.oracles[0].commentary", "EvalContract.safetyLimits[0]"]


def test_a_long_run_is_searched_in_linear_time() -> None:
    start = perf_counter()
    assert list(excluded_content("a" * 200_000 + " @x.y " + "1" * 200_000, "R")) == []
    assert perf_counter() - start < 5

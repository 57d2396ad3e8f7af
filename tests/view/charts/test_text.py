"""Text and order: what is shown of a text from outside, and how identifiers are sorted."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from evalnb.view.charts.order import by_severity, natural
from evalnb.view.charts.text import counted, labels, listed, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("two\nlines", "two ⏎ lines"),
        ("\u202eevil", "⟨202E⟩evil"),
        ("\x1b[31mred", "⟨001B⟩[31mred"),
        ("half \ud800 pair", "half ⟨D800⟩ pair"),
        ("שלום", "שלום"),
        ("datum.x", "datum.x"),
    ],
)
def test_what_acts_unseen_is_spelled_out_and_the_rest_is_left(text: str, expected: str) -> None:
    assert shown(text) == expected


@given(st.text(), st.integers(2, 80))
def test_a_text_never_exceeds_its_limit_and_can_always_be_encoded(text: str, limit: int) -> None:
    assert len(shown(text, limit)) <= limit
    shown(text, limit).encode("utf-8")


@given(st.lists(st.text(max_size=30), unique=True))
def test_labels_never_make_two_keys_one(names: list[str]) -> None:
    given = labels({name: name for name in names}, 8)
    assert len(set(given.values())) == len(names)


def test_identifiers_sort_as_people_count() -> None:
    assert sorted(["P-10", "P-2", "P-1b", "P-1", "10", "x" * 100_000 + "2"], key=natural) == [
        "10",
        "P-1",
        "P-1b",
        "P-2",
        "P-10",
        "x" * 100_000 + "2",
    ]


@given(st.lists(st.text()))
def test_any_texts_can_be_sorted(names: list[str]) -> None:
    backwards = names[::-1]
    keys = [[natural(name) for name in sorted(order, key=natural)] for order in (names, backwards)]
    assert keys[0] == keys[1]


def test_the_most_severe_comes_first_and_the_unknown_last() -> None:
    assert by_severity({"a": None, "b": "low", "c10": "critical", "c2": "critical", "d": "material"}) == [
        "c2",
        "c10",
        "d",
        "b",
        "a",
    ]


def test_numbers_and_lists_in_words() -> None:
    assert [counted(1, "probe"), counted(2000, "probe"), counted(0, "corpus", "corpora")] == [
        "1 probe",
        "2,000 probes",
        "0 corpora",
    ]
    assert [listed([]), listed(["a"]), listed(["a", "b"]), listed("abcdef")] == [
        "",
        "a",
        "a and b",
        "a, b, c and 3 more",
    ]

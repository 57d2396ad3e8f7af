"""JSON is shown as JSON, long values by their beginning, whatever is in them."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.json_values import ABSENT
from evalnb.view.html import visible
from evalnb.view.json_view import json_html, json_line, parsed_json, shortened, text_html

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_a_line_is_the_value(value: Any) -> None:
    line = json_line(value, 1_000_000)
    if line == visible(line) and "\\u" not in line and "\\x" not in line:
        assert json.loads(line) == value


@given(JSON)
def test_highlighting_changes_no_text(value: Any) -> None:
    markup = str(json_html(value, 1_000_000))
    text = unescape(re.sub("<[^>]*>", "", markup))
    assert text == json_line(value, 1_000_000)


def test_long_values_are_folded() -> None:
    made = str(json_html(["x" * 200]))
    assert made.startswith("<details")
    assert made.count("x" * 200) == 1


def test_a_long_text_is_shown_once_and_whole() -> None:
    made = str(text_html("y" * 100_000))
    assert made.count("y" * 100_000) == 1
    assert len(made) < 101_000
    assert str(text_html("short")) == "short"


def test_deep_values_do_not_exhaust_the_interpreter() -> None:
    value: Any = 1
    for _ in range(50_000):
        value = [value]
    assert json_line(value).startswith("[[[[")
    assert len(str(json_html(value))) < 6_000_000


def test_nothing_is_told_from_null() -> None:
    assert json_line(ABSENT) == "nothing"
    assert json_line(None) == "null"


def test_shortened_says_that_it_is_cut() -> None:
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "abc…"
    assert shortened("a\nb", 20) == "a ↵ b"


@pytest.mark.parametrize("text", ["", "{", "[1,", "text", '"x"', "{}", "[" * 100_000])
def test_only_filled_containers_count_as_json(text: str) -> None:
    assert parsed_json(text) is ABSENT


def test_json_in_a_text_is_recognized() -> None:
    assert parsed_json('{"a": [1]}') == {"a": [1]}

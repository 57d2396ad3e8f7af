"""JSON values: kinds, equality, key order and number text follow ECMAScript and JSON, not Python."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.json_values import (
    ABSENT,
    Absent,
    json_equal,
    json_kind,
    number_text,
    own_keys,
    quote,
    utf16_key,
)

SCALARS = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "boolean"),
        (0, "number"),
        (0.5, "number"),
        ("", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_a_value_has_one_kind(value: Any, kind: str) -> None:
    assert json_kind(value) == kind


@pytest.mark.parametrize("value", [ABSENT, b"", {1}, object()])
def test_what_json_cannot_hold_has_no_kind(value: Any) -> None:
    with pytest.raises(TypeError, match="not a JSON value"):
        json_kind(value)


def test_absent_is_one_object_and_has_no_truth() -> None:
    assert Absent() is ABSENT
    assert copy.deepcopy([ABSENT])[0] is ABSENT
    assert pickle.loads(pickle.dumps(ABSENT)) is ABSENT
    with pytest.raises(TypeError, match="identity"):
        bool(ABSENT)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (-0.0, 0),
        (2**53 + 1, float(2**53)),
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}),
        (10**400, float("inf")),
    ],
)
def test_equal_values(a: Any, b: Any) -> None:
    assert json_equal(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (True, 1),
        (False, 0),
        (None, False),
        ("1", 1),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({"a": None}, {}),
        ([], {}),
        (ABSENT, ABSENT),
        (ABSENT, None),
        ("\u00e9", "e\u0301"),
    ],
)
def test_unequal_values(a: Any, b: Any) -> None:
    assert not json_equal(a, b)


@given(VALUES)
def test_a_value_equals_its_copy(value: Any) -> None:
    assert json_equal(value, json.loads(json.dumps(value)))


@given(VALUES, VALUES)
def test_equality_is_symmetric(a: Any, b: Any) -> None:
    assert json_equal(a, b) == json_equal(b, a)


def test_equality_goes_as_deep_as_a_value() -> None:
    def nested() -> Any:
        value: Any = 1
        for _ in range(100_000):
            value = [value]
        return value

    assert json_equal(nested(), nested())


def test_array_indices_come_first_among_keys() -> None:
    written = {"b": 0, "10": 0, "2": 0, "a": 0, "01": 0, "4294967295": 0, "4294967294": 0, "-1": 0}
    assert own_keys(written) == ["2", "10", "4294967294", "b", "a", "01", "4294967295", "-1"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (5, "5"),
        (-12, "-12"),
        (1.0, "1"),
        (0.1, "0.1"),
        (-1.25, "-1.25"),
        (123.456, "123.456"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-9, "1.5e-9"),
        (5e-324, "5e-324"),
        (2**60, "1152921504606847000"),
        (10**400, "Infinity"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_number_is_written_as_ecmascript_writes_it(number: float, text: str) -> None:
    assert number_text(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_number_text_reads_back_as_the_number(number: float) -> None:
    assert float(number_text(number)) == number


def test_code_unit_order_puts_astral_characters_before_the_last_bmp_ones() -> None:
    assert sorted(["\uff5e", "\U0001f600", "a"], key=utf16_key) == ["a", "\U0001f600", "\uff5e"]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("", '""'),
        ('a"b\\', '"a\\"b\\\\"'),
        ("\n\x01", '"\\n\\u0001"'),
        ("\ud83d", '"\\ud83d"'),
        ("é\x7f", '"é\x7f"'),
    ],
)
def test_quoting(text: str, quoted: str) -> None:
    assert quote(text) == quoted

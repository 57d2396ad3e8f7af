"""The strict reader: what it accepts, which fault it names first, and that both readings agree."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.canonical import scan_json
from evalnb.engine.canonical.exact_scanner import scan_exactly
from evalnb.engine.canonical.scan import _is_too_deep
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import json_equal

FAULTS = [
    ("", "schema-parse-failure", "unexpected end of input at offset 0"),
    ("\ufeff{}", "schema-parse-failure", 'unexpected character "\ufeff" at offset 0'),
    ("{'a':1}", "schema-parse-failure", "expected a string object key at offset 1"),
    ('{"a":1,}', "schema-parse-failure", "expected a string object key at offset 7"),
    ("[1,]", "schema-parse-failure", 'unexpected character "]" at offset 3'),
    ("[1 2]", "schema-parse-failure", "expected ',' or ']' in array at offset 3"),
    ("NaN", "schema-parse-failure", 'unexpected character "N" at offset 0'),
    ("-Infinity", "schema-parse-failure", "invalid number at offset 1"),
    ("nul", "schema-parse-failure", "invalid literal, expected null at offset 0"),
    ("trueX", "schema-parse-failure", "invalid literal starting with true at offset 4"),
    ("01", "schema-parse-failure", "leading zero in number at offset 1"),
    ('"\U0001f600" x', "schema-parse-failure", "trailing content after the document at offset 5"),
    ('"\\\U0001f600"', "schema-parse-failure", 'invalid escape character "\\ud83d" at offset 3'),
    ('{"a":1,"\\u0061":2}', "non-canonicalizable-value", 'duplicate object key "a" at offset 15'),
    ('"\\ud800"', "non-canonicalizable-value", "lone surrogate in string at offset 8"),
    (
        "9007199254740993",
        "non-canonicalizable-value",
        "integer literal outside the safe range: 9007199254740993 at offset 16",
    ),
    ("1e999", "non-canonicalizable-value", "numeric literal is not finite in binary64: 1e999 at offset 5"),
    ("1e21", "non-canonicalizable-value", "numeric literal is an unsafe integer in binary64: 1e21 at offset 4"),
    ("[" * 1025, "non-canonicalizable-value", "nesting depth exceeds 1024 at offset 1024"),
]


@pytest.mark.parametrize(("text", "code", "detail"), FAULTS)
def test_first_problem_is_named(text: str, code: str, detail: str) -> None:
    with pytest.raises(RuntimeFault) as caught:
        scan_json(text, "Probe")
    assert (caught.value.code, caught.value.artifact_path, caught.value.detail) == (code, "Probe", detail)


def test_integral_spellings_are_one_integer() -> None:
    assert scan_json("[1, 1.0, 1e0, 10e-1]", "X") == [1, 1, 1, 1]
    assert all(type(n) is int for n in scan_json("[1, 1.0, 1e0]", "X"))  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["-0", "-0.0", "-0e5", "-1e-400"])
def test_negative_zero_survives_reading(text: str) -> None:
    value = scan_json(text, "X")
    assert math.copysign(1.0, value) == -1.0  # type: ignore[arg-type]


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(RuntimeFault, match="input is not valid UTF-8"):
        scan_json(b'{"a": "\xff"}', "X")


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False, max_value=2.0**52, min_value=-(2.0**52))
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_both_readings_give_the_same_value(value: object) -> None:
    text = json.dumps(value)
    assert json_equal(scan_json(text, "X"), scan_exactly(text, "X"))


@given(st.text(alphabet='{}[]",:\\ud8eE+-.0129 tfnrale\n', max_size=24))
def test_both_readings_agree_on_what_is_refused(text: str) -> None:
    answers = []
    for read in (scan_json, scan_exactly):
        try:
            answers.append(("value", json.dumps(read(text, "X"))))
        except RuntimeFault as fault:
            answers.append((fault.code, fault.detail))
    assert answers[0] == answers[1]


def nested(containers: int) -> list[object]:
    value: list[object] = []
    for _ in range(containers - 1):
        value = [value]
    return value


def test_the_quick_reading_measures_depth_itself() -> None:
    assert not _is_too_deep(nested(1024))
    assert _is_too_deep(nested(1025))


def test_many_brackets_are_not_depth() -> None:
    assert scan_json("[" + ",".join(["[]"] * 2000) + "]", "X") == [[]] * 2000

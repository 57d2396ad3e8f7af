"""Canonical bytes and digests: stable, independent of key order, and only over the hashed domain."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.canonical import canonicalize, digest_artifact, scan_json, serialize_artifact
from evalnb.engine.canonical.jcs import _SHALLOW, _NotPlain, _plain_depth, _render_deep, _walked_depth
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import json_equal
from tests.engine.canonical.test_scan import JSON_VALUES

NUMBERS = [
    (0, b"0"),
    (-0.0, b"0"),
    (1.0, b"1"),
    (1e-7, b"1e-7"),
    (0.000001, b"0.000001"),
    (5e-324, b"5e-324"),
    (62.5, b"62.5"),
    (9007199254740991, b"9007199254740991"),
    (1.5e-10, b"1.5e-10"),
    (-123456.789, b"-123456.789"),
]


@pytest.mark.parametrize(("number", "expected"), NUMBERS)
def test_number_layout(number: float, expected: bytes) -> None:
    assert canonicalize(number, "X") == expected


def test_keys_sort_by_utf16_code_units() -> None:
    assert canonicalize({"\ufb33": 1, "\U0001f600": 2}, "X") == '{"\U0001f600":2,"\ufb33":1}'.encode()


def test_serialization_is_canonical_text_and_one_line_feed() -> None:
    assert serialize_artifact({"b": 1.0, "a": "é"}, "X") == '{"a":"é","b":1}\n'


@given(JSON_VALUES)
def test_canonical_form_round_trips(value: Any) -> None:
    once = canonicalize(value, "X")
    again = scan_json(once, "X")
    assert json_equal(again, value)
    assert canonicalize(again, "X") == once


@given(st.dictionaries(st.text(), JSON_VALUES, max_size=6), st.randoms(use_true_random=False))
def test_digest_ignores_key_order(value: dict[str, Any], rng: random.Random) -> None:
    keys = list(value)
    rng.shuffle(keys)
    assert digest_artifact({key: value[key] for key in keys}, "X") == digest_artifact(value, "X")


@given(JSON_VALUES)
def test_deep_rendering_equals_the_library(value: Any) -> None:
    assert _render_deep(value) == canonicalize(value, "X")


def test_fault_names_the_place() -> None:
    with pytest.raises(RuntimeFault) as caught:
        canonicalize({"a": [1, {"b": float("nan")}]}, "Probe")
    assert caught.value.detail == "non-finite number at $.a[1].b"


def test_the_first_bad_member_is_the_canonically_first() -> None:
    with pytest.raises(RuntimeFault, match=r"at \$\.a$"):
        canonicalize({"b": float("inf"), "a": {1}}, "X")


FOREIGN = st.one_of(
    st.sampled_from([float("nan"), float("inf"), 2**53, -(2**53), 1e300, "\ud800", b"", (1,), {1: 2}, {"\udfff": 1}]),
    st.integers(),
    st.floats(),
)


def depth_or_none(depth: Any, *arguments: Any) -> int | None:
    try:
        found: int = depth(*arguments)
    except (_NotPlain, RuntimeFault):
        return None
    return found


@given(st.recursive(JSON_VALUES | FOREIGN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_the_short_look_passes_what_the_walk_passes_and_nothing_else(value: Any) -> None:
    assert depth_or_none(_plain_depth, value, _SHALLOW) == depth_or_none(_walked_depth, value, "X")


def test_a_cycle_with_many_ways_round_is_refused_at_once() -> None:
    cyclic: list[Any] = []
    cyclic += [cyclic] * 50
    with pytest.raises(RuntimeFault, match="cyclic reference"):
        canonicalize(cyclic, "X")

"""Volatile fields: what each pointer takes out of a body, and what it leaves alone."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.artifacts import AbsentBody, JsonBody, TextBody
from evalnb.engine.preflight.prune import prune_body


def pruned(value: Any, *pointers: str) -> Any:
    body = prune_body(JsonBody(kind="json", value=value), pointers)
    assert body.kind == "json"
    return body.value


@pytest.mark.parametrize(
    ("value", "pointers", "left"),
    [
        ({"a": 1, "b": 2}, ["/a"], {"b": 2}),
        ({"a": {"b": 1}}, ["/a/b"], {"a": {}}),
        ({"a": 1}, ["/a/b"], {"a": 1}),
        ({"a": 1}, ["/constructor"], {"a": 1}),
        ({"a": [1, 2, 3]}, ["/a/0", "/a/0"], {"a": [3]}),
        ({"a": [1, 2]}, ["/a/00"], {"a": [1, 2]}),
        ({"a": [1]}, ["/a/-"], {"a": [1]}),
        ({"a": [1]}, ["/a/" + "9" * 5000], {"a": [1]}),
        ({"a": [{"t": 1}, {"t": 2}]}, ["/a/1/t"], {"a": [{"t": 1}, {}]}),
        ({"x": {"t": 1, "v": 1}, "y": {"t": 2}}, ["/*/t"], {"x": {"v": 1}, "y": {}}),
        ([[1], [2]], ["/*/0"], [[], []]),
        ({"*": 1, "b": 2}, ["/*"], {}),
        ([1, 2], ["/*"], []),
        ({"a": 1}, ["/a/*/t"], {"a": 1}),
        ({"a/b": 1, "m~n": 2, "~1": 3}, ["/a~1b", "/m~0n", "/~01"], {}),
        ({"": 1, "a": 2}, ["/"], {"a": 2}),
    ],
)
def test_a_pointer_removes_exactly_what_it_names(value: Any, pointers: list[str], left: Any) -> None:
    assert pruned(value, *pointers) == left


@pytest.mark.parametrize("segment", ["a", "*"])
def test_a_pointer_reaches_as_deep_as_a_body_may_be(segment: str) -> None:
    depth = 1023
    value: Any = {"a": 1}
    for _ in range(depth):
        value = {"a": value}
    left = pruned(value, f"/{segment}" * (depth + 1))
    for _ in range(depth):
        left = left["a"]
    assert left == {}


def test_the_empty_pointer_leaves_no_body() -> None:
    body = prune_body(JsonBody(kind="json", value={"a": 1}), ["/a", ""])
    assert body.kind == "absent"


@pytest.mark.parametrize("body", [TextBody(kind="text", value="x"), AbsentBody(kind="absent")])
def test_text_and_absence_stay_visible(body: TextBody | AbsentBody) -> None:
    assert prune_body(body, ["", "/a"]) is body


@pytest.mark.parametrize("body", [JsonBody(kind="json", value=1), AbsentBody(kind="absent")])
@pytest.mark.parametrize("text", ["a", "/a~", "/a~2", "@/a"])
def test_a_string_that_is_no_pointer_is_a_mistake_in_the_program(body: JsonBody | AbsentBody, text: str) -> None:
    with pytest.raises(TypeError, match="not a volatile pointer"):
        prune_body(body, [text])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab*/~", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab*/~01"), inner, max_size=3),
    max_leaves=12,
)
pointers = st.lists(st.sampled_from(["a", "b", "*", "0", "1", "~1", "~0", ""]), min_size=1, max_size=3).map(
    lambda segments: "".join(f"/{segment}" for segment in segments)
)


@given(json_values, st.lists(pointers, max_size=3))
def test_pruning_does_not_touch_the_body_it_was_given(value: Any, names: list[str]) -> None:
    before = copy.deepcopy(value)
    pruned(value, *names)
    assert value == before


@given(json_values, st.lists(pointers, max_size=2), st.lists(pointers, max_size=2))
def test_pointers_apply_one_after_another(value: Any, first: list[str], second: list[str]) -> None:
    assert pruned(value, *first, *second) == pruned(pruned(value, *first), *second)

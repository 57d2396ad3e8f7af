"""The leaf operators over values already resolved."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine import artifacts as shapes
from evalnb.engine.evaluate.operators import (
    absence,
    containment,
    count_tolerance,
    covers_by_key,
    deep_equality,
    equality,
    existence,
    ordering,
    regex_match,
    set_membership,
    shape,
)
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import ABSENT

HERE = "EvalContract.oracles[id=O-001].check"
UNSAFE = 2**53


@pytest.mark.parametrize("value", [None, 0, False, "", [], {}])
def test_an_empty_value_exists(value: Any) -> None:
    assert existence(value)
    assert not absence(value)


def test_absent_does_not_exist() -> None:
    assert absence(ABSENT)
    assert not existence(ABSENT)


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (-0.0, 0, True),
        (None, None, True),
        (ABSENT, ABSENT, False),
        (ABSENT, None, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([1, 2], [2, 1], False),
        (UNSAFE, 200, False),
        (UNSAFE, {"a": 1}, False),
        (UNSAFE, UNSAFE, True),
    ],
)
def test_equality(left: Any, right: Any, equal: bool) -> None:
    assert equality(left, right, HERE) is equal


@pytest.mark.parametrize(
    "ask",
    [
        lambda: equality({"a": UNSAFE}, {"a": 1}, HERE),
        lambda: deep_equality(UNSAFE, 200, HERE),
        lambda: deep_equality("a", UNSAFE, HERE),
        lambda: deep_equality(["\ud800"], [], HERE),
        lambda: containment([UNSAFE], 1, HERE),
        lambda: set_membership(1, [UNSAFE], HERE),
        lambda: covers_by_key([{"id": 1}], [{"id": UNSAFE}], "id", "id", HERE),
    ],
)
def test_a_value_without_canonical_form_is_a_fault(ask: Any) -> None:
    with pytest.raises(RuntimeFault) as caught:
        ask()
    assert (caught.value.code, caught.value.artifact_path) == ("non-canonicalizable-value", HERE)


def test_the_search_stops_at_the_first_match() -> None:
    assert containment([1, UNSAFE], 1, HERE)
    assert set_membership(1, [1, UNSAFE], HERE)
    assert not containment([1], [2, UNSAFE], HERE)


@pytest.mark.parametrize(
    ("container", "candidate", "held"),
    [
        ("hello", "ell", True),
        ("hello", "", True),
        ("hello", "ELL", False),
        ("hello", 1, False),
        ("hello", ["h"], False),
        ("\U0001f600", "\ude00", True),
        ("a\U0001f600", "\U0001f600", True),
        ([1, 2, 3], [3, 1, 1], True),
        ([1, 2], [3], False),
        ([[1, 2], [3, 4]], [1, 2], False),
        ([[1, 2], [3, 4]], [[1, 2]], True),
        ([None], None, True),
        ([1], ABSENT, False),
        (ABSENT, 1, False),
        ({"a": 1}, "a", False),
        (None, None, False),
    ],
)
def test_containment(container: Any, candidate: Any, held: bool) -> None:
    assert containment(container, candidate, HERE) is held


def test_the_set_of_a_membership_is_an_array() -> None:
    assert set_membership("a", ["b", "a"], HERE)
    assert not set_membership(ABSENT, ["a"], HERE)
    with pytest.raises(TypeError, match="set-membership must resolve to an array"):
        set_membership("a", ABSENT, HERE)


@pytest.mark.parametrize(
    ("pattern", "value", "code"),
    [
        ("^([a$", "x", "operator-cannot-accept-operand"),
        ("^(a+)+$", "", "budget-exhausted"),
        ("^a+$", "a" * 51, "budget-exhausted"),
        ("^a+$", "\U0001f600" * 26, "budget-exhausted"),
    ],
)
def test_a_pattern_that_is_not_run_is_a_fault(pattern: str, value: str, code: str) -> None:
    with pytest.raises(RuntimeFault) as caught:
        regex_match(value, pattern, 100, HERE)
    assert (caught.value.code, caught.value.artifact_path) == (code, HERE)


def test_the_budget_itself_may_be_used_up() -> None:
    assert regex_match("a" * 50, "^a+$", 100, HERE)


def test_the_fault_names_the_steps_and_the_budget() -> None:
    with pytest.raises(RuntimeFault, match=r"estimated 104 match steps, more than the budget of 100"):
        regex_match("x" * 26, "^a+b+c+$", 100, HERE)


@pytest.mark.parametrize("value", [ABSENT, None, 42, ["a"]])
def test_only_text_is_matched_and_a_broken_pattern_does_not_matter(value: Any) -> None:
    assert not regex_match(value, "^([a$", 100, HERE)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"id": "a"}, True),
        ({"id": "a", "note": 5}, True),
        ({"id": "a", "tags": None}, False),
        ({"id": 1}, False),
        ({"note": 5}, False),
        ({"id": "a", "more": 1}, False),
        ([], False),
        (ABSENT, False),
        (None, False),
    ],
)
def test_shape(value: Any, fits: bool) -> None:
    descriptor = shapes.KeyedShapeDescriptor.model_validate(
        {
            "requiredKeys": ["id"],
            "permittedKeys": ["id", "note", "tags"],
            "types": {"id": "string", "note": None, "tags": "array", "other": "null"},
        }
    )
    assert shape(value, descriptor) is fits


def test_a_required_key_that_is_not_permitted_fits_nothing() -> None:
    descriptor = shapes.KeyedShapeDescriptor.model_validate({"requiredKeys": ["id"], "permittedKeys": [], "types": {}})
    assert not shape({"id": 1}, descriptor)


@pytest.mark.parametrize(
    ("values", "order", "sorted_so"),
    [
        ([1, 1, 2], "ascending", True),
        ([2, 1.5, 1], "descending", True),
        ([1, 2], "descending", False),
        (["\U0001f600", "\uff5e"], "ascending", True),
        (["a", 1], "ascending", False),
        ([True, True], "ascending", False),
        ([None], "ascending", True),
        ([], "ascending", True),
    ],
)
def test_ordering(values: list[Any], order: Any, sorted_so: bool) -> None:
    assert ordering([{"k": value} for value in values], "k", order) is sorted_so


@pytest.mark.parametrize("rows", [ABSENT, None, {}, [1, 2], [{"k": 1}, {}]])
def test_what_has_no_keys_to_compare_is_not_ordered(rows: Any) -> None:
    assert not ordering(rows, "k", "ascending")


@pytest.mark.parametrize(
    ("length", "expected", "tolerance", "relative", "within"),
    [
        (3, 3, 0, False, True),
        (4, 3, 0, False, False),
        (4, 3, 1, False, True),
        (7, 7, 10, True, True),
        (6, 7, 10, True, False),
        (0, 0, 50, True, True),
        (1, 0, 50, True, False),
    ],
)
def test_count_tolerance(length: int, expected: int, tolerance: int, relative: bool, within: bool) -> None:
    assert count_tolerance([None] * length, expected, tolerance, relative) is within


@pytest.mark.parametrize("value", [ABSENT, None, "abc", {"a": 1}])
def test_only_arrays_are_counted(value: Any) -> None:
    assert not count_tolerance(value, 1, 9, False)


def rows(*ids: Any) -> list[dict[str, Any]]:
    return [{} if value is ABSENT else {"id": value} for value in ids]


@pytest.mark.parametrize(
    ("expected", "actual", "covered"),
    [
        ((1, 2, 3), (3, 1, 2), True),
        ((1, 2, 3), (1, 2), False),
        ((1, 2, 3), (1, 1, 1), False),
        ((1, 2, 3), (1, 2, 3, 4), False),
        ((1, 2), (1, 2, ABSENT), False),
        ((ABSENT, 2), (1, 2), False),
        ((1, 1), (1, 2), False),
        ((1,), ("1",), False),
        ((1,), (1.0,), True),
        (({"a": 1, "b": 2},), ({"b": 2, "a": 1},), True),
        ((None,), (None,), True),
        ((), (), True),
    ],
)
def test_covers_by_key(expected: Any, actual: Any, covered: bool) -> None:
    assert covers_by_key(rows(*expected), rows(*actual), "id", "id", HERE) is covered


def test_the_two_sides_may_name_their_key_differently() -> None:
    assert covers_by_key([{"id": 1}], [{"ref": 1, "more": 2}], "id", "ref", HERE)
    assert not covers_by_key([{"id": 1}], ABSENT, "id", "id", HERE)

"""The cost screen reads quantifiers where they work, not where they are escaped or inside a class."""

from __future__ import annotations

import pytest

from evalnb.engine.evaluate.step_budget import pattern_cost, screening_text


@pytest.mark.parametrize(
    ("pattern", "screened", "markers"),
    [
        ("^a+b+c+$", "^a+b+c+$", 3),
        ("^[+*?]{1,3}$", "^[]{1,3}$", 1),
        ("^[a\\]b+]$", "^[]$", 0),
        ("^\\+\\+\\+$", "^___$", 0),
        ("^(?:GET|POST)+$", "^(?:GET|POST)+$", 2),
        ("^a+?$", "^a+?$", 2),
        ("^a{,3}$", "^a{,3}$", 0),
        ("^\\\n+$", "^\\\n+$", 1),
        ("^\\[[+]$", "^_[]$", 0),
    ],
)
def test_markers_are_counted_on_the_screened_text(pattern: str, screened: str, markers: int) -> None:
    assert screening_text(pattern) == screened
    assert pattern_cost(pattern).markers == markers


@pytest.mark.parametrize(
    "pattern",
    ["^(a+)+$", "^(a+)?$", "^(a+){2}$", "^(x(?:a|b))+$", "^\\[(a+)+\\]$", "^(a{2})*$", "^(?<=a+)*$", "(a?)*"],
)
def test_a_repeated_group_that_repeats_is_nested(pattern: str) -> None:
    assert pattern_cost(pattern).nested


@pytest.mark.parametrize(
    "pattern",
    [
        "^(?:GET|POST)+$",
        "^(a+)b$",
        "^(\\d\\+)+$",
        "^(a+)$",
        "^([+])+$",
        "^)a+)+$",
        "^(a+){,2}$",
        "^(?<n>a)+$",
        "^(a+",
    ],
)
def test_other_patterns_are_not_nested(pattern: str) -> None:
    assert not pattern_cost(pattern).nested


def test_the_estimate_is_one_pass_and_one_more_for_each_marker() -> None:
    assert pattern_cost("^a+b+c+$").steps(26) == 104
    assert pattern_cost("^abc$").steps(26) == 26

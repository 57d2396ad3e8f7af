"""The pattern dialect is ECMAScript without flags, not Python's."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from evalnb.engine.evaluate.ecma_source import PatternSyntaxError
from evalnb.engine.evaluate.patterns import compile_pattern, is_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("^a$", "a\n", False),
        ("^a|b$", "axyz", True),
        ("^a|b$", "xyzb", True),
        ("^.$", "\u2028", False),
        ("^.$", "\x85", True),
        ("^\\d$", "\u0663", False),
        ("^\\w$", "é", False),
        ("^\\s$", "\ufeff", True),
        ("^\\s$", "\x1c", False),
        ("^[]$", "", False),
        ("^[^]$", "\n", True),
        ("^\\Z$", "Z", True),
        ("^a{,3}$", "a{,3}", True),
        ("^\\u{3}$", "uuu", True),
        ("^\\u{61}$", "a", False),
        ("^[\\u{a}]+$", "{a}u", True),
        ("^\\p{L}$", "p{L}", True),
        ("^\\c$", "\\c", True),
        ("^[\\c]$", "c", True),
        ("^\\cJ$", "\n", True),
        ("^[a-\\d]$", "-", True),
        ("^(?<n>a)\\k<n>$", "aa", True),
        ("^(?<\\u{61}>x)$", "x", True),
        ("^\\k<n>$", "k<n>", True),
        ("^(?=a)*b$", "b", True),
        ("^\\(?:$", "(:", True),
        ("^[(?i:]$", "?", True),
    ],
)
def test_a_pattern_matches_as_ecmascript_does(pattern: str, text: str, matches: bool) -> None:
    assert compile_pattern(pattern).search(text) is matches


@pytest.mark.parametrize(
    "pattern",
    [
        "^([a$",
        "^*",
        "^a++$",
        "^a**$",
        "^{1}$",
        "^x{1}??$",
        "^\\b*$",
        "^\\B{2}$",
        "^^*$",
        "^a\\",
        "^(a$",
        "^a)$",
        "^[a",
        "^[b-a]$",
        "^a{3,2}$",
        "^(?>a)$",
        "^(?P<n>a)$",
        "^(?#x)$",
        "(?i)^a$",
        "^(?i:a)$",
        "^(?-i:a)$",
        "^(?<=a)*$",
        "^(?<1>a)$",
        "^(?<n>a)(?<n>b)$",
        "^(?<n>a)|(?<n>b)$",
        "^(?<n>a)\\k$",
        "^(?<n>a)\\k<m>$",
    ],
)
def test_what_is_no_ecmascript_pattern_does_not_compile(pattern: str) -> None:
    assert not is_pattern(pattern)
    with pytest.raises(PatternSyntaxError):
        compile_pattern(pattern)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from([*"ab[]{}()*+?|^$.\\-1u,:<>=!", "(?", "\\u", "\\ud83d", "\ud83d", "\U0001f600"]),
        max_size=8,
    )
)
def test_any_text_compiles_or_is_refused_and_never_fails_otherwise(parts: list[str]) -> None:
    pattern = "".join(parts)
    if is_pattern(pattern):
        assert compile_pattern(pattern).search("a\U0001f600\ud800b") in (True, False)


@pytest.mark.parametrize(
    ("pattern", "accepted"),
    [
        ("^(?:" + "|".join("a" * 4096) + ")$", True),
        ("^(?:" + "|".join("a" * 100_000) + ")$", False),
        ("^" + "(?:a|b)" * 5000 + "$", True),
        ("^[" + "|" * 5000 + "]$", True),
        ("^" + "(" * 10_000 + ")" * 10_000 + "$", False),
    ],
    ids=["wide", "too-wide", "wide-in-sum", "bars-in-a-class", "too-deep"],
)
def test_a_pattern_that_would_exhaust_the_matcher_is_refused(pattern: str, accepted: bool) -> None:
    assert is_pattern(pattern) is accepted

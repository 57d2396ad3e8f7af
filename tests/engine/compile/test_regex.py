"""Patterns: what is pattern source at all, and which constructs a check may not use."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.compile.regex_constructs import refused_construct
from evalnb.engine.compile.regex_syntax import is_pattern_source

SOURCE = [
    "", "a{", "{,1}", "a{,3}", "}", "]", "[]", "[^]", "[[:alpha:]]", r"[a-\d]", r"[\d-z]", "[$]", "[a-]", "[+--]",
    r"\A\Z\Q\h\N\p{L}\-\/", r"\c", r"\cA", r"[\c]", r"[\c_-a]", r"\xZZ", r"\x4", r"\u12", r"\u{61}", r"\0", r"\08", r"\8", r"\10",
    r"\k", r"\k<>", r"\k<x>", r"(?<n>a)\k<n>", r"\k<n>(?<n>a)", "(?:a)*", "(?=a)*", "(?!a){2}", "(?<=a)b", "(?<!a)",
    "(?<$>a)", r"(?<\u{61}>a)", r"(?<\u0061b>a)", "(?<é>a)", "(?<𝒜>a)", "a{2}?", "a{0,}", "a{3000000000,2500000000}",
    "[😀]", "😀{2}", "[a-😀]", "a|", "|", "(|)", "()", "a$b^c", r"[\b]", "\ud800", "[\ud800-\udc00]",
]  # fmt: skip
NO_SOURCE = [
    "^*", "^+", "^?", "{1}", "a**", "a++", "a*+", "a{1}{2}", "x{1}??", "^^*", "$*", r"\b*", r"\B+", "(*a)", "|+", "(?:+)",
    "\\", "(", "(?:a", "[", "[a", "[\\", ")", "a)", "[b-a]", r"[\x62-a]", r"[a-\u0060]", r"[\377-\400]", "[😀-😁]", "a{3,2}", "a{11,2}",
    "(?>a)", "(?P<n>a)", "(?#a)", "(?i)", "(?i:a)", "(?-i:a)", "(?", "(?<", "(?<n", "(?<=a)*", "(?<!a)+", "(?<1>a)", "(?<>a)",
    "(?<a b>a)", "(?<😀>a)", "(?<n>a)(?<n>b)", "(?<n>a)|(?<n>b)", r"(?<n>a)(?<\u006e>b)", r"(?<n>a)\k", r"(?<n>a)\k<o>",
    r"(?<n>a)[\k]", r"\u{61}{2}", r"(?<\u{110000}>a)",
]  # fmt: skip

ILLEGAL = [
    ("a", "anchored"), ("^", "anchored"), ("$", "anchored"), (r"^a\$", "anchored"), (r"^a\\\$", "anchored"), ("^a|b$", "anchored"),
    ("^(a)|(b)$", "anchored"), ("^[|]|b$", "anchored"), (r"^\||b$", "anchored"), (r"^(a)\1|b$", "anchored"), ("^[a-$", "valid"),
    (r"^(a)\1$", "backreference"), (r"^\\1$", "backreference"), (r"^[\1]$", "backreference"), (r"^\8$", "backreference"),
    (r"^(?<w>a)\k<w>$", "backreference"), (r"^\k<w>$", "backreference"), (r"^(?<=a)\1$", "backreference"),
    ("^(?<=a)b$", "lookbehind"), ("^(?<!a)b$", "lookbehind"), (r"^\(?<=a$", "lookbehind"), ("^[(?<=]$", "lookbehind"),
]  # fmt: skip
LEGAL = [
    "^$", "^(a|b)$", "^(?:a|^b$)$", "^[|]$", r"^a\|b$", r"^a\\$", "^(?=a)a$", "^(?<w>a)$", r"^\0$", r"^\08$", r"^\k$", "^[)|]$",
]  # fmt: skip


@pytest.mark.parametrize("source", SOURCE)
def test_what_the_dialect_accepts(source: str) -> None:
    assert is_pattern_source(source)


@pytest.mark.parametrize("source", NO_SOURCE)
def test_what_the_dialect_refuses(source: str) -> None:
    assert not is_pattern_source(source)


@pytest.mark.parametrize(("pattern", "word"), ILLEGAL)
def test_a_refused_construct_is_named(pattern: str, word: str) -> None:
    assert word in (refused_construct(pattern) or "")


@pytest.mark.parametrize("pattern", LEGAL)
def test_a_legal_pattern_passes(pattern: str) -> None:
    assert refused_construct(pattern) is None


@given(st.text(alphabet=st.sampled_from(r"ab01(?<>:=!)[]^-\{},*+.|$kucxPn😀 "), max_size=20))
def test_any_text_is_source_or_not_and_alternation_needs_an_unescaped_bar(text: str) -> None:
    assert is_pattern_source(text) in (True, False)
    if "|" not in text and is_pattern_source(f"^{text}$"):
        reason = refused_construct(f"^{text}$")
        escaped = len(text) - len(text.rstrip("\\"))
        assert (reason or "").startswith("is not anchored") == bool(escaped % 2)


@given(st.text(alphabet="abc019 .", max_size=12))
def test_an_escaped_text_is_always_source(text: str) -> None:
    assert is_pattern_source(re.escape(text))


def test_long_and_deep_patterns_are_read_without_recursion() -> None:
    rng = random.Random(1)
    deep = "(" * 50_000 + ")" * 50_000
    long = "|".join(rng.choice("abc") for _ in range(100_000))
    assert is_pattern_source(deep)
    assert not is_pattern_source(deep + ")")
    assert is_pattern_source(f"(?:{long})")

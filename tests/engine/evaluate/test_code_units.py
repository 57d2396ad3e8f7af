"""Where matching by code point and by UTF-16 code unit differ, and that evalnb answers by code unit."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.evaluate.code_units import from_units, to_units, utf16_length
from evalnb.engine.evaluate.patterns import compile_pattern, is_pattern

EMOJI = "\U0001f600"
ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=6)


def test_the_matcher_itself_counts_code_points() -> None:
    import regress

    assert regress.Regex("^.$").find(EMOJI) is not None
    assert regress.Regex("^..$").find(EMOJI) is None
    with pytest.raises(UnicodeEncodeError):
        regress.Regex("^.$").find("\ud83d")


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("^.$", EMOJI, False),
        ("^..$", EMOJI, True),
        (f"^{EMOJI}$", EMOJI, True),
        (f"^{EMOJI}+$", EMOJI + EMOJI, False),
        (f"^{EMOJI}+$", EMOJI + "\ude00", True),
        ("^\\ud83d\\ude00$", EMOJI, True),
        ("^\\ud83d", EMOJI, True),
        ("^\\ud83d$", "\ud83d", True),
        ("^[\\ud800-\\udfff]+$", EMOJI, True),
        ("^[\\u0000-\\uffff]+$", f"a{EMOJI}\uffff", True),
        ("^[^\\u0000-\\ud7ff]+$", f"{EMOJI}\ue000", True),
        ("^[^a]$", EMOJI, False),
        ("^[^a]{2}$", EMOJI, True),
        (f"^[{EMOJI}]$", EMOJI, False),
        (f"^[{EMOJI}]$", "\ude00", True),
        ("^\\W\\W$", EMOJI, True),
        ("^.$", "\U000f0000", False),
        ("^.$", "\ue000", True),
    ],
)
def test_patterns_match_code_units(pattern: str, text: str, matches: bool) -> None:
    assert compile_pattern(pattern).search(text) is matches


@pytest.mark.parametrize("pattern", [f"^[{EMOJI}-\U0001f601]$", "^[\\uffff-\\ud800]$", "^[\\udfff-\\ud800]$"])
def test_a_range_of_code_units_may_not_run_backwards(pattern: str) -> None:
    assert not is_pattern(pattern)


@given(ANY_TEXT)
def test_carried_units_read_back(text: str) -> None:
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    assert from_units(to_units(text)) == joined


@given(ANY_TEXT)
def test_a_text_has_as_many_carried_units_as_code_units(text: str) -> None:
    assert len(to_units(text)) == utf16_length(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2

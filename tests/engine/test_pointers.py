"""Pointers: the four spellings, splitting, decoding, and one language under every regular expression engine."""

from __future__ import annotations

import re

import pytest
import regress
from hypothesis import given, settings, strategies as st

from evalnb.engine import pointers
from evalnb.engine.artifacts import primitives
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.artifacts.reading import validated

SPELLINGS = {
    pointers.INTERACTION: primitives.InteractionPointer,
    pointers.BOUND_ELEMENT: primitives.BoundElementPointer,
    pointers.DESCRIPTOR: primitives.DescriptorPointer,
    pointers.VOLATILE: primitives.WildcardPointer,
}
PIECES = ["/", "//", "*", "**", "~0", "~1", "~", "a", "B", "é", "\n", "@", "%2A", "interactions", "s-1", "S", "-"]
WORDS = [*PIECES, *pointers.EVIDENCE_CHANNELS, *pointers.INPUT_CHANNELS]
texts = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=8).map("".join),
    st.lists(st.sampled_from(WORDS), max_size=5).map(lambda parts: "/interactions/s/" + "/".join(parts)),
    st.lists(st.sampled_from(PIECES), max_size=4).map(lambda parts: "@/" + "/".join(parts)),
)


@pytest.mark.parametrize("spelling", pointers.POINTER_SPELLINGS, ids=lambda spelling: spelling.name)
@settings(max_examples=400, deadline=None)
@given(text=texts)
def test_the_published_pattern_and_the_engine_s_are_one_language(spelling: pointers.PointerSpelling, text: str) -> None:
    by_ecmascript = regress.Regex(spelling.pattern).find(text) is not None
    assert pointers.matches(spelling, text) is by_ecmascript
    try:
        validated(SPELLINGS[spelling], text)
    except ShapeError:
        assert not by_ecmascript
    else:
        assert by_ecmascript


@settings(max_examples=300, deadline=None)
@given(texts)
def test_a_split_pointer_puts_together_again(text: str) -> None:
    if not pointers.matches(pointers.INTERACTION, text):
        with pytest.raises(TypeError, match=re.escape(f"recognized channel: {text}")):
            pointers.parse_interaction_pointer(text)
        return
    parts = pointers.parse_interaction_pointer(text)
    named = [part for part in (parts.input_channel, parts.artifact_id) if part is not None]
    tail = [token.replace("~", "~0").replace("/", "~1") for token in parts.tail]
    assert "/".join(["/interactions", parts.step_id, parts.channel, *named, *tail]) == text
    assert (parts.input_channel is not None) is (parts.channel == "call-inputs")
    assert (parts.artifact_id is not None) is (parts.channel == "artifact")


@pytest.mark.parametrize(
    ("tail", "tokens"),
    [
        ("", ()),
        ("/", ("",)),
        ("//a", ("", "a")),
        ("/a/", ("a", "")),
        ("/a~1b", ("a/b",)),
        ("/~01", ("~1",)),
        ("/~0~1", ("~/",)),
        ("/%2F", ("%2F",)),
    ],
)
def test_a_tail_decodes_token_by_token(tail: str, tokens: tuple[str, ...]) -> None:
    assert pointers.decode_tail(tail) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"), [("@/", ()), ("@/x", ("x",)), ("@//x", ("", "x")), ("@/a/b", ("a", "b")), ("@/x~1y", ("x/y",))]
)
def test_the_bound_element_itself_has_no_tokens(text: str, tokens: tuple[str, ...]) -> None:
    assert pointers.is_bound_element(text)
    assert pointers.bound_element_tail(text) == tokens


def test_the_four_classes_partition_the_channels() -> None:
    classes = (
        pointers.TAIL_BEARING_CHANNELS,
        pointers.SCALAR_CHANNELS,
        pointers.INPUT_ROOTED_CHANNELS,
        pointers.IDENTIFIER_ROOTED_CHANNELS,
    )
    listed = [channel for members in classes for channel in members]
    assert sorted(listed) == sorted(pointers.EVIDENCE_CHANNELS)
    assert pointers.EVIDENCE_CHANNELS == (
        "response-body",
        "response-headers",
        "response-status",
        "call-inputs",
        "stdout",
        "stderr",
        "exit-code",
        "artifact",
    )
    assert "artifact" not in pointers.NON_IDENTIFIER_ROOTED_CHANNELS
    assert len(pointers.INPUT_CHANNELS) == 9

"""Markup is made of text only by escaping it."""

from __future__ import annotations

import json
from html import unescape

import pytest
from hypothesis import given, strategies as st

from evalnb.view.html import Html, asset, escape, join, json_script, library_block, style_sheet, tag, visible
from tests.view.hostile import PAYLOADS


def test_text_is_escaped_between_tags_and_in_attributes() -> None:
    made = str(tag("td", "<b>", title='"><i>', data_value="'&`"))
    assert made == '<td title="&quot;&gt;&lt;i&gt;" data-value="&#39;&amp;&#96;">&lt;b&gt;</td>'


@given(st.text())
def test_escaped_text_reads_back_as_what_is_visible_of_it(text: str) -> None:
    markup = str(escape(text))
    assert not set('<>"') & set(markup)
    assert unescape(markup) == visible(text)


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_no_payload_leaves_its_element(payload: str) -> None:
    made = str(tag("p", payload, title=payload))
    assert made.count("<") == 2
    assert made.count('"') == 2
    made.encode("utf-8")


def test_unseen_characters_are_named() -> None:
    assert visible("a\u202eb\x1b[0m\ud800\x00c\td\n") == "a\\u202eb\\x1b[0m\\ud800\\x00c\td\n"


def test_markup_is_not_made_of_text() -> None:
    with pytest.raises(TypeError):
        Html("<b>bold</b>")


@pytest.mark.parametrize(
    "attributes",
    [
        {"onclick": "x"},
        {"ONERROR": "x"},
        {"srcdoc": "x"},
        {"src": "http://x"},
        {"style": "background:url(http://x)"},
        {"style": "color:red;}</style>"},
        {"href": "javascript:alert(1)"},
        {"href": " javascript:alert(1)"},
        {"href": "data:text/html,x"},
        {"x y": "z"},
    ],
)
def test_dangerous_attributes_are_refused(attributes: dict[str, str]) -> None:
    with pytest.raises(ValueError):
        tag("a", "text", **attributes)


@pytest.mark.parametrize("name", ["script", "style", "iframe", "textarea", "b onclick=x", "A"])
def test_elements_that_are_no_text_are_refused(name: str) -> None:
    with pytest.raises(ValueError):
        tag(name, "text")


def test_attributes_that_say_nothing_are_left_out() -> None:
    assert str(tag("details", "x", open=True, class_=None, hidden=False)) == "<details open>x</details>"


def test_children_may_be_nested_and_nothing() -> None:
    assert str(tag("p", ["a", None, [tag("b", 1), iter(["<"])]])) == "<p>a<b>1</b>&lt;</p>"
    assert str(join(["a", None, "b"], " & ")) == "a &amp; b"


def test_a_mapping_is_no_content() -> None:
    with pytest.raises(TypeError):
        tag("p", {"a": 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_a_data_block_cannot_be_ended_by_its_data(payload: str) -> None:
    made = str(json_script({payload: [payload]}, data_for="t"))
    inside = made.removeprefix('<script type="application/json" data-for="t">').removesuffix("</script>")
    assert "<" not in inside
    assert json.loads(inside) == {payload: [payload]}


def test_a_library_cannot_end_its_own_block() -> None:
    made = str(library_block("const a = '</script>', b = /<!--/, c = '<script>';"))
    inside = made.removeprefix('<script type="text/plain">').removesuffix("</script>")
    assert "<!--" not in inside
    assert "script>" in inside
    assert "</script" not in inside
    assert "<script" not in inside


def test_a_style_sheet_holds_no_markup() -> None:
    with pytest.raises(ValueError):
        style_sheet("p{} </style>")


def test_own_scripts_can_stand_in_a_document() -> None:
    for name in ("tables.js", "announce.js"):
        assert "</script" not in asset(name)
        assert "<!--" not in asset(name)

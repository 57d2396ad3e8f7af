"""Tables show every value as text, sort by weight and number, and say what they leave out."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pandas as pd
import pytest

from evalnb.view import tables
from evalnb.view.cells import columns_of_frame, natural_key
from evalnb.view.html import visible
from evalnb.view.tables import interactive_table, start_document, static_table
from tests.view.hostile import PAYLOADS
from tests.view.markup import assert_harmless

SEVERITIES = ["low", "material", "critical"]


def text(*values: str | None) -> Any:
    return pd.array(list(values), dtype=pd.StringDtype("python"))


def settings(markup: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', markup)
    assert found is not None
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


def orders(markup: str) -> list[str]:
    return [unescape(found) for found in re.findall(r'<td[^>]*data-order="([^"]*)"', markup)]


def test_identifiers_sort_by_their_numbers() -> None:
    assert sorted(["O-10", "O-9", "O-100", "o-2"], key=natural_key) == ["o-2", "O-9", "O-10", "O-100"]


def test_severities_sort_by_weight() -> None:
    frame = pd.DataFrame({"s": pd.Categorical(["critical", "low", None], categories=SEVERITIES, ordered=True)})
    assert orders(str(interactive_table(frame).html)) == ["2", "0", ""]


def test_states_are_badges_with_glyph_and_label() -> None:
    frame = pd.DataFrame({"state": pd.Categorical(["caught", "odd"], categories=["caught", "odd"])})
    made = str(static_table(frame).html)
    assert '<span class="enb-glyph" aria-hidden="true">✓</span><span class="enb-full">caught</span>' in made
    assert ">odd</td>" in made


def test_a_class_of_probes_is_no_state() -> None:
    kinds = pd.Categorical(["defect"], categories=["defect", "gameability"])
    assert "enb-badge" not in str(static_table(pd.DataFrame({"probe_class": kinds})).html)
    assert "enb-badge" in str(static_table(pd.DataFrame({"finding_type": kinds})).html)


@pytest.mark.parametrize(
    ("rows", "options", "calm", "search"),
    [(0, {}, True, False), (5, {}, True, False), (6, {}, True, True), (10, {}, True, True), (11, {}, False, True),
     (8, {"page_length": 5}, False, True), (20, {"page_length": 50}, False, True)],
)  # fmt: skip
def test_a_table_of_a_few_rows_is_calm(rows: int, options: dict[str, int], calm: bool, search: bool) -> None:
    frame = pd.DataFrame({"n": pd.array(range(rows), dtype="Int64")})
    told = settings(str(interactive_table(frame, **options).html))
    assert (told["isCalm"], told["hasSearch"]) == (calm, search)


@pytest.mark.parametrize(("value", "whole"), [("GET /tickets/{ticketId}", True), ("x" * 29, False), (" " * 40, True)])
def test_words_are_broken_only_where_they_are_long(value: str, whole: bool) -> None:
    assert ("enb-whole" in str(static_table(pd.DataFrame({"text": text(value, "a b")})).html)) == whole


def test_a_column_of_terms_offers_the_terms_that_occur_in_their_order() -> None:
    frame = pd.DataFrame({"s": pd.Categorical(["critical", "low"], categories=SEVERITIES, ordered=True)})
    assert settings(str(interactive_table(frame).html))["columns"][0]["choices"] == ["low", "critical"]


def test_numbers_keep_their_exact_value_for_export() -> None:
    frame = pd.DataFrame({"rate": pd.array([2 / 3, 1.0, None], dtype="Float64")})
    made = str(interactive_table(frame).html)
    assert f'data-value="{2 / 3!r}"' in made
    assert ">0.6667</td>" in made
    assert ">1</td>" in made


def test_missing_values_are_shown_as_nothing() -> None:
    frame = pd.DataFrame(
        {"a": text(None), "b": pd.array([None], dtype="boolean"), "c": pd.array([None], dtype="Int64")}
    )
    assert str(static_table(frame).html).count('aria-label="nothing"') == 3


def test_json_is_highlighted_and_folded() -> None:
    made = str(static_table(pd.DataFrame({"check": text(json.dumps({"op": "equality", "x": ["y" * 90]}))})).html)
    assert '<span class="enb-j-key">&quot;op&quot;</span>' in made
    assert "<details" in made


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_hostile_values_names_and_captions_are_text(payload: str) -> None:
    frame = pd.DataFrame({payload[:500]: text(payload), "t": pd.Categorical([payload])})
    for table in (interactive_table(frame, caption=payload[:500]), static_table(frame, caption=payload[:500])):
        seen = assert_harmless(table.html)
        assert visible(payload)[:100] in seen.text


def test_what_is_searched_is_markup_that_shows_the_text() -> None:
    # The table library writes what it searches into an element; it must get no tag to make one of.
    frame = pd.DataFrame({"t": pd.Categorical(["<img src=x onerror=x>&"])})
    found = re.search(r'data-search="([^"]*)"', str(interactive_table(frame).html))
    assert found is not None
    assert unescape(found[1]) == "&lt;img src=x onerror=x&gt;&amp;"


def test_an_empty_frame_gives_a_table_with_its_headings() -> None:
    frame = pd.DataFrame({"first_name": text()})
    assert "first name" in str(interactive_table(frame).html)
    assert "no rows" in str(static_table(frame).html)


def test_a_long_frame_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_ROWS", 3)
    table = interactive_table(pd.DataFrame({"n": pd.array(range(5), dtype="Int64")}))
    assert "The first 3 of 5 rows are shown." in str(table.html)
    assert repr(table) == "<table: 5 rows, 1 columns>"


def test_a_document_gets_the_table_code_once() -> None:
    frame = pd.DataFrame({"n": pd.array([1], dtype="Int64")})
    start_document()
    first, second = (interactive_table(frame)._repr_html_() for _ in range(2))
    code = '<script type="text/plain" class="enb-datatables">'
    assert first.count(code) == 1
    assert code not in second
    assert 'id="enb-table-1"' in first
    assert 'id="enb-table-2"' in second
    start_document()
    assert interactive_table(frame)._repr_html_() == first


def test_a_static_table_has_no_script() -> None:
    assert "<script" not in static_table(pd.DataFrame({"n": pd.array([1], dtype="Int64")}))._repr_html_()


def test_identifiers_are_not_broken_and_texts_get_room() -> None:
    frame = pd.DataFrame({"id": text("O-001"), "said": text("word " * 40)})
    assert [column.width for column in columns_of_frame(frame)] == [-1, 3]

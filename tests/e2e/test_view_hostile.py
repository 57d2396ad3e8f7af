"""A browser shows hostile evaluations as text: nothing runs, nothing is asked for, nothing leaves its place."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from evalnb.view.cards import card
from evalnb.view.frames import observations, oracles, outcomes
from evalnb.view.tables import interactive_table, start_document, static_table
from evalnb.view.words import check_in_words, resolution_in_words
from tests.e2e.watching import Watched
from tests.view.evaluations import hostile_failures, hostile_run
from tests.view.expressions import NOTES, TITLE, contract_with, literal, observation
from tests.view.hostile import PAYLOADS

OUR_ELEMENTS = (
    "div span p strong code pre dl dt dd ul li table caption thead tbody tr th td details summary style script "
    "button input select option label nav colgroup col tfoot"
)


class Page(Watched):
    """A page of ours that attacks were written into."""

    def assert_untouched(self) -> None:
        """Nothing ran, nothing was requested, and there are no elements but ours."""
        assert self.page.evaluate("window.hostile") is None
        strangers = self.page.evaluate(
            "known => [...new Set([...document.body.querySelectorAll('*')].map(e => e.localName))]"
            ".filter(name => !known.split(' ').includes(name))",
            OUR_ELEMENTS,
        )
        assert strangers == []
        assert (
            self.page.evaluate("document.body.querySelectorAll('[onerror],[onload],[ontoggle],[href],[src]').length")
            == 0
        )
        self.assert_quiet()


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    pages = []

    def open_one(*parts: object, width: int = 1200, **options: Any) -> Page:
        file = tmp_path / "report.html"
        body = "".join(str(part) for part in parts)
        file.write_text(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title><body>{body}</body></html>', "utf-8"
        )
        page = browser.new_page(viewport={"width": width, "height": 900}, accept_downloads=True, **options)
        pages.append(page)
        return Page(page, file.as_uri())

    yield open_one
    for page in pages:
        page.close()


def hostile_frame() -> pd.DataFrame:
    """A row a payload, in a text and in a category."""
    texts = pd.array(list(PAYLOADS), dtype=pd.StringDtype("python"))
    return pd.DataFrame(
        {
            "id": pd.array([f"O-{number}" for number in range(len(PAYLOADS), 0, -1)], dtype=pd.StringDtype("python")),
            "text": texts,
            "term": pd.Categorical(list(PAYLOADS)),
            "severity": pd.Categorical(
                [("low", "material", "critical")[n % 3] for n in range(len(PAYLOADS))],
                categories=["low", "material", "critical"],
                ordered=True,
            ),
            "n": pd.array([-1.5 * n for n in range(len(PAYLOADS))], dtype="Float64"),
        }
    )


def test_cards_of_a_hostile_evaluation(open_page: Callable[..., Page]) -> None:
    run = hostile_run()
    parts = [run, run.evaluation, run.contract, run.brief, run.preflight, run.arms[0].evidence, run.arms[0].score]
    watched = open_page(*(card(part) for part in [*parts, run.strength, *hostile_failures()]))
    watched.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    watched.page.wait_for_timeout(200)
    watched.assert_untouched()
    assert "<img src=x onerror=" in watched.page.inner_text("body")


def test_words_of_hostile_checks(open_page: Callable[..., Page]) -> None:
    shown: list[object] = []
    for payload in PAYLOADS:
        text = payload.replace("\ud800", "")
        contract = contract_with({"op": "equality", "operands": [TITLE, literal(text)]})
        shown.append(check_in_words(contract.oracles[0], contract).html)
        shown.append(
            resolution_in_words(contract, "O-001", [observation(1, "list", {"title": text, "notes": [text]})]).html
        )
    watched = open_page(*shown)
    watched.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    watched.assert_untouched()
    assert NOTES


def test_tables_are_searched_filtered_and_sorted_without_running_anything(open_page: Callable[..., Page]) -> None:
    start_document()
    watched = open_page(interactive_table(hostile_frame(), caption=PAYLOADS[1], table_id="attacks")._repr_html_())
    page = watched.page
    page.wait_for_selector(".dt-paging-button")
    for text in ("<img", "onerror", "&lt;", "script>", "\\u202e"):
        page.fill(".dt-search input", text)
        assert page.locator("#attacks tbody tr").count() >= 1
    page.fill(".dt-search input", "")
    page.locator("select.enb-filter").first.select_option(index=2)
    assert page.inner_text(".dt-info").startswith("1 to 1 of 1")
    page.locator("select.enb-filter").first.select_option(index=0)
    for heading in ("text", "term", "severity", "n", "id"):
        page.locator("#attacks thead th", has_text=heading).first.click()
    assert page.locator("#attacks tbody tr td").first.inner_text() == "O-1"
    page.locator("#attacks thead th", has_text="severity").click()
    assert "low" in page.locator("#attacks tbody tr").first.inner_text()
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    watched.assert_untouched()


def test_exported_cells_are_no_formulas_and_whole(open_page: Callable[..., Page], tmp_path: Path) -> None:
    start_document()
    watched = open_page(interactive_table(hostile_frame(), table_id="attacks")._repr_html_())
    watched.page.wait_for_selector(".enb-button")
    with watched.page.expect_download() as download:
        watched.page.click(".enb-button")
    assert download.value.suggested_filename == "attacks.csv"
    download.value.save_as(tmp_path / "attacks.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "attacks.csv").read_text("utf-8-sig"))))
    assert rows[0] == ["id", "text", "term", "severity", "n"]
    assert len(rows) == 1 + len(PAYLOADS)
    assert rows[1][1] == PAYLOADS[0]
    assert rows[2][4] == "-1.5"
    assert len(rows[len(PAYLOADS)][1]) == 100_000
    formula = PAYLOADS.index("=cmd|'/c calc'!A1") + 1
    assert rows[formula][1] == rows[formula][2] == "'=cmd|'/c calc'!A1"
    assert not [cell for row in rows for cell in row[:3] if cell[:1] in ("=", "+", "@", "-")]


def test_frames_of_a_hostile_run(open_page: Callable[..., Page]) -> None:
    start_document()
    run = hostile_run()
    frames = [
        oracles(run.contract),
        outcomes(run),
        observations([record for arm in run.arms for record in arm.arm.records]),
    ]
    watched = open_page(*(interactive_table(frame)._repr_html_() for frame in frames), static_table(frames[0]).html)
    watched.page.wait_for_selector(".dt-paging-button")
    watched.page.locator(".dt-search input").nth(2).fill("<svg")
    watched.page.wait_for_timeout(100)
    watched.assert_untouched()


@pytest.mark.parametrize("width", [600, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_page(open_page: Callable[..., Page], width: int, scheme: str) -> None:
    start_document()
    run = hostile_run()
    parts: list[object] = [card(run), card(run.contract), interactive_table(hostile_frame())._repr_html_()]
    watched = open_page(*parts, width=width, color_scheme=scheme)
    watched.page.wait_for_selector(".dt-paging-button")
    watched.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts_the_whole_table_is_there(open_page: Callable[..., Page]) -> None:
    start_document()
    watched = open_page(interactive_table(hostile_frame(), page_length=5)._repr_html_(), java_script_enabled=False)
    assert watched.page.locator("tbody tr").count() == len(PAYLOADS)


def test_a_printed_table_has_all_its_rows(open_page: Callable[..., Page]) -> None:
    start_document()
    watched = open_page(interactive_table(hostile_frame(), page_length=5)._repr_html_())
    watched.page.wait_for_selector(".dt-paging-button")
    assert watched.page.locator("tbody tr").count() == 5
    watched.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert watched.page.locator("tbody tr").count() == len(PAYLOADS)
    watched.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert watched.page.locator("tbody tr").count() == 5

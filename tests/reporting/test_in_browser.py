"""The report as a reader meets it: opened from a file, without a network, in a browser."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from evalnb.reporting import find_notebook, make_report, notebooks
from evalnb.reporting.registry import read_notebook
from evalnb.reporting.report import write_report

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.e2e, pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")]


@dataclass
class Reader:
    """An open page, and everything it complained about or asked for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module", params=[notebook.name for notebook in notebooks()])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_report(request.param, {}, tmp_path_factory.mktemp("report") / f"{request.param}.html")


@pytest.fixture
def read(browser: Any, report: Path) -> Iterator[Any]:
    contexts = []

    def opened(width: int = 1440, scheme: str = "light") -> Reader:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
        contexts.append(context)
        reader = Reader(context.new_page())
        reader.page.on("console", lambda message: reader.complaints.append(message.text))
        reader.page.on("pageerror", lambda error: reader.complaints.append(str(error)))
        reader.page.on("request", lambda asked: reader.requests.append(asked.url))
        reader.page.goto(report.as_uri())
        reader.page.wait_for_selector("html[data-ready]", timeout=20_000)
        return reader

    yield opened
    for context in contexts:
        context.close()


def test_a_hostile_evaluation_is_shown_as_text(browser: Any, tmp_path: Path) -> None:
    document = json.loads(find_notebook("pipeline").path.read_text("utf-8"))
    for cell in document["cells"]:
        if "".join(cell["source"]).startswith("run = "):
            cell["source"] = "from tests.view.evaluations import hostile_run\nrun = hostile_run()"
    notebook = tmp_path / "02-hostile.ipynb"
    notebook.write_text(json.dumps(document))
    out = write_report(read_notebook(notebook), {}, tmp_path / "hostile.html")
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.goto(out.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=30_000)
    # A handler or a script that got into the page would be reported by its security policy.
    assert complaints == []
    assert page.locator("main :is(iframe, object, embed, img, link, base, form:not(.vega-bindings))").count() == 0
    assert page.evaluate(
        "[...document.querySelectorAll('main *')].every((one) => !one.getAttributeNames().some((n) => n.startsWith('on')))"
    )
    assert page.locator("main a:not([href^='#'])").count() == 0
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(1600, "light"), (600, "light"), (1440, "dark")])
def test_it_draws_everything_and_asks_for_nothing(read: Any, report: Path, width: int, scheme: str) -> None:
    reader = read(width, scheme)
    assert reader.complaints == []
    assert [url for url in reader.requests if not url.startswith(("data:", "blob:"))] == [report.as_uri()]
    charts = reader.page.locator("figure.chart")
    for place in range(charts.count()):
        assert charts.nth(place).locator("svg .mark-group").count() > 0
        assert charts.nth(place).locator("svg path, svg text").count() > 3
    assert reader.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_table_searches_and_sorts(read: Any) -> None:
    page = read().page
    table = page.locator("table.dataTable").last
    before = table.locator("tbody tr").count()
    assert before > 1
    page.locator(".dt-search input").last.fill("no row holds this")
    assert table.locator("tbody tr").count() == 1
    page.locator(".dt-search input").last.fill("")
    heading = table.locator("thead th").first
    columns = []
    for direction in ("ascending", "descending"):
        heading.click()
        page.wait_for_selector(f"table.dataTable thead th[aria-sort={direction}]")
        columns.append(table.locator("tbody tr td:first-child").all_inner_texts())
    assert columns[0] != columns[1]


def test_the_links_of_the_contents_lead_to_their_sections(read: Any) -> None:
    page = read().page
    links = page.locator(".contents a")
    for place in range(links.count()):
        links.nth(place).click()
        target = links.nth(place).get_attribute("href")
        assert page.evaluate("location.hash") == target
        page.wait_for_function(
            "id => document.getElementById(id).getBoundingClientRect().top < innerHeight", arg=target[1:]
        )
        assert page.locator(target).is_visible()


def test_light_and_dark_change_at_a_click_and_charts_follow(read: Any) -> None:
    page = read().page
    ground = "getComputedStyle(document.querySelector('figure.chart svg text')).fill"
    light = page.evaluate(ground), page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("button[data-action=theme]").click()
    dark = page.evaluate(ground), page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert light[0] != dark[0]
    assert light[1] != dark[1]


def test_the_code_is_hidden_until_it_is_asked_for(read: Any) -> None:
    page = read().page
    assert not page.locator(".code").first.is_visible()
    page.locator("button[data-action=code]").click()
    assert page.locator(".code").first.is_visible()
    assert page.locator("button[data-action=code]").get_attribute("aria-pressed") == "true"


def test_the_bar_stays_while_the_reader_scrolls(read: Any) -> None:
    page = read().page
    page.evaluate("scrollTo(0, 2000)")
    assert page.locator(".bar-facts dl").is_visible()
    assert page.evaluate("document.querySelector('.bar').getBoundingClientRect().top") == 0


def test_paper_is_light_and_holds_every_row(read: Any, tmp_path: Path) -> None:
    page = read(1440, "dark").page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.querySelector('.enb-table, .fact')).color") == "rgb(27, 31, 36)"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    shown = page.evaluate("[...document.querySelectorAll('.dt-info')].map((one) => one.textContent)")
    assert all(text.split(" to ")[1].split(" of ")[0] == text.split(" of ")[1] for text in shown if text != "no rows")
    assert page.evaluate("[...document.querySelectorAll('main details')].every((one) => one.open)")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.evaluate("[...document.querySelectorAll('main details')].every((one) => one.open)")
    assert len(page.pdf(path=tmp_path / "report.pdf")) > 20_000

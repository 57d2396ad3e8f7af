"""The report as a reader meets it: opened from a file, without a network, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evalnb.reporting import notebooks
from tests.e2e.conftest import HOSTILE
from tests.e2e.watching import Watched

Read = Callable[..., Watched]

NAMES = [notebook.name for notebook in notebooks()]
FIRST_PAINT_MS = 2_000
FINISHED_MS = 12_000
"""Charts and tables included; far above what it takes, so that a busy machine does not fail it."""


@pytest.fixture(scope="module", params=[*NAMES, HOSTILE])
def report(request: pytest.FixtureRequest, report_of: Callable[[str], Path]) -> Path:
    return report_of(request.param)


@pytest.fixture
def read(watch: Read, report: Path) -> Read:
    """The report in a page that a test may change."""
    return lambda width=1440, scheme="light": finished(watch(report, width=width, scheme=scheme))


@pytest.fixture(scope="module")
def seen(watch_all: Read, report: Path) -> Read:
    """The report in a page that tests only look at, and share."""
    return cache(lambda width=1440, scheme="light": finished(watch_all(report, width=width, scheme=scheme)))


def finished(watched: Watched) -> Watched:
    watched.page.wait_for_selector("html[data-ready]", timeout=30_000)
    return watched


@pytest.mark.parametrize(("width", "scheme"), [(1600, "light"), (600, "light"), (1440, "dark")])
def test_it_draws_everything_and_asks_for_nothing(seen: Read, width: int, scheme: str) -> None:
    watched = seen(width, scheme)
    watched.assert_quiet()
    charts = watched.page.locator("figure.chart")
    for place in range(charts.count()):
        assert charts.nth(place).locator("svg .mark-group").count() > 0
        assert charts.nth(place).locator("svg path, svg text").count() > 3
    assert watched.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_columns_of_a_matrix_keep_a_place_for_their_names_on_a_phone(seen: Read, report: Path) -> None:
    page = seen(390).page
    steps = """[...document.querySelectorAll('figure.chart')].flatMap((figure) => {
        const boxes = [...figure.querySelectorAll('.role-axis-label text')].map((name) => name.getBoundingClientRect());
        const lefts = boxes.filter((box) => box.height > 2 * box.width).map((box) => box.left).sort((a, b) => a - b);
        return lefts.slice(1).map((left, at) => left - lefts[at]);
    })"""
    found = page.evaluate(steps)
    assert found or report.stem != "measure"
    assert all(step > 9 for step in found)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # What scrolls can be reached with a keyboard, and its edge says that there is more.
    told = """[...document.querySelectorAll('.chart-canvas')].filter((box) => box.scrollWidth > box.clientWidth + 1)
        .map((box) => [box.tabIndex, box.classList.contains('more-right')])"""
    assert page.evaluate(told) == [[0, True]] * len(page.evaluate(told))


def test_numbers_stand_on_one_line_on_a_narrow_page(seen: Read) -> None:
    lines = """[...document.querySelectorAll('td.enb-number, td.enb-count')].map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map((one) => Math.round(one.top))).size;
    })"""
    assert set(seen(600, "light").page.evaluate(lines)) <= {0, 1}


def test_something_is_seen_at_once(read: Read) -> None:
    page = read().page
    paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    assert page.evaluate(paint) < FIRST_PAINT_MS
    assert page.evaluate("performance.now()") < FINISHED_MS


def largest_table(page: Any) -> Any:
    """The table with the most rows, by its position."""
    place = page.evaluate(
        """(() => {
            const sizes = [...document.querySelectorAll('table.dataTable')].map((one) => one.tBodies[0].rows.length);
            return sizes.indexOf(Math.max(...sizes));
        })()"""
    )
    return page.locator(".dt-container").nth(place)


def test_a_table_searches_and_sorts(read: Read) -> None:
    page = read().page
    whole = largest_table(page)
    rows = whole.locator("tbody tr")
    before = rows.count()
    assert before > 5
    search = whole.locator(".dt-search input")
    search.fill("no row holds this")
    assert rows.all_inner_texts() == ["no row matches"]
    search.fill("")
    assert rows.count() == before
    columns = []
    for direction in ("ascending", "descending"):
        whole.locator("thead th").first.click()
        whole.locator(f"thead th[aria-sort={direction}]").wait_for()
        columns.append(whole.locator("tbody tr td:first-child").all_inner_texts())
    assert columns[0] != columns[1]


def test_a_long_table_filters_by_its_columns_and_a_short_one_is_calm(read: Read) -> None:
    page = read().page
    calm = page.locator(".dt-container.enb-calm")
    assert calm.locator(".enb-filter, .dt-paging").count() == 0
    assert calm.locator("thead th.dt-orderable-asc").count() == calm.locator("thead th").count()
    for whole in page.locator(".dt-container:not(.enb-calm)").all():
        assert whole.locator(".enb-filter").count() == whole.locator("thead th").count()
        for kind in ("select", "input"):
            for filtered in whole.locator(f"{kind}.enb-filter").all()[:1]:
                assert_filters(whole, filtered, kind)


def assert_filters(whole: Any, control: Any, kind: str) -> None:
    """Choosing or writing what stands in the first row leaves only rows that hold it."""
    place = control.evaluate("one => one.closest('td').cellIndex") + 1
    cells = whole.locator(f"tbody tr td:nth-child({place})")
    before = cells.first.evaluate("cell => cell.dataset.value ?? cell.textContent")
    if kind == "select":
        control.select_option(label=before)
        wanted = cells.evaluate_all("cells => cells.map((cell) => cell.dataset.value)")
        assert set(wanted) == {before}
        control.select_option(index=0)
    else:
        control.fill("no row holds this")
        assert whole.locator("tbody tr").all_inner_texts() == ["no row matches"]
        control.fill("")
    assert cells.first.evaluate("cell => cell.dataset.value ?? cell.textContent") == before


def test_hidden_columns_are_announced_at_the_edge(seen: Read) -> None:
    page = seen(600, "light").page
    boxes = """[...document.querySelectorAll('.dt-layout-table, .enb-tabled .enb-scroll')]
        .map((box) => [box.scrollWidth > box.clientWidth + 1, box.dataset.hidden || ''])"""
    states = page.evaluate(boxes)
    assert [hidden for wide, hidden in states if wide] == ["right"] * sum(wide for wide, _ in states)
    assert {hidden for wide, hidden in states if not wide} <= {""}


def test_the_links_of_the_contents_lead_to_their_sections(read: Read) -> None:
    page = read().page
    links = page.locator(".contents a")
    assert links.count() > 2
    for place in range(links.count()):
        links.nth(place).click()
        target = links.nth(place).get_attribute("href")
        assert page.evaluate("location.hash") == target
        page.wait_for_function(
            "id => document.getElementById(id).getBoundingClientRect().top < innerHeight", arg=target[1:]
        )
        assert page.locator(target).is_visible()


def test_the_page_answers_its_buttons_and_keeps_its_bar(read: Read) -> None:
    page = read().page
    ground = "getComputedStyle(document.querySelector('figure.chart svg text')).fill"
    light = page.evaluate(ground), page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("button[data-action=theme]").click()
    dark = page.evaluate(ground), page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    assert not page.locator(".code").first.is_visible()
    page.locator("button[data-action=code]").click()
    assert page.locator(".code").first.is_visible()
    assert page.locator("button[data-action=code]").get_attribute("aria-pressed") == "true"
    page.evaluate("scrollTo({top: 2000, behavior: 'instant'})")
    assert page.locator(".bar-facts dl").is_visible()
    assert page.evaluate("document.querySelector('.bar').getBoundingClientRect().top") == 0


def test_paper_is_light_and_holds_every_row(read: Read, tmp_path: Path) -> None:
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


def test_attacks_in_a_report_stay_text(watch: Read, report_of: Callable[[str], Path]) -> None:
    watched = watch(report_of(HOSTILE))
    page = watched.page
    page.wait_for_selector("html[data-ready]", timeout=30_000)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    # A handler or a script that got into the page would be reported by its security policy.
    watched.assert_quiet()
    assert page.evaluate("window.hostile") is None
    assert page.locator("main :is(iframe, object, embed, img, link, base, form:not(.vega-bindings))").count() == 0
    assert page.evaluate(
        "[...document.querySelectorAll('main *')].every((one) => !one.getAttributeNames().some((n) => n.startsWith('on')))"
    )
    assert page.locator("main a:not([href^='#'])").count() == 0

"""The viewer of recorded runs in a browser: keyboard, filters, 500 events, labels."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evalnb.widgets import memory
from evalnb.widgets.exploring import explore
from evalnb.widgets.label_form import label
from tests.view.recorded import example, hostile, long
from tests.widgets.lab import CHROMIUM
from tests.widgets.page import open_widget

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None or shutil.which(CHROMIUM) is None:
        pytest.skip("no chromium on this machine")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield opened
        opened.close()


@pytest.fixture
def shown(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    memory.forget()
    pages = []

    def show(surface: Any, **options: Any) -> Any:
        page = open_widget(browser, surface, tmp_path, viewport={"width": 1200, "height": 900}, **options)
        pages.append(page)
        page.set_default_timeout(10_000)
        return page

    yield show
    for page in pages:
        page.close()


def rows(page: Any, name: str) -> Any:
    return page.locator(f".enbw-rows[aria-label='{name}']")


def active(page: Any, name: str) -> str:
    return str(page.locator(f"#{rows(page, name).get_attribute('aria-activedescendant')}").inner_text())


def pane(page: Any, text: str) -> None:
    page.locator(".enbw-pane", has_text=text).wait_for()


def test_findings_are_walked_by_keyboard(shown: Callable[..., Any]) -> None:
    page = shown(explore(example()))
    pane(page, "event 7")
    rows(page, "events").focus()
    page.keyboard.press("n")
    pane(page, "approval-missing")
    assert "payments.refund" in active(page, "events")
    page.keyboard.press("p")
    pane(page, "instructions-in-result")
    page.keyboard.press("Home")
    pane(page, "event 1")
    rows(page, "runs").focus()
    page.keyboard.press("ArrowDown")
    pane(page, "not-allowed-tool")
    assert "other-tenant" in active(page, "runs")


def test_a_layer_narrows_runs_and_events(shown: Callable[..., Any]) -> None:
    page = shown(explore(example()))
    page.locator("select").select_option("recovery")
    pane(page, "retry-with-new-operation-id")
    assert rows(page, "runs").locator(".enbw-row").count() == 1
    assert rows(page, "events").locator(".enbw-row").count() == 2
    page.locator("select").select_option("any")
    page.locator(".enbw-search").fill("second nonsense")
    rows(page, "events").get_by_text("no event fits the filter").wait_for()


def test_five_hundred_events_move_without_a_hitch(shown: Callable[..., Any]) -> None:
    page = shown(explore(long(500)))
    pane(page, "event")
    assert rows(page, "events").locator(".enbw-row").count() < 60
    slowest = page.evaluate(
        """async () => {
          const list = document.querySelector(".enbw-rows[aria-label='events']");
          list.focus();
          let slowest = 0;
          for (let step = 0; step < 120; step += 1) {
            const from = performance.now();
            list.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
            list.getBoundingClientRect();
            slowest = Math.max(slowest, performance.now() - from);
            if (step % 10 === 0) await new Promise(requestAnimationFrame);
          }
          return slowest;
        }"""
    )
    assert slowest < 50
    rows(page, "events").focus()
    page.keyboard.press("End")
    pane(page, "answer")


def test_runs_are_labelled_by_a_digit(shown: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "labels.json"
    page = shown(label(example(), out=out))
    pane(page, "event 1")
    rows(page, "runs").focus()
    page.keyboard.press("2")
    page.get_by_text("1 of 18 labelled").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("1")
    page.get_by_text("2 of 18 labelled").wait_for()
    page.locator("textarea").fill("it did what was asked")
    page.wait_for_timeout(800)
    kept = json.loads(out.read_text("utf-8"))["labels"]
    assert [(one["label"], one["note"]) for one in kept] == [("failure", ""), ("success", "it did what was asked")]


def test_hostile_runs_do_nothing_but_show(shown: Callable[..., Any]) -> None:
    page = shown(explore(hostile()))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    problems: list[str] = []
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("pageerror", lambda error: problems.append(str(error)))
    rows(page, "runs").focus()
    for _ in range(6):
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(120)
    assert problems == []
    assert asked == []
    assert page.locator(".enbw-pane script, .enbw-pane img, .enbw-pane iframe").count() == 0

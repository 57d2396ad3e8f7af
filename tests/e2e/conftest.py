"""One browser without a network for all tests that look at pages, and every report made once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evalnb.reporting import find_notebook, make_report
from evalnb.reporting.registry import read_notebook
from evalnb.reporting.report import write_report
from tests.e2e.watching import CHROMIUM, Watched

HOSTILE = "hostile"
"""The report of an evaluation in which everybody wrote nothing but attacks."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)


# Playwright keeps an event loop running in this thread for as long as it is open: no longer than one module, so
# that tests of asynchronous code find none.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def watch(browser: Any) -> Iterator[Callable[..., Watched]]:
    """Opens a file in a context of its own that has no network; `options` are those of the context."""
    yield from _watching(browser)


@pytest.fixture(scope="module")
def watch_all(browser: Any) -> Iterator[Callable[..., Watched]]:
    """As `watch`, for pages that the tests of a module share."""
    yield from _watching(browser)


def _watching(browser: Any) -> Iterator[Callable[..., Watched]]:
    contexts = []

    def opened(path: Path, *, width: int = 1440, scheme: str = "light", **options: Any) -> Watched:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True, **options
        )
        contexts.append(context)
        return Watched(context.new_page(), path.as_uri())

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def report_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The report of a notebook at its defaults, or the hostile one; made when it is first asked for."""
    folder = tmp_path_factory.mktemp("reports")

    @cache
    def made(name: str) -> Path:
        out = folder / f"{name}.html"
        return _hostile_report(folder, out) if name == HOSTILE else make_report(name, {}, out)

    return made


def _hostile_report(folder: Path, out: Path) -> Path:
    document = json.loads(find_notebook("pipeline").path.read_text("utf-8"))
    for cell in document["cells"]:
        if "".join(cell["source"]).startswith("run = "):
            cell["source"] = "from tests.view.evaluations import hostile_run\nrun = hostile_run()"
    notebook = folder / "02-hostile.ipynb"
    notebook.write_text(json.dumps(document))
    return write_report(read_notebook(notebook), {}, out)

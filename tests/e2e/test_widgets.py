"""Widgets in a real JupyterLab: worked by keyboard, hostile texts shown as text, a labelled record that a score takes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from tests.widgets.lab import CHROMIUM, Lab, Notebook

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
SETUP = (
    f"import sys; sys.path.insert(0, {str(ROOT)!r})\nimport evalnb as ev\nfrom evalnb.widgets import explore, label\n"
)
FRAME = "requestAnimationFrame(() => requestAnimationFrame(done))"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    if find_spec("jupyterlab") is None:
        pytest.skip("JupyterLab is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    running = Lab(tmp_path_factory.mktemp("lab"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser(lab: Lab) -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield opened
        opened.close()


@pytest.fixture
def open_notebook(lab: Lab, browser: Any, request: pytest.FixtureRequest) -> Iterator[Callable[..., Notebook]]:
    pages = []

    def open_one(*cells: str) -> Notebook:
        page = browser.new_page(viewport={"width": 1300, "height": 1100})
        pages.append(page)
        return Notebook(page, lab.url(lab.write(f"{request.node.name}.ipynb", *cells)))

    yield open_one
    for page in pages:
        page.close()


def active(cell: Any, label: str) -> str:
    """The text of the active row of a list or tree."""
    rows = cell.locator(f".enbw-rows[aria-label='{label}']")
    return str(cell.locator(f"#{rows.get_attribute('aria-activedescendant')}").inner_text())


def pane(cell: Any, text: str) -> None:
    """Wait until the pane shows `text`."""
    cell.locator(".enbw-pane", has_text=text).wait_for(timeout=15_000)


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(40)


def test_a_contract_is_walked_by_keyboard_and_found_again(open_notebook: Callable[..., Notebook]) -> None:
    book = open_notebook(SETUP + "c = ev.run(ev.example('triage')).contract", "explore(c)")
    book.run(0)
    cell = book.run(1)
    tree = cell.locator("[role=tree]")
    tree.wait_for()
    tree.focus()
    press(book.page, "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight")
    assert "O-001" in active(cell, "contract")
    pane(cell, "What the evaluator is told")
    press(book.page, "ArrowRight", "ArrowRight", "ArrowRight")
    assert "open-hazard" in active(cell, "contract")
    pane(cell, "Calls triage-desk.open-ticket")
    press(book.page, "ArrowLeft", "ArrowLeft", "ArrowLeft")
    assert "O-001" in active(cell, "contract")
    cell.get_by_role("searchbox").fill("zzz")
    cell.get_by_text("nothing fits the filter").wait_for()
    cell.get_by_role("searchbox").fill("")
    book.page.wait_for_timeout(600)
    again = book.run(1)
    again.locator("[role=tree]").wait_for()
    assert "O-001" in active(again, "contract")
    assert book.page.locator(".jp-Notebook .jp-Cell").count() == 2
    assert book.errors == []


def test_a_run_is_filtered_and_read(open_notebook: Callable[..., Notebook]) -> None:
    book = open_notebook(SETUP + "r = ev.run(ev.example('triage'))", "explore(r)", "explore(r.evaluation)")
    book.run(0)
    cell = book.run(1)
    cell.locator(".enbw-rows[aria-label=probes]").wait_for()
    cell.get_by_role("group", name="states").get_by_role("button", name="missed").click()
    cell.get_by_role("status").get_by_text("3 outcomes").wait_for()
    assert "P-003" in active(cell, "probes")
    pane(cell, "missed")
    cell.get_by_role("group", name="states").get_by_role("button", name="missed").click()
    cell.get_by_label("Severity").select_option("critical")
    cell.locator(".enbw-rows[aria-label=oracles]").focus()
    press(book.page, "End")
    assert "O-008" in active(cell, "oracles")
    cell.get_by_role("radio", name="Trial 1").focus()
    press(book.page, "ArrowRight")
    pane(cell, "trial 2")
    pane(cell, "How the check came out")
    other = book.run(2)
    other.locator(".enbw-rows[aria-label=probes]").wait_for(timeout=30_000)
    assert book.errors == []


def test_a_record_is_labelled_kept_over_a_restart_saved_and_scored(
    open_notebook: Callable[..., Notebook], lab: Lab, tmp_path: Path
) -> None:
    form = "label(ev.open_evaluation(ev.example('triage')), probe_id='P-001', out='mine.json')"
    book = open_notebook(SETUP, form)
    book.run(0)
    cell = book.run(1)
    directions = cell.locator(".enbw-rows[aria-label=directions]")
    directions.wait_for()
    directions.focus()
    press(book.page, "v")
    cell.get_by_text("1 of 8 decided").wait_for()
    cell.locator(".enbw-rows[aria-label='recorded calls']").focus()
    press(book.page, "ArrowDown", "ArrowDown", " ")
    cell.get_by_text("1 cited").wait_for()
    cell.get_by_role("button", name="Add finding").click()
    cell.get_by_role("textbox", name="summary of F-001").fill("A hazard went to the front desk.")
    cell.get_by_role("button", name='"team":"front-desk"').click()
    cell.locator(".enbw-quotes", has_text='"team":"front-desk"').wait_for()
    cell.get_by_role("button", name="Undo").click()
    cell.locator(".enbw-quotes").wait_for(state="detached")
    book.page.wait_for_timeout(500)

    book.restart()
    book.run(0)
    cell = book.run(1)
    cell.get_by_text("Went on from the kept draft").wait_for()
    cell.get_by_text("1 of 8 decided").wait_for()
    assert "A hazard went" in cell.get_by_role("textbox", name="summary of F-001").input_value()
    cell.get_by_role("button", name="Save record").click()
    cell.get_by_role("alert").get_by_text("quotes nothing").wait_for()
    cell.get_by_role("button", name="Redo").click()
    cell.locator(".enbw-quotes", has_text='"team":"front-desk"').wait_for()
    cell.get_by_role("button", name="Save record").click()
    cell.get_by_text("Saved mine.json").wait_for()
    assert book.errors == []

    folder, out = ev.example("triage"), tmp_path / "out"
    ev.run(folder, out=out)
    scored = subprocess.run(
        [
            *(sys.executable, "-c", "from evalnb.cli.main import main; raise SystemExit(main())", "score"),
            *("--record", lab.root / "mine.json"),
            *("--isolation-manifest", lab.root / "mine.manifest.json"),
            *("--evaluator-configuration", lab.root / "mine.configuration.json"),
            *("--contract", out / "eval-contract.json", "--preflight-verdict", out / "preflight-verdict.json"),
            *("--probe", folder / "probes" / "P-001.json", "--policy", folder / "scoring-policy.json"),
            *("--corpus-digest", (folder / "corpus-digest.txt").read_text("utf-8").strip()),
            *("--out", tmp_path / "evidence.json"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert scored.returncode == 0, scored.stderr
    outcomes = json.loads((tmp_path / "evidence.json").read_text("utf-8"))["outcomes"]
    assert {one["oracleId"]: one["state"] for one in outcomes}["O-001"] == "caught"


def test_hostile_texts_are_shown_as_text(open_notebook: Callable[..., Notebook]) -> None:
    book = open_notebook(
        SETUP + "from tests.view.evaluations import hostile_run\nr = hostile_run()",
        "explore(r.contract)",
        "explore(r)",
        "label(r.brief, observations=r.evaluation.arms[0].records[0], probe_id='P-001', run_id='r', out='h.json')",
    )
    book.run(0)
    for number, label in ((1, "contract"), (2, "oracles"), (3, "directions")):
        cell = book.run(number)
        rows = cell.locator(f".enbw-rows[aria-label={label}]")
        rows.wait_for()
        rows.focus()
        for _ in range(6):
            press(book.page, "ArrowDown", "ArrowRight")
            book.page.wait_for_timeout(120)
        book.page.evaluate("document.querySelectorAll('.enbw details').forEach(one => one.open = true)")
        strangers = "script,img,svg,iframe,object,embed,a[href],[onerror],[onload],[ontoggle],mjx-container,.MathJax"
        assert cell.locator(f".enbw :is({strangers})").count() == 0
    assert book.page.evaluate("window.hostile") is None
    assert book.errors == []


def test_a_large_run_paints_within_two_seconds_and_moves_within_a_fifth(
    open_notebook: Callable[..., Notebook],
) -> None:
    book = open_notebook(SETUP + "from tests.widgets.large_run import large_run\nr = large_run()", "explore(r)")
    book.run(0)
    cell, page = book.cell(1), book.page
    cell.locator(".jp-InputArea-editor").click()
    begun = time.perf_counter()
    page.keyboard.press("Control+Enter")
    cell.locator(".enbw-pane", has_text="How the check came out").wait_for(timeout=30_000)
    painted = time.perf_counter() - begun
    took = page.evaluate(
        f"""async () => {{
            const box = document.querySelector('.enbw select');
            const times = [];
            for (const value of ['critical', 'material', 'any']) {{
                const begun = performance.now();
                box.value = value;
                box.dispatchEvent(new Event('change'));
                await new Promise((done) => {FRAME});
                times.push(performance.now() - begun);
            }}
            return Math.max(...times);
        }}"""
    )
    moved = page.evaluate(
        """async () => {
            const rows = document.querySelector(".enbw-rows[aria-label=oracles]");
            const shown = () => document.querySelector(".enbw-pane strong")?.textContent;
            const times = [];
            for (const key of ["End", "Home", "End"]) {
                const before = shown();
                const begun = performance.now();
                rows.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                while (shown() === before) await new Promise(requestAnimationFrame);
                times.push(performance.now() - begun);
            }
            return Math.max(...times);
        }"""
    )
    print(f"painted in {painted:.2f} s, filtered in {took:.0f} ms, moved in {moved:.0f} ms")
    # Twice the time that is promised, for machines that do other things as well.
    assert painted < 4
    assert took < 400
    assert moved < 400

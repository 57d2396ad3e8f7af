"""The page around the outputs: nothing that came from outside is markup, nothing is loaded, every link leads somewhere."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

import evalnb as ev
from evalnb.reporting.assets import Assets, load_assets
from evalnb.reporting.facts import HEADLINE_MIME, Fact, Headline
from evalnb.reporting.kernel_start import CHART_MIME, EMPTY_OUTPUT, chart_bundle, table_bundle
from evalnb.reporting.origin import Input, Provenance
from evalnb.reporting.page import page_of
from evalnb.reporting.parameters import Argument
from evalnb.reporting.registry import Notebook, Parameter
from evalnb.reporting.render import render

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)> [link](javascript:alert(3)) $x$ "
    "\x1b[31mred\x1b[0m \u202eturned\u202c {{ 7 * 7 }} {% raw %}"
)
NOTEBOOK = Notebook("small", Path("/secret/place/07-small.ipynb"), "A title", "", ())


@cache
def assets() -> Assets:
    return load_assets()


def executed(*outputs: NotebookNode) -> NotebookNode:
    return nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# A title\n\nAn opening."),
            nbformat.v4.new_markdown_cell(
                "## What & why\n\nProse with `code`.\n\n### Detail\n\nMore.\n\n## What & why"
            ),
            nbformat.v4.new_code_cell("shown()", outputs=list(outputs)),
        ]
    )


def shown(**data: object) -> NotebookNode:
    bundle = {name.replace("__", "+").replace("_", "/", 1): value for name, value in data.items()}
    return nbformat.v4.new_output("display_data", data=bundle)


def page(*outputs: NotebookNode, notebook: Notebook = NOTEBOOK, arguments: tuple[Argument, ...] = ()) -> str:
    return render(executed(*outputs), notebook, arguments, assets())


def bundled(thing: Headline | Provenance) -> NotebookNode:
    return nbformat.v4.new_output("display_data", data=thing._repr_mimebundle_())


def body_of(text: str) -> str:
    return text[text.index("<body>") :]


def unscripted(text: str) -> str:
    """The body without the package's own scripts."""
    return re.sub(r"<script(?: type=\"module\")?>.*?</script>", "", body_of(text), flags=re.DOTALL)


def assert_harmless(text: str) -> None:
    markup = unscripted(text)
    assert "<script>alert" not in markup
    assert "<img src=x" not in markup
    assert 'href="javascript' not in markup
    assert "\x1b" not in markup
    assert "\u202e" not in markup
    assert "alert(1)" in markup


@pytest.mark.parametrize("mime", ["text_plain", "text_markdown", "text_latex"])
def test_texts_of_outputs_are_shown_as_text(mime: str) -> None:
    assert_harmless(page(shown(text_plain=HOSTILE, **({} if mime == "text_plain" else {mime: HOSTILE}))))


def test_a_stream_is_shown_as_text() -> None:
    assert_harmless(page(nbformat.v4.new_output("stream", name="stdout", text=HOSTILE)))


def test_what_goes_to_standard_error_is_not_shown() -> None:
    assert "a warning" not in page(nbformat.v4.new_output("stream", name="stderr", text="a warning"))


def test_headline_provenance_and_parameters_are_shown_as_text() -> None:
    headline = bundled(Headline(HOSTILE, (Fact(HOSTILE, HOSTILE, HOSTILE, "bad"),)))
    origin = bundled(Provenance(HOSTILE, (Input(HOSTILE, HOSTILE),), (Input(HOSTILE, HOSTILE),)))
    parameter = Argument(Parameter("text", "str", "", HOSTILE), HOSTILE, given=True)
    assert_harmless(page(headline, origin, arguments=(parameter,)))


def test_a_chart_holds_hostile_text_as_data() -> None:
    specification = {"mark": "point", "description": HOSTILE, "title": HOSTILE, "data": {"values": [{"a": HOSTILE}]}}
    text = page(nbformat.v4.new_output("display_data", data={CHART_MIME: specification}))
    held = re.search(r'<script type="application/json" data-chart="chart-1">(.*?)</script>', text, re.DOTALL)
    assert held is not None
    drawn = json.loads(held[1])
    assert drawn["data"] == specification["data"]
    assert "title" not in drawn
    assert_harmless(text)


def test_the_policy_permits_the_pages_own_scripts_and_no_other() -> None:
    text = page(shown(text_html="<script>alert(1)</script>", text_plain=""))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    permitted = policy[1].replace("&#39;", "'")
    assert permitted.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in permitted
    assert "unsafe-inline" not in permitted.split("style-src")[0]
    bodies = re.findall(r'<script(?: type="module")?>(.*?)</script>', text, re.DOTALL)
    digests = ["sha256-" + base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in bodies]
    unpermitted = [body for body, digest in zip(bodies, digests, strict=True) if digest not in permitted]
    assert unpermitted == ["alert(1)"]


def test_nothing_is_loaded_from_anywhere() -> None:
    markup = unscripted(page(shown(text_plain="x")))
    assert not re.findall(r"<(?:link|script|img|iframe)[^>]*(?:src|href)=\"(?!data:|#)[^\"]*", markup)
    head = page().split("<body>")[0]
    assert re.findall(r"<link[^>]*>", head) == ['<link rel="icon" href="data:,">']
    assert "@import" not in head
    assert not re.findall(r"url\((?!data:|\"data:|'data:)", head)


def test_every_link_of_the_contents_leads_to_one_heading() -> None:
    text = page()
    targets = re.findall(r'<li><a href="#([^"]+)"', text)
    assert targets == ["what-why", "what-why-2", "provenance"]
    for target in targets:
        assert text.count(f'id="{target}"') == 1


def test_identifiers_are_unique() -> None:
    chart = nbformat.v4.new_output("display_data", data={CHART_MIME: {"mark": "point", "title": "T"}})
    identifiers = re.findall(r' id="([^"]+)"', unscripted(page(chart, chart)))
    assert len(set(identifiers)) == len(identifiers)


def test_the_place_of_the_notebook_is_not_told() -> None:
    assert "/secret" not in page()


def test_headings_open_sections_and_hidden_cells_show_outputs_alone() -> None:
    notebook = executed(shown(text_plain="x"))
    notebook.cells[-1].metadata["tags"] = ["hidden"]
    opened = page_of(notebook)
    assert opened.title == "A title"
    assert [section.slug for section in opened.sections] == ["top", "what-why", "what-why-2"]
    assert [block.kind for block in opened.sections[-1].blocks] == ["text"]


def if_any(*empty: bool) -> NotebookNode:
    outputs = [
        nbformat.v4.new_output("display_data", data={"text/plain": "out"}, metadata={EMPTY_OUTPUT: one})
        for one in empty
    ]
    return nbformat.v4.new_code_cell("shown()", outputs=outputs, metadata={"tags": ["if-any"]})


def words(text: str) -> NotebookNode:
    return nbformat.v4.new_markdown_cell(text)


def test_what_is_shown_only_if_there_is_any_goes_with_its_words_and_its_section() -> None:
    always = nbformat.v4.new_code_cell("shown()", outputs=[shown(text_plain="x")])
    cells = [
        words("## Half\n\nBefore what is empty."),
        if_any(True),
        words("Before what is not."),
        if_any(True),
        if_any(False),
        words("## None\n\nWords."),
        if_any(True, True),
        if_any(),
        words("## Kept\n\nWords."),
        if_any(True),
        always,
        words("## Words alone"),
    ]
    opened = page_of(nbformat.v4.new_notebook(cells=cells))
    assert opened.left_out == ("None",)
    kept = {section.title: [block.content for block in section.blocks] for section in opened.contents}
    assert kept == {
        "Half": ["Before what is not.", "shown()", "out"],
        "Kept": ["Words.", "shown()", "x"],
        "Words alone": [],
    }
    text = render(nbformat.v4.new_notebook(cells=cells), NOTEBOOK, (), assets())
    assert "Sections left out, for want of anything to show: None." in text


def test_an_empty_table_and_a_chart_of_nothing_say_so() -> None:
    coverage = ev.frames.coverage(ev.compile(ev.example("triage") / "contract.json"))
    tables = [ev.tables.interactive_table(coverage.head(0)), ev.tables.static_table(coverage)]
    assert [table_bundle(table)[1] for table in tables] == [{EMPTY_OUTPUT: True}, {EMPTY_OUTPUT: False}]
    charts = [ev.charts.coverage_matrix(coverage.head(0)), ev.charts.coverage_matrix(coverage)]
    assert [chart_bundle(chart)[1] for chart in charts] == [{EMPTY_OUTPUT: True}, {EMPTY_OUTPUT: False}]


def test_the_headline_stands_in_the_bar_and_not_among_the_outputs() -> None:
    fact = Fact("Verdict", "FAIL", "1 of 6 probes", "bad")
    opened = page_of(executed(bundled(Headline("a contract", (fact,)))))
    assert opened.headline["facts"][0]["value"] == "FAIL"
    assert opened.sections[-1].blocks == [opened.sections[-1].blocks[0]]
    assert HEADLINE_MIME == "application/vnd.evalnb.headline+json"
    text = page(bundled(Headline("a contract", (fact,))))
    assert text.count("FAIL") >= 2

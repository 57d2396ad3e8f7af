"""What holds for every chart: a sentence, tooltips, both themes, any width, hostile text, files without a network."""

from __future__ import annotations

import copy
import html
import io
import json
import re
from pathlib import Path
from typing import Any

import altair as alt
import pytest
import vl_convert

from evalnb.view.charts import EMBED_OPTIONS, EvalChart, themed
from evalnb.view.theme import DARK, LIGHT
from tests.view.charts.samples import (
    CHARTS,
    SAMPLES,
    assert_one_sentence,
    assert_plain_tooltips,
    hostile,
    layers,
    table,
    walk,
)
from tests.view.hostile import MARK, PAYLOADS

EVERY = pytest.mark.parametrize("name", CHARTS)
EXPRESSIONS = {"expr", "signal", "test", "filter", "calculate", "labelExpr"}


def drawn(name: str, **options: Any) -> EvalChart:
    return CHARTS[name](SAMPLES[name], **options)


def colors_in(spec: dict[str, Any]) -> set[str]:
    return {leaf for _, leaf in walk(spec) if isinstance(leaf, str) and re.fullmatch("#[0-9a-f]{6}", leaf)}


@EVERY
def test_a_chart_says_in_one_sentence_what_it_shows(name: str) -> None:
    assert_one_sentence(drawn(name).to_dict())


@EVERY
def test_every_mark_has_a_tooltip_of_plain_fields(name: str) -> None:
    assert_plain_tooltips(drawn(name).to_dict())


@EVERY
def test_what_has_a_color_of_its_own_has_a_shape_or_a_text(name: str) -> None:
    for layer in layers(drawn(name).to_dict()):
        encoding = layer["encoding"]
        if layer["mark"]["type"] == "point":
            assert encoding["shape"]["field"]
            assert len(set(encoding["shape"]["scale"]["range"])) > 1 or len(encoding["shape"]["scale"]["domain"]) == 1


@pytest.mark.parametrize(
    "name", [name for name in CHARTS if name not in {"strength", "corpus_strength", "mutant_rates"}]
)
def test_the_legend_names_the_shapes_of_a_chart_of_states(name: str) -> None:
    legends = vl_convert.vegalite_to_vega(drawn(name).to_dict())["legends"]
    assert all({"fill", "shape"} <= legend.keys() for legend in legends)


def test_the_legend_stays_where_contracts_are_counted() -> None:
    rows = [{"contract": f"contract-{n}", "rule": "whole-body", "status": "gap"} for n in range(300)]
    assert vl_convert.vegalite_to_vega(CHARTS["coverage"](table("coverage", *rows)).to_dict())["legends"]


@EVERY
def test_an_empty_frame_gives_a_small_chart_that_says_so(name: str) -> None:
    chart = CHARTS[name](table(name))
    spec = chart.to_dict()
    assert spec["height"] < 100
    assert spec["description"].endswith("nothing to show.")
    assert [leaf for path, leaf in walk(spec["datasets"]) if path[-1] == "note"] == ["nothing to show"]
    assert "<svg" in svg(chart)


@EVERY
def test_the_same_frame_gives_the_same_bytes_and_stays_as_it_was(name: str) -> None:
    frame = SAMPLES[name]
    before = frame.copy(deep=True)
    first, second = (json.dumps(CHARTS[name](frame).to_dict()) for _ in range(2))
    assert first == second
    assert frame.equals(before)


@EVERY
def test_colors_are_those_of_the_theme(name: str) -> None:
    for theme, colors in (("light", LIGHT), ("dark", DARK)):
        found = colors_in(drawn(name, theme=theme).to_dict())
        assert found <= set(vars_of(colors)), theme
        assert colors.surface in found


@EVERY
def test_auto_uses_variables_and_leaves_no_color_fixed(name: str) -> None:
    assert not colors_in(drawn(name, theme="auto").to_dict())


@EVERY
def test_a_chart_can_change_its_theme_and_width_when_it_is_finished(name: str) -> None:
    specs = {theme: drawn(name, theme=theme).to_dict() for theme in ("light", "dark", "auto")}
    for spec in specs.values():
        for theme, expected in specs.items():
            assert themed(spec, theme) == expected
    original = copy.deepcopy(specs["light"])
    assert themed(specs["light"], "dark", width="container")["width"] == "container"
    assert specs["light"] == original


@EVERY
@pytest.mark.parametrize("width", [600, 1600, "container"])
def test_the_width_is_that_of_the_whole_chart(name: str, width: Any) -> None:
    spec = drawn(name, width=width).to_dict()
    assert spec["width"] == width
    assert spec["autosize"] == {"type": "fit-x", "contains": "padding"}


@EVERY
@pytest.mark.parametrize("width", [600, 1600])
def test_a_picture_is_as_wide_as_asked(name: str, width: int) -> None:
    assert float(re.findall(r'width="([0-9.]+)"', svg(drawn(name, width=width)))[0]) == width


@EVERY
def test_hostile_text_reaches_no_expression_and_no_field_name(name: str) -> None:
    hostile_spec = CHARTS[name](hostile(name, PAYLOADS)).to_dict()
    fields = {leaf for path, leaf in walk(hostile_spec) if path[-1] == "field"}
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", field) for field in fields)
    expressions = {str(leaf) for path, leaf in walk(hostile_spec) if EXPRESSIONS & set(path)}
    assert all(re.fullmatch(r"[a-zA-Z0-9_.,()'><=?:+*/ -]+", one) for one in expressions)
    assert not any(MARK in one for one in expressions)


@EVERY
def test_hostile_text_is_short_and_visible(name: str) -> None:
    texts = [leaf for _, leaf in walk(CHARTS[name](hostile(name, PAYLOADS)).to_dict()) if isinstance(leaf, str)]
    assert max(map(len, texts)) <= 400
    assert not [
        text for text in texts if re.search("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800]", text)
    ]


@EVERY
def test_hostile_text_is_drawn_as_text(name: str) -> None:
    picture = svg(CHARTS[name](hostile(name, PAYLOADS)))
    assert "<script" not in picture
    assert "<img" not in picture
    assert "<iframe" not in picture


@EVERY
def test_a_text_that_looks_like_a_color_stays_a_text(name: str) -> None:
    spec = CHARTS[name](hostile(name, [LIGHT.good, LIGHT.ink])).to_dict()
    recolored = themed(spec, "dark")
    assert recolored["datasets"] == spec["datasets"]
    assert recolored["description"] == spec["description"]
    for before, after in zip(layers(spec), layers(recolored), strict=True):
        for axis in {"x", "y"} & set(before["encoding"]):
            scale = before["encoding"][axis].get("scale", {})
            assert after["encoding"][axis].get("scale", {}).get("domain") == scale.get("domain")


@EVERY
def test_pictures_are_saved_without_a_network(name: str, tmp_path: Path) -> None:
    for theme, width in (("light", 600), ("auto", "container")):
        chart = drawn(name, theme=theme, width=width)
        chart.save(tmp_path / "chart.png")
        chart.save(str(tmp_path / "chart.svg"))
        assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
        assert "var(" not in (tmp_path / "chart.svg").read_text(encoding="utf-8")


def test_a_page_loads_nothing_and_keeps_data_in_its_block(tmp_path: Path) -> None:
    chart = CHARTS["outcomes"](hostile("outcomes", PAYLOADS), theme="auto", width="container")
    chart.save(tmp_path / "chart.html")
    page = (tmp_path / "chart.html").read_text(encoding="utf-8")
    assert page.count("</script>") == 2
    assert page.count("<script") == page.count('<script type="application/json"') + page.count('<script type="module"')
    policy = html.unescape(re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', page)[0])
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    block = re.search(r'<script type="application/json" id="specification">(.*?)</script>', page)
    assert block is not None
    assert json.loads(block[1]) == chart.to_dict()


def test_a_page_can_be_written_to_an_open_file() -> None:
    file = io.StringIO()
    drawn("strength", theme="dark").save(file, format="html")
    assert '<html lang="en" data-theme="dark">' in file.getvalue()


def test_a_notebook_gets_a_specification_and_a_picture_and_no_link() -> None:
    bundle = drawn("strength", theme="auto", width="container")._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.vegalite.v6+json", "image/svg+xml", "text/plain"}
    assert bundle["text/plain"].startswith("<EvalChart: Caught of the exercised probes")
    assert "var(" not in bundle["image/svg+xml"]


def test_a_renderer_that_somebody_chose_is_used() -> None:
    with alt.renderers.enable("json"):
        bundle = drawn("strength")._repr_mimebundle_()
    assert "image/svg+xml" not in str(bundle)[:200]


def test_charts_are_embedded_as_svg_with_expressions_interpreted() -> None:
    spec = drawn("outcomes").to_dict()
    assert spec["usermeta"]["embedOptions"] == dict(EMBED_OPTIONS) == {"renderer": "svg", "ast": True, "actions": False}


def svg(chart: EvalChart) -> str:
    file = io.StringIO()
    chart.save(file, format="svg")
    return file.getvalue()


def vars_of(colors: object) -> list[str]:
    from dataclasses import asdict

    return list(asdict(colors).values())  # type: ignore[call-overload]

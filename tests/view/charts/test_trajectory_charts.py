"""Charts of recorded runs: a sentence, tooltips, both themes, any width, hostile text, and what they draw."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
import vl_convert

from evalnb.view import charts, frames
from evalnb.view.charts import EvalChart, themed
from evalnb.view.theme import DARK, LIGHT
from tests.view.charts.samples import (
    assert_one_sentence,
    assert_plain_tooltips,
    data,
    domain,
    hostile as hostile_frame,
    layer_of,
    layers,
    table,
    walk,
)
from tests.view.hostile import MARK, PAYLOADS
from tests.view.recorded import calibrations, example, long

CHARTS: dict[str, Callable[..., EvalChart]] = {
    "layer_rates": charts.layered_scorecard,
    "slice_rates": charts.slice_scorecard,
    "run_findings": charts.findings_by_layer,
    "run_events": charts.run_timeline,
    "grader_confusion": charts.confusion_matrix,
    "grader_agreement": charts.grader_kappas,
}
"""Every chart, by the frame it is drawn from."""
EVERY = pytest.mark.parametrize("name", CHARTS)
EXPRESSIONS = {"expr", "signal", "test", "filter", "calculate", "labelExpr"}


def sample(name: str) -> pd.DataFrame:
    if name == "run_events":
        return frames.run_events(example().worst(1))
    source = calibrations() if name.startswith("grader_") else example()
    made: pd.DataFrame = getattr(frames, name)(source)
    return made


def drawn(name: str, **options: Any) -> EvalChart:
    return CHARTS[name](sample(name), **options)


def svg(chart: EvalChart) -> str:
    return str(vl_convert.vegalite_to_svg(themed(chart, "light", width=800)))


@EVERY
def test_a_chart_says_in_one_sentence_what_it_shows(name: str) -> None:
    assert_one_sentence(drawn(name).to_dict())


@EVERY
def test_every_mark_has_a_tooltip_of_plain_fields(name: str) -> None:
    assert_plain_tooltips(drawn(name).to_dict())


@EVERY
def test_what_has_a_color_of_its_own_has_a_shape_or_a_text(name: str) -> None:
    found = layers(drawn(name).to_dict())
    for layer in found:
        if layer["mark"]["type"] == "point" and "color" in layer["encoding"]:
            assert len(set(layer["encoding"]["shape"]["scale"]["range"])) > 1
        if layer["mark"]["type"] == "rect":
            assert any(one["mark"]["type"] == "text" for one in found)
            told = layer["encoding"]["color"]["field"]
            worded = next(one for one in found if one["mark"]["type"] == "text")["encoding"]["text"]["field"]
            spec = drawn(name).to_dict()
            assert layer["encoding"]["x"]["field"] == told or all(one[told] in one[worded] for one in data(spec))


@EVERY
def test_an_empty_frame_gives_a_small_chart_that_says_so(name: str) -> None:
    spec = CHARTS[name](table(name)).to_dict()
    assert spec["height"] < 100
    assert spec["description"].endswith("nothing to show.")


@EVERY
def test_colors_are_those_of_the_theme_and_of_the_page(name: str) -> None:
    def colors(theme: str) -> set[str]:
        spec = drawn(name, theme=theme).to_dict()
        return {leaf for _, leaf in walk(spec) if isinstance(leaf, str) and re.fullmatch("#[0-9a-f]{6}", leaf)}

    for theme, known in (("light", LIGHT), ("dark", DARK)):
        assert colors(theme) <= {getattr(known, slot) for slot in type(known).__slots__}
    assert not colors("auto")
    assert themed(drawn(name), "dark") == drawn(name, theme="dark").to_dict()


@EVERY
@pytest.mark.parametrize("width", [600, 1600])
def test_a_picture_is_as_wide_as_asked(name: str, width: int) -> None:
    picture = vl_convert.vegalite_to_svg(drawn(name, width=width).to_dict())
    assert float(re.findall(r'width="([0-9.]+)"', picture)[0]) == width


@EVERY
def test_the_same_frame_gives_the_same_bytes_and_stays_as_it_was(name: str) -> None:
    frame = sample(name)
    before = frame.copy(deep=True)
    first, second = (json.dumps(CHARTS[name](frame).to_dict()) for _ in range(2))
    assert first == second
    assert frame.equals(before)


@EVERY
def test_hostile_text_reaches_no_expression_and_is_drawn_as_text(name: str) -> None:
    chart = CHARTS[name](hostile_frame(name, PAYLOADS))
    spec = chart.to_dict()
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", leaf) for path, leaf in walk(spec) if path[-1] == "field")
    expressions = {str(leaf) for path, leaf in walk(spec) if EXPRESSIONS & set(path)}
    assert not any(MARK in one for one in expressions)
    texts = [leaf for _, leaf in walk(spec) if isinstance(leaf, str)]
    assert max(map(len, texts)) <= 400
    assert not [text for text in texts if re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\ud800]", text)]
    assert not re.search("<(script|img|iframe)", svg(chart))


def test_the_scorecard_keeps_outcomes_apart_and_marks_small_samples() -> None:
    spec = drawn("layer_rates").to_dict()
    names = domain(spec, "y")
    assert names[:3] == ["safe execution", "task resolution", " "]
    assert {record["mark"] for record in data(spec)} == {"runs without a finding, small sample"}
    assert layer_of(spec, "point")["encoding"]["shape"]["legend"]["values"] == ["runs without a finding, small sample"]
    large = sample("layer_rates").assign(small=False)
    assert {one["mark"] for one in data(charts.layered_scorecard(large).to_dict())} == {"runs without a finding"}


def test_slices_stand_in_pairs_each_with_its_numbers() -> None:
    records = data(drawn("slice_rates").to_dict())
    pair = [record["numbers"] for record in records if record["label"] == "language: en"]
    assert pair == ["8 of 12 · 67% safe execution", "11 of 12 · 92% task resolution"]


def test_findings_are_counted_once_a_hard_one_in_its_own_column() -> None:
    found = sample("run_findings")
    records = data(drawn("run_findings").to_dict())
    assert sum(int(record["count"]) for record in records) == len(found)
    blocking = sum(int(record["count"]) for record in records if record["bearing"] == "blocks a release")
    assert blocking == found["hard"].sum()


def test_a_timeline_draws_a_call_once_and_its_findings_below() -> None:
    spec = drawn("run_events").to_dict()
    points = [data(spec, layer) for layer in layers(spec) if layer["mark"]["type"] == "point"]
    events = sample("run_events")
    assert len(points[0]) == (events["type"] != "tool_result").sum()
    assert {one["code"] for one in points[1]} == {
        code for codes in events["codes"].dropna() for code in codes.split(", ")
    }
    assert domain(spec, "y")[-1] in {one["lane"] for one in points[1]}


def test_a_timeline_of_several_runs_is_that_of_the_first_and_long_ones_are_cut() -> None:
    first = frames.run_events(example().worst(1))
    assert charts.run_timeline(frames.run_events(example().worst(4))).to_dict() == charts.run_timeline(first).to_dict()
    sentence = charts.run_timeline(frames.run_events(long(1500))).to_dict()["description"]
    assert "left out of the drawing" in sentence

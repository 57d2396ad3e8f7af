"""Rates of recorded runs as dots on a line from 0 to 100 %: the layered scorecard, and the parts of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import pandas as pd

from evalnb.view.charts.chart import WIDTH, EvalChart, Record, Width, compose, inline, nothing_to_show
from evalnb.view.charts.rate_line import BESIDE, NONE, NUMBERS, figures, percent, rate_axis, row_axis
from evalnb.view.charts.rows import Row, rows_of
from evalnb.view.charts.text import counted, labels, listed, shown
from evalnb.view.theme import FRAME, RING, Palette, Theme, palette

TITLE: Final = "Layered scorecard"
SLICES_TITLE: Final = "Parts of the runs"
STEP: Final = 26
PAIRED_STEP: Final = 19
MOST_SLICES: Final = 40
SMALL: Final = "small sample"
SPACER: Final = " "
_SHAPES: Final = (("circle", RING), ("square", FRAME))


def layered_scorecard(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """A dot and its interval a rate, from the frame `layer_rates`: the two outcomes, and below them the layers.

    A hollow dot is a rate of a sample too small to be read without its interval.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    named = {f"{place} {row.text('name')}": row.text("name") for place, row in enumerate(rows)}
    given = labels(named, 40)
    rates = [
        _Rate(given[key], "layer" if row.text("kind") == "layer" else "outcome", "runs without a finding", row)
        for key, row in zip(named, rows, strict=True)
    ]
    outcomes = [rate.label for rate in rates if rate.group == "outcome"]
    layers = [rate.label for rate in rates if rate.group == "layer"]
    domain = [*outcomes, *([SPACER] if outcomes and layers else []), *layers]
    drawing = _Drawing(rates, domain, ["runs without a finding"], palette(theme), STEP)
    return drawing.chart(TITLE, _scorecard_sentence(rates), theme, width)


def slice_scorecard(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """Two dots a part of the runs, from the frame `slice_rates`: how many were safe, and how many resolved their task.

    Parts whose runs are too few to be read without the interval are hollow; of more than 40 parts the first are drawn.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=SLICES_TITLE, theme=theme, width=width)
    named = {f"{row.text('key')}\n{row.text('value')}": f"{row.text('key')}: {row.text('value')}" for row in rows}
    given = labels(named, 40)
    kept = dict(list(given.items())[:MOST_SLICES])
    series = labels({row.text("name"): row.text("name") for row in rows}, 40)
    rates = [
        _Rate(kept[key], "slice", series[row.text("name")], row)
        for row in rows
        if (key := f"{row.text('key')}\n{row.text('value')}") in kept
    ]
    names = list(series.values())[: len(_SHAPES)]
    rates = [rate for rate in rates if rate.series in names]
    drawing = _Drawing(rates, list(kept.values()), names, palette(theme), PAIRED_STEP * len(names) + 8)
    return drawing.chart(SLICES_TITLE, _slices_sentence(rates, len(given)), theme, width)


@dataclass(frozen=True, slots=True)
class _Rate:
    """One dot: its row on the page, its group and series, and the row of the frame."""

    label: str
    group: str
    series: str
    row: Row

    @property
    def is_small(self) -> bool:
        return self.row.flag("small") is not False

    @property
    def mark(self) -> str:
        return f"{self.series}, {SMALL}" if self.is_small else self.series

    @property
    def counts(self) -> str:
        n = self.row.count("n")
        return f"{self.row.count('held'):,} of {n:,}" if n else "no run to judge"

    @property
    def percent(self) -> str:
        rate = self.row.number("rate")
        return "" if rate is None else percent(rate)

    @property
    def interval(self) -> str:
        low, high, sure = (self.row.number(end) for end in ("low", "high", "confidence"))
        if low is None or high is None:
            return NONE
        return f"{percent(low)} to {percent(high)}" + ("" if sure is None else f", at {percent(sure)}")


@dataclass(frozen=True, slots=True)
class _Drawing:
    rates: Sequence[_Rate]
    domain: list[str]
    series: list[str]
    colors: Palette
    step: int

    def chart(self, title: str, sentence: str, theme: Theme, width: Width) -> EvalChart:
        return compose(
            [self._intervals(), self._dots(), self._numbers()],
            title=title,
            sentence=sentence,
            height=self.step * len(self.domain),
            theme=theme,
            width=width,
            data=inline([self._record(rate) for rate in self.rates]),
        )

    def _record(self, rate: _Rate) -> Record:
        numbers = " · ".join(part for part in (rate.counts, rate.percent) if part)
        return {
            "label": rate.label,
            "series": rate.series,
            "mark": rate.mark,
            "rate": rate.row.number("rate"),
            "low": rate.row.number("low"),
            "high": rate.row.number("high"),
            NUMBERS: f"{numbers} {rate.series}" if len(self.series) > 1 else numbers,
            "counts": rate.counts,
            "percent": rate.percent or NONE,
            "interval": rate.interval,
            "sample": SMALL if rate.is_small else "large enough",
        }

    def _intervals(self) -> alt.Chart:
        layer: alt.Chart = (
            alt.Chart()
            .transform_filter("isValid(datum.low)")
            .mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55, aria=False)
            .encode(**self._shared("low"), x2="high", stroke=self._stroke())
        )
        return layer

    def _dots(self) -> alt.Chart:
        shapes = [shape for pair in _SHAPES[: len(self.series)] for shape in pair]
        scale = alt.Scale(domain=self._marks(), range=shapes)
        layer: alt.Chart = (
            alt.Chart()
            .transform_filter("isValid(datum.rate)")
            .mark_point(size=85)
            .encode(
                **self._shared("rate"),
                color=self._color(),
                shape=alt.Shape("mark", type="nominal", scale=scale, legend=self._legend()),
            )
        )
        return layer

    def _numbers(self) -> alt.Chart:
        return figures(alt.Chart(), self._shared("rate"), BESIDE, self.colors)

    def _marks(self) -> list[str]:
        return [mark for name in self.series for mark in (name, f"{name}, {SMALL}")]

    def _legend(self) -> alt.Legend:
        found = {rate.mark for rate in self.rates if rate.row.number("rate") is not None}
        return alt.Legend(title=None, values=[mark for mark in self._marks() if mark in found], labelLimit=220)

    def _color(self) -> alt.Color:
        hues = [self.colors.series[place] for place in range(len(self.series)) for _ in range(2)]
        scale = alt.Scale(domain=self._marks(), range=hues)
        return alt.Color("mark", type="nominal", scale=scale, legend=self._legend())

    def _stroke(self) -> alt.Stroke:
        # A channel of its own: a line in the legend would say nothing.
        scale = alt.Scale(domain=self.series, range=list(self.colors.series[: len(self.series)]))
        return alt.Stroke("series", type="nominal", scale=scale, legend=None)

    def _shared(self, x: str) -> dict[str, Any]:
        shared: dict[str, Any] = {
            "x": rate_axis(x, "share of runs", BESIDE),
            "y": row_axis("label", self.domain),
            "tooltip": [
                alt.Tooltip(name, type="nominal", title=title)
                for name, title in {
                    "label": "rate of",
                    "series": "outcome",
                    "counts": "runs",
                    "percent": "rate",
                    "interval": "interval",
                    "sample": "sample",
                }.items()
                if name != "series" or len(self.series) > 1
            ],
        }
        if len(self.series) > 1:
            shared["yOffset"] = alt.YOffset("series", type="nominal", scale=alt.Scale(domain=self.series))
        return shared


def _scorecard_sentence(rates: Sequence[_Rate]) -> str:
    outcomes = [f"{shown(rate.label, 30)} {rate.counts}" for rate in rates if rate.group == "outcome"]
    layers = [rate for rate in rates if rate.group == "layer"]
    failing = sorted(
        (rate for rate in layers if (rate.row.number("rate") or 0) < 1), key=lambda rate: rate.row.number("rate") or 0
    )
    worst = (
        f"{len(failing)} of {counted(len(layers), 'layer')} with findings, "
        f"most in {listed(shown(rate.label, 30) for rate in failing[:2])}"
        if failing
        else f"no finding in {counted(len(layers), 'layer')}"
    )
    return f"{'; '.join(outcomes)}; {worst}." if outcomes else f"{worst}."


def _slices_sentence(rates: Sequence[_Rate], found: int) -> str:
    known = [rate for rate in rates if rate.row.number("rate") is not None]
    lowest = min(known, key=lambda rate: rate.row.number("rate") or 0, default=None)
    told = (
        ""
        if lowest is None
        else f"; lowest is {shown(lowest.series, 30)} of {shown(lowest.label, 40)} at {lowest.percent}"
    )
    small = len({rate.label for rate in rates if rate.is_small})
    left_out = f" (the first {MOST_SLICES} are drawn)" if found > MOST_SLICES else ""
    return f"{counted(found, 'part')} of the runs{left_out}, {small:,} of them a small sample{told}."

"""Catch rates as dots on a line from 0 to 100 %, each with its interval and the numbers it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from evalnb.view.charts.chart import EvalChart, Record, Width, compose, inline
from evalnb.view.charts.rate_line import BESIDE, NONE, NUMBERS, figures, percent, rate_axis, row_axis
from evalnb.view.charts.rows import Row
from evalnb.view.charts.text import labels, shown
from evalnb.view.theme import RING, Palette, Theme, palette

STEP: Final = 30
TIGHT_STEP: Final = 19
SERIES_SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")


@dataclass(frozen=True, slots=True)
class Terms:
    """What the parts of a chart are called: the axis of the rates, their classes, and what is compared.

    `beside` is the room for the numbers, as an expression of the chart.
    """

    axis: str = "caught of exercised probes"
    class_title: str = "class"
    series_title: str = "corpus"
    beside: str = BESIDE


@dataclass(frozen=True, slots=True)
class Rate:
    """One dot: a class, and a series where several are compared. No rate, no dot; the numbers say why."""

    probe_class: str
    series: str
    row: Row

    @property
    def counts(self) -> str:
        """`3 of 4`, or why there is no rate."""
        if self.row.number("rate") is not None:
            return f"{self.row.count('caught'):,} of {self.row.count('exercised'):,}"
        return "none exercised" if self.row.count("eligible") else "no probe"

    @property
    def percent(self) -> str:
        """`75 %`, or nothing."""
        rate = self.row.number("rate")
        return "" if rate is None else percent(rate)

    @property
    def interval(self) -> str:
        """`21% to 94%, at 95%`, or nothing."""
        low, high, sure = (self.row.number(end) for end in ("low", "high", "confidence"))
        if low is None or high is None:
            return ""
        return f"{percent(low)} to {percent(high)}" + ("" if sure is None else f", at {percent(sure)}")

    @property
    def comparable(self) -> bool | None:
        """Whether it may be compared; None where nobody says so."""
        return self.row.flag("comparable") if "comparable" in self.row.values else None

    @property
    def floor(self) -> float | None:
        """The rate somebody asked for."""
        return self.row.number("floor") if "floor" in self.row.values else None

    @property
    def _against_floor(self) -> str:
        if self.floor is None:
            return ""
        return f"{'≥' if self.row.text('decision') == 'meets' else 'below'} floor {percent(self.floor)}"

    @property
    def numbers(self) -> str:
        """What stands beside the dot."""
        parts = [self.counts, " ".join(part for part in (self.percent, self._against_floor) if part)]
        if self.row.number("rate") is not None and self.comparable is False:
            parts.append("not comparable")
        return " · ".join(part for part in parts if part)


def interval_chart(
    rates: Sequence[Rate], *, title: str, sentence: str, theme: Theme, width: Width, terms: Terms | None = None
) -> EvalChart:
    """The rates, class by class, series by series within a class."""
    drawing = _Drawing(
        classes=list(dict.fromkeys(rate.probe_class for rate in rates)),
        series=labels({name: name for name in dict.fromkeys(rate.series for rate in rates)}, 40),
        colors=palette(theme),
        floors=any(rate.floor is not None for rate in rates),
        comparable=any(rate.comparable is not None for rate in rates),
        terms=terms or Terms(),
    )
    return compose(
        drawing.layers(),
        title=title,
        sentence=sentence,
        height=drawing.height,
        theme=theme,
        width=width,
        data=inline([drawing.record(rate) for rate in rates]),
    )


@dataclass(frozen=True, slots=True)
class _Drawing:
    classes: list[str]
    series: dict[str, str]
    colors: Palette
    floors: bool
    comparable: bool
    terms: Terms

    @property
    def several(self) -> bool:
        return len(self.series) > 1

    @property
    def height(self) -> int:
        within = TIGHT_STEP * len(self.series) + 12 if self.several else STEP
        return within * len(self.classes)

    def record(self, rate: Rate) -> Record:
        row = rate.row
        comparable = rate.comparable
        numbers = f"{rate.counts} · {self.series[rate.series]}" if self.several else rate.numbers
        return {
            "class": shown(rate.probe_class),
            "series": self.series[rate.series],
            "rate": row.number("rate"),
            "low": row.number("low"),
            "high": row.number("high"),
            "floor": rate.floor,
            NUMBERS: numbers,
            "counts": rate.counts,
            "percent": rate.percent or NONE,
            "interval": rate.interval or NONE,
            "asked": NONE if rate.floor is None else percent(rate.floor),
            "comparable": NONE if comparable is None else "comparable" if comparable else "not comparable",
        }

    def layers(self) -> list[alt.Chart]:
        layers = [self._intervals(), self._dots(), self._numbers()]
        return [*layers, self._floors()] if self.floors else layers

    def _intervals(self) -> alt.Chart:
        layer: alt.Chart = (
            alt.Chart()
            .transform_filter("isValid(datum.low)")
            .mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55, aria=False)
            .encode(**self._shared("low"), x2="high", color=self._color())
        )
        return layer

    def _dots(self) -> alt.Chart:
        field, domain, shapes = "comparable", ["comparable", "not comparable", NONE], ["circle", RING, "circle"]
        if self.several:
            field, domain = "series", list(self.series.values())
            shapes = [SERIES_SHAPES[place % len(SERIES_SHAPES)] for place in range(len(domain))]
        shape = alt.Shape(field, type="nominal", scale=alt.Scale(domain=domain, range=shapes), legend=None)
        layer: alt.Chart = (
            alt.Chart()
            .transform_filter("isValid(datum.rate)")
            .mark_point(size=110 if not self.several else 75)
            .encode(**self._shared("rate"), color=self._color(), shape=shape)
        )
        return layer

    def _numbers(self) -> alt.Chart:
        return figures(alt.Chart(), self._shared("rate"), self.terms.beside, self.colors)

    def _floors(self) -> alt.Chart:
        layer: alt.Chart = (
            alt.Chart()
            .transform_filter("isValid(datum.floor)")
            .mark_tick(thickness=2, size=20, color=self.colors.ink)
            .encode(**self._shared("floor"))
        )
        return layer

    def _color(self) -> alt.Color:
        domain = list(self.series.values())
        hues = [self.colors.series[place % len(self.colors.series)] for place in range(len(domain))]
        return alt.Color("series", type="nominal", scale=alt.Scale(domain=domain, range=hues), legend=None)

    def _shared(self, x: str) -> dict[str, Any]:
        shared: dict[str, Any] = {
            "x": rate_axis(x, self.terms.axis, self.terms.beside),
            "y": row_axis("class", [shown(name) for name in self.classes]),
            "tooltip": self._tooltip(),
        }
        if self.several:
            shared["yOffset"] = alt.YOffset("series", type="nominal", scale=alt.Scale(domain=[*self.series.values()]))
        return shared

    def _tooltip(self) -> list[alt.Tooltip]:
        titles = {
            "series": self.terms.series_title,
            "class": self.terms.class_title,
            "counts": "caught",
            "percent": "rate",
            "interval": "interval",
            "comparable": "comparable",
            "asked": "floor",
        }
        if not self.several:
            del titles["series"]
        if not self.floors:
            del titles["asked"]
        if not self.comparable:
            del titles["comparable"]
        return [alt.Tooltip(name, type="nominal", title=title) for name, title in titles.items()]

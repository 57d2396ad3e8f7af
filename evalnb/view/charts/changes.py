"""What a contract gained: the catch rate of each group before and after it was changed, joined by a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import pandas as pd

from evalnb.view.charts.chart import WIDTH, EvalChart, Record, Width, compose, inline, nothing_to_show
from evalnb.view.charts.rate_line import (
    BESIDE_SHORT as BESIDE,
    NONE,
    NUMBERS,
    figures,
    percent,
    rate_axis,
    row_axis,
)
from evalnb.view.charts.rows import Row, rows_of
from evalnb.view.charts.text import counted, labels, shown
from evalnb.view.theme import RING, Palette, Theme, palette

TITLE: Final = "Before and after"
STEP: Final = 28
MOST_GROUPS: Final = 60
STAGES: Final = ("before", "after")


def catch_changes(
    frame: pd.DataFrame, grouping: str = "total", *, theme: Theme = "light", width: Width = WIDTH
) -> EvalChart:
    """A ring and a dot a group, from the frame `before_after`: the catch rate before, and after.

    `grouping` is one of the frame's; of more than 60 groups the first are drawn.
    """
    rows = [row for row in rows_of(frame) if row.text("grouping") == grouping]
    if not rows:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    several = len({row.text("system") for row in rows}) > 1
    names = labels({str(place): _name(row, several) for place, row in enumerate(rows[:MOST_GROUPS])}, 40)
    drawing = _Drawing(list(names.values()), palette(theme))
    return compose(
        drawing.layers(),
        title=TITLE,
        sentence=_sentence(rows, several),
        height=STEP * len(names),
        theme=theme,
        width=width,
        data=inline([record for place, name in names.items() for record in _records(name, rows[int(place)])]),
    )


def _name(row: Row, several: bool) -> str:
    if row.text("grouping") == "total":
        return row.text("system")
    return f"{row.text('system')}: {row.text('group')}" if several else row.text("group")


def _records(name: str, row: Row) -> list[Record]:
    """A record a stage; the first also holds the line and the numbers, which are drawn once."""
    rates = {stage: row.number(f"rate_{stage}") for stage in STAGES}
    told = {stage: NONE if rate is None else percent(rate) for stage, rate in rates.items()}
    counts = {
        stage: f"{row.count(f'caught_{stage}'):,} of {row.count(f'judged_{stage}'):,}"
        if rates[stage] is not None
        else NONE
        for stage in STAGES
    }
    is_pair = None not in rates.values()
    first: Record = {
        "start": rates["before"] if is_pair else None,
        "end": rates["after"],
        NUMBERS: f"{told['before']} → {told['after']}",
    }
    return [
        {
            "group": name,
            "stage": stage,
            "rate": rates[stage],
            "counts_before": counts["before"],
            "counts_after": counts["after"],
            **(first if stage == STAGES[0] else {"start": None, "end": None, NUMBERS: None}),
        }
        for stage in STAGES
    ]


@dataclass(frozen=True, slots=True)
class _Drawing:
    groups: list[str]
    colors: Palette

    def layers(self) -> list[alt.Chart]:
        return [self._lines(), self._dots(), self._numbers()]

    def _lines(self) -> alt.Chart:
        layer: alt.Chart = (
            alt.Chart()
            .transform_filter("isValid(datum.start)")
            .mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55, aria=False, color=self.colors.series[0])
            .encode(**self._shared("start"), x2="end")
        )
        return layer

    def _dots(self) -> alt.Chart:
        hues = [self.colors.muted, self.colors.series[0]]
        legend = alt.Legend(title=None)
        layer: alt.Chart = (
            alt.Chart()
            .transform_filter("isValid(datum.rate)")
            .mark_point(size=110)
            .encode(
                **self._shared("rate"),
                color=alt.Color("stage", type="nominal", scale=alt.Scale(domain=[*STAGES], range=hues), legend=legend),
                shape=alt.Shape(
                    "stage", type="nominal", scale=alt.Scale(domain=[*STAGES], range=[RING, "circle"]), legend=legend
                ),
            )
        )
        return layer

    def _numbers(self) -> alt.Chart:
        told = alt.Chart().transform_filter(f"isValid(datum.{NUMBERS})")
        return figures(told, self._shared("rate"), BESIDE, self.colors)

    def _shared(self, x: str) -> dict[str, Any]:
        titles = {"group": "group", "counts_before": "caught before", "counts_after": "caught after"}
        return {
            "x": rate_axis(x, "caught of judged defects", BESIDE),
            "y": row_axis("group", self.groups),
            "tooltip": [alt.Tooltip(name, type="nominal", title=title) for name, title in titles.items()],
        }


def _sentence(rows: Sequence[Row], several: bool) -> str:
    left_out = f" (the first {MOST_GROUPS} are drawn)" if len(rows) > MOST_GROUPS else ""
    changed = [row for row in rows if row.number("change") is not None]
    risen, fallen = (sum((row.number("change") or 0) * sign > 0 for row in changed) for sign in (1, -1))
    largest = max(changed, key=lambda row: row.number("change") or 0, default=None)
    most = ""
    if largest is not None and risen:
        ends = [percent(largest.number(f"rate_{stage}") or 0) for stage in STAGES]
        most = f", most in {shown(_name(largest, several), 40)} from {ends[0]} to {ends[1]}"
    return f"Catch rates of {counted(len(rows), 'group')}{left_out}: {risen:,} rose{most}; {fallen:,} fell."

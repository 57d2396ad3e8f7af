"""Findings counted by the layer that found them and by what they bear on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import altair as alt
import pandas as pd

from evalnb.trajectory.findings import LAYERS
from evalnb.view.charts.chart import WIDTH, EvalChart, Record, Width, compose, inline, nothing_to_show
from evalnb.view.charts.rows import Row, rows_of
from evalnb.view.charts.text import counted, labels, listed, shown
from evalnb.view.theme import Palette, Theme, Tone, palette

TITLE: Final = "Findings by layer"
STEP: Final = 30
MOST_LAYERS: Final = 40
BLOCKS: Final = "blocks a release"
COLUMNS: Final[Mapping[str, Tone]] = {
    BLOCKS: "fault",
    "safety": "bad",
    "resolution": "warn",
    "quality": "quiet",
    "note": "good",
}
"""What a finding counts against, the gravest first, and the tone of its ground; the ground repeats the heading."""


def findings_by_layer(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """A cell a layer and bearing, from the frame `run_findings`: how many findings, in how many runs.

    A finding of which one is enough to block is counted in the first column alone.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    cells: dict[tuple[str, str], _Cell] = {}
    for row in rows:
        cells.setdefault((row.text("layer"), _column(row)), _Cell()).add(row)
    found = {layer for layer, _ in cells}
    order = [layer for layer in LAYERS if layer in found] + sorted(found.difference(LAYERS))
    given = labels({layer: layer for layer in order[:MOST_LAYERS]}, 40)
    records = [cell.record(given[layer], column) for (layer, column), cell in cells.items() if layer in given]
    colors = palette(theme)
    return compose(
        [_grounds(given, colors), _counts(given, colors)],
        title=TITLE,
        sentence=_sentence(rows, cells, order),
        height=STEP * len(given),
        theme=theme,
        width=width,
        data=inline(records),
    )


@dataclass(slots=True)
class _Cell:
    findings: int = 0
    runs: set[str] = field(default_factory=set)
    codes: dict[str, int] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        self.findings += 1
        self.runs.add(row.text("run_id"))
        self.codes[row.text("code")] = self.codes.get(row.text("code"), 0) + 1

    def record(self, layer: str, column: str) -> Record:
        most = sorted(self.codes.items(), key=lambda one: (-one[1], one[0]))
        return {
            "layer": layer,
            "bearing": column,
            "count": f"{self.findings:,}",
            "runs": f"{len(self.runs):,}",
            "codes": shown(listed(f"{count} x {code}" for code, count in most), 200),
        }


def _column(row: Row) -> str:
    return BLOCKS if row.flag("hard") else row.text("bears_on")


def _grounds(given: Mapping[str, str], colors: Palette) -> alt.Chart:
    scale = alt.Scale(domain=[*COLUMNS], range=[colors.tint(tone) for tone in COLUMNS.values()])
    layer: alt.Chart = (
        alt.Chart()
        .mark_rect(cornerRadius=3)
        .encode(**_shared(given), color=alt.Color("bearing", type="nominal", scale=scale, legend=None))
    )
    return layer


def _counts(given: Mapping[str, str], colors: Palette) -> alt.Chart:
    layer: alt.Chart = (
        alt.Chart()
        .mark_text(color=colors.ink, fontWeight=600, fontSize=12)
        .encode(**_shared(given), text=alt.Text("count", type="nominal"))
    )
    return layer


def _shared(given: Mapping[str, str]) -> dict[str, Any]:
    return {
        "x": alt.X(
            "bearing",
            type="nominal",
            scale=alt.Scale(domain=[*COLUMNS], paddingInner=0.06),
            axis=alt.Axis(title="what a finding counts against", orient="top", labelAngle=0, titleAnchor="start"),
        ),
        "y": alt.Y(
            "layer",
            type="nominal",
            scale=alt.Scale(domain=[*given.values()], paddingInner=0.12),
            axis=alt.Axis(title=None, labelPadding=8, labelFontWeight=600),
        ),
        "tooltip": [
            alt.Tooltip(name, type="nominal", title=title)
            for name, title in {
                "layer": "layer",
                "bearing": "counts against",
                "count": "findings",
                "runs": "runs",
                "codes": "kinds",
            }.items()
        ],
    }


def _sentence(rows: list[Row], cells: Mapping[tuple[str, str], _Cell], order: list[str]) -> str:
    blocking = sum(cell.findings for (_, column), cell in cells.items() if column == BLOCKS)
    runs = {row.text("run_id") for row in rows}
    most = max(order, key=lambda layer: sum(cell.findings for (name, _), cell in cells.items() if name == layer))
    left_out = f"; {len(order) - MOST_LAYERS} layers left out" if len(order) > MOST_LAYERS else ""
    return (
        f"{counted(len(rows), 'finding')} in {counted(len(runs), 'run')}, {blocking:,} of a kind that blocks a release;"
        f" most are of {shown(most, 40)}{left_out}."
    )

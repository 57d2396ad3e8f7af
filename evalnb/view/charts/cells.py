"""A matrix of states: rows and columns that cross in a cell with a shape, a color and, where it fits, a word.

How much is drawn depends on how much there is. Up to 400 cells in 12 rows: ground, shape and word (the word only
while the column is wide enough for it). Up to 2,500 cells: ground and shape. Beyond: the shape alone, which still
differs from state to state, and a tooltip that keeps to the state. Rows beyond 200 and columns beyond 60 are folded
into a last one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import altair as alt

from evalnb.view.charts.chart import EvalChart, Record, Width, compose, inline
from evalnb.view.charts.text import labels, listed, shown
from evalnb.view.theme import STATE_STYLES, Palette, Theme, palette, style_of

MAX_ROWS: Final = 200
MAX_COLUMNS: Final = 60
WITH_WORDS: Final = 400
WORDED_ROWS: Final = 12
WITH_GROUND: Final = 2500

COLUMN_WIDTH: Final = 150
"""A column grows no wider than this, in pixels."""
SLOT_WIDTH: Final = 80
REMARKED_WIDTH: Final = 110
REMARK_GAP: Final = 10
WORD_WIDTH: Final = 64
"""A column narrower than this, in pixels, has no words."""
NARROWEST: Final = 13
"""A column narrower than this, in pixels, has no place for its name, upright or not."""
LABEL_WIDTH: Final = 180
CHARACTER: Final = 6.0
"""What a character of a label takes, in pixels."""
PAGE: Final = 800
"""The width to lay out for where the page decides it."""

PADDING: Final = 0.06

NONE: Final = "–"
MIXED: Final = "mixed"
SOMETIMES: Final = "sometimes caught"


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands where a row and a column cross. `slot` parts a column, as trials part a probe.

    `state` is a term of the theme; `details` are further lines of the tooltip, by the fields of the grid.
    """

    row: str
    column: str
    state: str
    slot: str = ""
    details: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Grid:
    """How a matrix is labeled: the keys of both axes, in order, with what they are called, and the tooltip.

    `fields` gives the name of each detail its title in the tooltip.
    """

    title: str
    sentence: str
    row_title: str
    column_title: str
    rows: Mapping[str, str]
    columns: Mapping[str, str]
    slots: Sequence[str] = ()
    slot_title: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    remark: str | None = None
    """The detail that is written beside a cell where there is one column only."""


def state_matrix(cells: Iterable[Cell], grid: Grid, *, theme: Theme, width: Width) -> EvalChart:
    """The matrix of `cells` on `grid`. Cells that fall together show their common state, or that they differ."""
    rows, columns = _axis(grid.rows, MAX_ROWS), _axis(grid.columns, MAX_COLUMNS)
    merged = _merge(cells, rows, columns)
    shared = any(len(together) > 1 for together in merged.values())
    drawing = _Drawing(grid, rows.domain, columns.domain, _states(merged), palette(theme), len(merged), shared, width)
    return compose(
        drawing.layers(),
        title=grid.title,
        sentence=grid.sentence,
        height=drawing.step * len(rows.domain),
        theme=theme,
        width=width,
        least_width=drawing.least_width,
        data=inline([drawing.record(place, together) for place, together in merged.items()]),
    )


@dataclass(frozen=True, slots=True)
class _Axis:
    domain: list[str]
    label_of: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Place:
    row: str
    column: str
    slot: str


def _axis(named: Mapping[str, str], limit: int) -> _Axis:
    label_of = labels(named)
    if len(label_of) > limit:
        kept = dict(list(label_of.items())[: limit - 1])
        rest = f"… {len(label_of) - len(kept):,} more"
        label_of = {key: kept.get(key, rest) for key in label_of}
    return _Axis(list(dict.fromkeys(label_of.values())), label_of)


def _merge(cells: Iterable[Cell], rows: _Axis, columns: _Axis) -> dict[_Place, list[Cell]]:
    merged: dict[_Place, list[Cell]] = {}
    for cell in cells:
        place = _Place(rows.label_of[cell.row], columns.label_of[cell.column], cell.slot)
        merged.setdefault(place, []).append(cell)
    return merged


def _state(together: Sequence[Cell]) -> str:
    states = {cell.state for cell in together}
    if len(states) == 1:
        return states.pop()
    return SOMETIMES if "caught" in states else MIXED


def _states(merged: Mapping[_Place, Sequence[Cell]]) -> list[str]:
    present = {_state(together) for together in merged.values()}
    return [*(term for term in STATE_STYLES if term in present), *sorted(present.difference(STATE_STYLES))]


@dataclass(frozen=True, slots=True)
class _Drawing:
    grid: Grid
    rows: list[str]
    columns: list[str]
    states: list[str]
    colors: Palette
    count: int
    merged: bool
    width: Width

    @property
    def words(self) -> bool:
        return self.count <= WITH_WORDS and len(self.rows) <= WORDED_ROWS and self.room >= WORD_WIDTH - 12

    @property
    def grounded(self) -> bool:
        return self.count <= WITH_GROUND

    @property
    def step(self) -> int:
        """The height of a row."""
        if self.words:
            return 40
        return 22 if len(self.rows) <= 40 else 16 if len(self.rows) <= 100 else 13

    @property
    def slotted(self) -> bool:
        return len(self.grid.slots) > 1

    @property
    def remarked(self) -> bool:
        return self.grid.remark is not None and len(self.columns) == 1

    @property
    def widest(self) -> int:
        """How wide a column may grow."""
        return REMARKED_WIDTH if self.remarked else max(COLUMN_WIDTH, SLOT_WIDTH * len(self.grid.slots))

    @property
    def room(self) -> float:
        """What there is for a column, as far as it can be told here."""
        left = min(LABEL_WIDTH, CHARACTER * max(map(len, self.rows)))
        width = self.width if isinstance(self.width, int) else PAGE
        return min(self.widest, (width - left - 24) / len(self.columns))

    @property
    def least_width(self) -> int:
        """The width below which the names of the columns run into each other."""
        names = min(LABEL_WIDTH, CHARACTER * max(map(len, self.rows)))
        return round(names + NARROWEST * len(self.columns) * max(1, len(self.grid.slots)) + 24)

    @property
    def cell_width(self) -> str:
        """The width of a cell, as an expression of the chart."""
        return "bandwidth('xOffset')" if self.slotted else "bandwidth('x')"

    def record(self, place: _Place, together: Sequence[Cell]) -> Record:
        state = _state(together)
        record: Record = {"row": place.row, "column": place.column, "state": style_of(state).label}
        if self.grounded:
            record["tone"] = style_of(state).tone
        if self.slotted:
            record["slot"] = place.slot
        if self.merged:
            tally = Counter(style_of(cell.state).label for cell in together)
            record["tally"] = shown(", ".join(f"{number} {label}" for label, number in tally.most_common()))
        if self.grounded:
            for name in self.grid.fields:
                values = dict.fromkeys(cell.details[name] for cell in together if cell.details.get(name))
                record[name] = shown(listed(shown(value) for value in values)) or NONE
            named = (place.row, place.column, f"{self.grid.slot_title} {place.slot}" if self.slotted else "")
            record["told"] = f"{', '.join(part for part in named if part)}: {record['state']}"
        return record

    def layers(self) -> list[alt.Chart]:
        layers = [self._ground()] if self.grounded else []
        layers.append(self._shapes())
        if self.words:
            layers.append(self._words())
        if self.slotted:
            layers.append(self._slot_labels())
        if self.remarked:
            layers.append(self._remarks())
        return layers

    def _ground(self) -> alt.Chart:
        tones = list(dict.fromkeys(style_of(state).tone for state in self.states))
        scale = alt.Scale(domain=tones, range=[self.colors.tint(tone) for tone in tones])
        # A domain of its own: the legend of one that is shared with the shapes would be dropped with this one.
        fill = alt.Fill("tone", type="nominal", scale=scale, legend=None)
        layer: alt.Chart = alt.Chart().mark_rect(cornerRadius=3, aria=False).encode(fill=fill, **self._shared())
        return layer

    def _shapes(self) -> alt.Chart:
        domain = [style_of(state).label for state in self.states]
        legend = alt.Legend(title=None, columns=4, symbolOpacity=1)
        marks = [self.colors.mark(style_of(state).tone) for state in self.states]
        shapes = [style_of(state).shape for state in self.states]
        small = f"{0.66 if self.grounded else 0.9} * min({self.cell_width}, {self.step})"
        raised = f"{self.cell_width} >= {WORD_WIDTH} ? -7 : 0" if self.words else "0"
        # Without it, whoever listens hears every line of the tooltip.
        spoken = {"description": alt.Description("told", type="nominal")} if self.grounded else {}
        layer: alt.Chart = (
            alt.Chart()
            .mark_point(size=alt.expr(f"pow(max(3, min(15, {small})), 2)"), yOffset=alt.expr(raised))
            .encode(
                color=alt.Color("state", type="nominal", scale=alt.Scale(domain=domain, range=marks), legend=legend),
                shape=alt.Shape("state", type="nominal", scale=alt.Scale(domain=domain, range=shapes), legend=legend),
                **spoken,
                **self._shared(),
            )
        )
        return layer

    def _words(self) -> alt.Chart:
        wide = f"{self.cell_width} >= {WORD_WIDTH}"
        layer: alt.Chart = (
            alt.Chart()
            .mark_text(
                fontSize=10,
                dy=11,
                color=self.colors.ink,
                opacity=alt.expr(f"{wide} ? 1 : 0"),
                limit=alt.expr(f"max(1, {self.cell_width} - 4)"),
                aria=False,
            )
            .encode(text=alt.Text("state", type="nominal"), **self._shared())
        )
        return layer

    def _slot_labels(self) -> alt.Chart:
        """The numbers of the slots, over the first row."""
        places: list[Record] = [{"column": column, "slot": slot} for column in self.columns for slot in self.grid.slots]
        shared = self._shared()
        del shared["y"]
        shared["tooltip"] = [self._column_tooltip(), self._slot_tooltip()]
        layer: alt.Chart = (
            alt.Chart(inline(places))
            .mark_text(fontSize=9, color=self.colors.muted, y=-7, aria=False)
            .encode(text=alt.Text("slot", type="nominal"), **shared)
        )
        return layer

    def _remarks(self) -> alt.Chart:
        shared = self._shared()
        del shared["x"]
        left = f"(bandwidth('x') + {REMARK_GAP})"
        layer: alt.Chart = (
            alt.Chart()
            .mark_text(
                align="left", x=alt.expr(left), limit=alt.expr(f"width - {left}"), color=self.colors.muted, aria=False
            )
            .encode(text=alt.Text(str(self.grid.remark), type="nominal"), **shared)
        )
        return layer

    def _shared(self) -> dict[str, Any]:
        end = alt.expr(f"min(width, {self.widest * len(self.columns)})")
        upright = self.remarked or max(map(len, self.columns)) * CHARACTER <= self.room
        shared: dict[str, Any] = {
            "x": alt.X(
                "column",
                type="nominal",
                scale=alt.Scale(type="band", domain=self.columns, range=[0, end], paddingInner=PADDING, paddingOuter=0),
                axis=alt.Axis(
                    orient="top",
                    title=self.grid.column_title,
                    titleAnchor="start",
                    labelAngle=0 if upright else -90,
                    labelAlign="left" if self.remarked else alt.Undefined,
                    labelOffset=-REMARKED_WIDTH / 2 if self.remarked else 0,
                    labelLimit=240 if self.remarked else self.widest if upright else 160,
                    labelOverlap="greedy" if self.room < 10 else False,
                    offset=14 if self.slotted else 0,
                ),
            ),
            "y": alt.Y(
                "row",
                type="nominal",
                scale=alt.Scale(type="band", domain=self.rows, paddingInner=PADDING, paddingOuter=0),
                axis=alt.Axis(
                    title=self.grid.row_title,
                    # Over the labels, as the corner of a table: beside a long axis nobody would find it.
                    titleAngle=0,
                    titleAlign="right",
                    titleAnchor="end",
                    titleX=-8,
                    labelPadding=6,
                    titleY=-12,
                    labelFontSize=11 if self.step > 13 else 10,
                ),
            ),
            "tooltip": self._tooltip(),
        }
        if self.slotted:
            shared["xOffset"] = alt.XOffset("slot", type="nominal", scale=alt.Scale(domain=list(self.grid.slots)))
        return shared

    def _tooltip(self) -> list[alt.Tooltip]:
        lines = [alt.Tooltip("row", type="nominal", title=self.grid.row_title), self._column_tooltip()]
        if self.slotted:
            lines.append(self._slot_tooltip())
        lines.append(alt.Tooltip("state", type="nominal", title="state"))
        named = {**({"tally": "of which"} if self.merged else {}), **(self.grid.fields if self.grounded else {})}
        return lines + [alt.Tooltip(name, type="nominal", title=title) for name, title in named.items()]

    def _column_tooltip(self) -> alt.Tooltip:
        return alt.Tooltip("column", type="nominal", title=self.grid.column_title)

    def _slot_tooltip(self) -> alt.Tooltip:
        return alt.Tooltip("slot", type="nominal", title=self.grid.slot_title)

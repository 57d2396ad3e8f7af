"""The marks of the evidence timeline: calls, findings, and the lines between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import altair as alt

from evalnb.view.charts.chart import Record, inline
from evalnb.view.charts.story import CALLS, FINDING_TYPES, TRIALS, Story
from evalnb.view.charts.text import shown
from evalnb.view.theme import RING, Palette, style_of

STEP: Final = 28
ANSWERED: Final = 16
"""Up to how many calls carry their answer."""
CALL_WIDTH: Final = 110
"""A call takes no more room than this, in pixels."""
HEADING_SHARE: Final = 0.92
HEADINGS: Final = 8
"""How many trials, else probes, are named over their calls; of more, a choice."""
CITED: Final = "cited call"
UNCITED: Final = "call nothing cites"

CALL_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "trial": "trial",
        "sequence": "call",
        "operation": "operation",
        "observation": "observation",
        "answer": "answer",
        "provenance": "chosen by",
        "cited": "cited by",
    }
)
FINDING_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "trial": "trial",
        "finding": "finding",
        "kind": "kind",
        "severity": "severity",
        "oracle": "oracle",
        "summary": "says",
        "observation": "cites",
        "sequence": "call",
    }
)


@dataclass(frozen=True, slots=True)
class TimelineMarks:
    """Draws a story in the colors of a theme."""

    story: Story
    colors: Palette

    @property
    def height(self) -> int:
        return STEP * len(self.story.lanes)

    def layers(self) -> list[alt.Chart]:
        layers = [self._lanes(), self._threads(), self._spans(), self._calls(), self._findings()]
        if len(self.story.calls) <= ANSWERED:
            layers.append(self._texts(self._call_records(), "answer", align="left", dx=9, limit=self._room()))
        if self.story.numbered:
            numbers = [{**record, "lane": CALLS} for record in self._call_records()]
            layers.append(self._texts(numbers, "sequence"))
        if self.story.several:
            room = alt.expr(f"{HEADING_SHARE} * min(width, {self._widest}) / {len(self._headings())}")
            layers += [self._ends(), self._texts(self._headings(), "heading", align="left", dx=-3, limit=room)]
        return layers

    def _lanes(self) -> alt.Chart:
        """A line along each lane, but for those that head the calls."""
        lanes = [*self.story.call_lanes.values(), *self.story.finding_lanes.values()]
        records: list[Record] = [{"lane": lane, "place": 0.5, "end": len(self.story.calls) + 0.5} for lane in lanes]
        layer: alt.Chart = (
            alt.Chart(inline(records))
            .mark_rule(color=self.colors.line, aria=False)
            .encode(
                x=self._x("place"),
                x2="end",
                y=self._y("lane"),
                tooltip=[alt.Tooltip("lane", type="nominal", title="lane")],
            )
        )
        return layer

    def _threads(self) -> alt.Chart:
        """From a call down to the last finding that cites it."""
        lowest = self.story.lowest_lane
        records = [
            {**record, "until": lowest[call]}
            for call, record in zip(self.story.calls, self._call_records(), strict=True)
            if call in lowest
        ]
        layer: alt.Chart = (
            alt.Chart(inline(records))
            .mark_rule(strokeDash=[2, 3], color=self.colors.quiet, aria=False)
            .encode(x=self._x("place"), y=self._y("lane"), y2="until", tooltip=_tooltip(CALL_FIELDS))
        )
        return layer

    def _spans(self) -> alt.Chart:
        """Along the lane of a finding, from the first call it cites to the last."""
        records: dict[str, Record] = {}
        for citation in self.story.citations:
            place = self.story.places[citation.call]
            record = records.setdefault(
                citation.finding, {**self._finding_record(citation.finding, citation.call), "end": place}
            )
            record["place"] = min(place, int(record["place"] or place))
            record["end"] = max(place, int(record["end"] or place))
        layer: alt.Chart = (
            alt.Chart(inline(list(records.values())))
            .mark_rule(strokeWidth=1.5, color=self.colors.quiet, aria=False)
            .encode(x=self._x("place"), x2="end", y=self._y("lane"), tooltip=_tooltip(FINDING_FIELDS))
        )
        return layer

    def _calls(self) -> alt.Chart:
        return self._points(self._call_records(), (12, 80), CALL_FIELDS)

    def _findings(self) -> alt.Chart:
        records = [self._finding_record(citation.finding, citation.call) for citation in self.story.citations]
        return self._points(records, (40, 130), FINDING_FIELDS)

    def _points(self, records: Sequence[Record], sizes: tuple[int, int], fields: Mapping[str, str]) -> alt.Chart:
        present = {row.text("finding_type") for row in self.story.findings.values()}
        terms = [term for term in FINDING_TYPES if term in present]
        domain = [CITED, UNCITED, *(_kind(term) for term in terms)]
        hues = [self.colors.muted, self.colors.quiet, *(self.colors.mark(style_of(term).tone) for term in terms)]
        # An observation is a diamond here: the circles are calls.
        shapes = ["circle", RING, *("diamond" if term == "observation" else style_of(term).shape for term in terms)]
        legend = alt.Legend(title=None, columns=5)
        room = alt.expr(f"clamp(pow(0.9 * width / {len(self.story.calls) + 1}, 2), {sizes[0]}, {sizes[1]})")
        layer: alt.Chart = (
            alt.Chart(inline(records))
            .mark_point(size=room)
            .encode(
                x=self._x("place"),
                y=self._y("lane"),
                color=alt.Color("kind", type="nominal", scale=alt.Scale(domain=domain, range=hues), legend=legend),
                shape=alt.Shape("kind", type="nominal", scale=alt.Scale(domain=domain, range=shapes), legend=legend),
                tooltip=_tooltip(fields),
            )
        )
        return layer

    def _texts(self, records: Sequence[Record], field: str, **style: Any) -> alt.Chart:
        layer: alt.Chart = (
            alt.Chart(inline(records))
            .mark_text(fontSize=10, color=self.colors.muted, aria=False, **style)
            .encode(
                x=self._x("place"),
                y=self._y("lane"),
                text=alt.Text(field, type="nominal"),
                tooltip=_tooltip(CALL_FIELDS),
            )
        )
        return layer

    def _ends(self) -> alt.Chart:
        """A line before each trial."""
        records = [{**record, "place": float(record["place"] or 0) - 0.5} for record in self._first_records()]
        layer: alt.Chart = (
            alt.Chart(inline(records))
            .mark_rule(color=self.colors.quiet, opacity=0.6, aria=False)
            .encode(x=self._x("place"), tooltip=_tooltip(CALL_FIELDS))
        )
        return layer

    def _headings(self) -> list[Record]:
        """The names over the calls: of the trials while they are few, else of the probes, else of some."""
        heads = [{**record, "lane": TRIALS, "heading": record["trial"]} for record in self._first_records()]
        if len(heads) > HEADINGS:
            probes: dict[str, Record] = {}
            for call, head in zip(self.story.trials, heads, strict=True):
                probe = self.story.calls[call].text("probe_id") or self.story.calls[call].text("run_id")
                probes.setdefault(probe, {**head, "heading": shown(probe, 40)})
            heads = list(probes.values())
        return heads[:: -(-len(heads) // HEADINGS)]

    def _first_records(self) -> list[Record]:
        return [self._call_record(call) for call in self.story.trials]

    def _call_records(self) -> list[Record]:
        return [self._call_record(call) for call in self.story.calls]

    def _call_record(self, call: str) -> Record:
        row = self.story.calls[call]
        cited = self.story.cited_by.get(call, "")
        return {
            "place": self.story.places[call],
            "lane": self.story.lane_of(row),
            "kind": CITED if cited else UNCITED,
            "trial": self.story.trial_name(row),
            "sequence": row.text("sequence"),
            "operation": shown(f"{row.text('interface_id')} {row.text('operation_id')}"),
            "observation": shown(row.text("observation_id")),
            "answer": shown(row.text("answer"), 60),
            "provenance": row.text("provenance"),
            "cited": cited,
        }

    def _finding_record(self, finding: str, call: str) -> Record:
        row, cited = self.story.findings[finding], self.story.calls[call]
        return {
            "place": self.story.places[call],
            "lane": self.story.finding_lanes[finding],
            "kind": _kind(row.text("finding_type")),
            "trial": self.story.trial_name(row),
            "finding": shown(row.text("finding_id")),
            "severity": row.text("severity"),
            "oracle": shown(row.text("oracle_id")),
            "summary": shown(row.text("summary")),
            "observation": shown(cited.text("observation_id")),
            "sequence": cited.text("sequence"),
        }

    def _room(self) -> Any:
        return alt.expr(f"max(1, min(width, {self._widest}) / {len(self.story.calls)} - 20)")

    @property
    def _widest(self) -> int:
        return CALL_WIDTH * len(self.story.calls)

    def _x(self, field: str) -> alt.X:
        scale = alt.Scale(
            domain=[0.5, len(self.story.calls) + 0.5],
            range=[0, alt.expr(f"min(width, {self._widest})")],
            nice=False,
            zero=False,
        )
        return alt.X(field, type="quantitative", scale=scale, axis=None)

    def _y(self, field: str) -> alt.Y:
        axis = alt.Axis(title=None, labelPadding=8, labelLimit=170)
        return alt.Y(field, type="nominal", scale=alt.Scale(domain=self.story.lanes), axis=axis)


def _kind(finding_type: str) -> str:
    return f"{style_of(finding_type).label} finding"


def _tooltip(fields: Mapping[str, str]) -> list[alt.Tooltip]:
    return [alt.Tooltip(name, type="nominal", title=title) for name, title in fields.items()]

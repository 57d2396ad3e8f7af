"""One recorded run from left to right: who spoke, which tools were called and how they came back, what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import pandas as pd

from evalnb.trajectory.findings import FINDING_KINDS
from evalnb.view.charts.chart import WIDTH, EvalChart, Record, Width, compose, inline, nothing_to_show
from evalnb.view.charts.rows import Row, rows_of
from evalnb.view.charts.text import counted, labels, listed, shown
from evalnb.view.theme import STATE_STYLES, Palette, Style, Theme, palette, style_of

TITLE: Final = "Run timeline"
STEP: Final = 26
MAX_EVENTS: Final = 1200
MOST_TOOLS: Final = 20
MOST_CODES: Final = 12
LEGEND_COLUMNS: Final = 5
SAID: Final = "said"
SEEN: Final = "seen"
ASKED: Final = "asked"
_LANES: Final = {
    "user_request": "user",
    "model_decision": "agent",
    "final_answer": "agent",
    "handoff": "agent",
    "approval_request": "approvals",
    "approval_decision": "approvals",
    "state_observation": "state",
    "policy_scope": "policy and tools",
    "tools_discovered": "policy and tools",
    "tool_list_changed": "policy and tools",
}
_FIRST: Final = ("policy and tools", "user", "agent")
_LAST: Final = ("approvals", "state")


def run_timeline(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """Events from left to right, from the frame `run_events` of one run: lanes of people and tools, then of findings.

    A call stands once, as it came back; a dotted line falls from an event to the findings that cite it. Of several
    runs the first is drawn, of more than 1,200 events the first ones.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    story = _Story.of([row for row in rows if row.text("run_id") == rows[0].text("run_id")])
    return compose(
        _Marks(story, palette(theme)).layers(),
        title=TITLE,
        sentence=story.sentence,
        height=STEP * len(story.lanes),
        theme=theme,
        width=width,
    )


@dataclass(frozen=True, slots=True)
class _Story:
    """What is drawn: events and findings as records, the lanes of results, all lanes from above."""

    events: Sequence[Record]
    findings: Sequence[Record]
    results: Mapping[int, str]
    lanes: Sequence[str]
    last: int
    sentence: str

    @classmethod
    def of(cls, rows: Sequence[Row]) -> _Story:
        drawn = rows[:MAX_EVENTS]
        answers = {row.count("call_number"): row for row in drawn if row.text("type") == "tool_result"}
        tools = list(dict.fromkeys(row.text("tool") for row in drawn if row.text("type") == "tool_call"))
        codes = list(dict.fromkeys(code for row in drawn for code in _codes(row)))
        named = {f"lane {name}": name for name in (*_FIRST, *_LAST)}
        named |= {f"tool {name}": name for name in tools} | {f"finding {code}": code for code in codes}
        told = labels(named, 40)
        rest = "other tools"
        tool_lanes = {name: told[f"tool {name}"] if place < MOST_TOOLS else rest for place, name in enumerate(tools)}
        events = [
            record for row in drawn if (record := _event(row, answers.get(row.count("number")), tool_lanes)) is not None
        ]
        used = {str(record["lane"]) for record in events}
        kept = codes[:MOST_CODES]
        order = [*_FIRST, *dict.fromkeys(tool_lanes.values()), *_LAST]
        lanes = [lane for lane in dict.fromkeys(order) if lane in used]
        findings: list[Record] = [
            {
                "place": row.count("number"),
                "lane": told[f"finding {code}"],
                "code": shown(code, 60),
                "kind": _bearing(code, row),
            }
            for row in drawn
            for code in _codes(row)
            if code in kept
        ]
        return cls(
            events=events,
            findings=findings,
            results={
                row.count("number"): tool_lanes[row.text("tool")]
                for row in answers.values()
                if row.text("tool") in tool_lanes
            },
            lanes=[*lanes, *(told[f"finding {code}"] for code in kept)],
            last=max((row.count("number") for row in drawn), default=1),
            sentence=_sentence(rows, tools, codes, len(rows) - len(drawn)),
        )


@dataclass(frozen=True, slots=True)
class _Marks:
    story: _Story
    colors: Palette

    def layers(self) -> list[alt.Chart]:
        layers = [self._threads(), self._points(self.story.events, _EVENT_LINES)]
        return [*layers, self._points(self.story.findings, _FINDING_LINES)] if self.story.findings else layers[1:]

    def _threads(self) -> alt.Chart:
        top = self.story.lanes[0]
        lanes = {lane: place for place, lane in enumerate(self.story.lanes)}
        lowest: dict[int, str] = {}
        for one in self.story.findings:
            place, lane = int(one["place"] or 0), str(one["lane"])
            if place not in lowest or lanes[lane] > lanes[lowest[place]]:
                lowest[place] = lane
        source = {int(one["place"] or 0): str(one["lane"]) for one in self.story.events} | dict(self.story.results)
        records: list[Record] = [
            {"place": place, "lane": source.get(place, top), "to": lane} for place, lane in lowest.items()
        ]
        encoding = {**self._axes(), "tooltip": [alt.Tooltip("place", type="nominal", title="event")]}
        layer: alt.Chart = (
            alt.Chart(inline(records))
            .mark_rule(strokeDash=[2, 3], color=self.colors.muted, aria=False)
            .encode(**encoding, y2="to")
        )
        return layer

    def _points(self, records: Sequence[Record], lines: dict[str, str]) -> alt.Chart:
        kinds = self._kinds()
        shapes = ["cross" if kind == SEEN else "circle" if kind == SAID else _style(kind).shape for kind in kinds]
        hues = [self._hue(kind) for kind in kinds]
        legend = alt.Legend(title=None, labelLimit=180, columns=LEGEND_COLUMNS)
        layer: alt.Chart = (
            alt.Chart(inline(records))
            .mark_point(size=95)
            .encode(
                **self._axes(),
                shape=alt.Shape("kind", type="nominal", scale=alt.Scale(domain=kinds, range=shapes), legend=legend),
                color=alt.Color("kind", type="nominal", scale=alt.Scale(domain=kinds, range=hues), legend=legend),
                tooltip=[alt.Tooltip(name, type="nominal", title=title) for name, title in lines.items()],
            )
        )
        return layer

    def _kinds(self) -> list[str]:
        found = {str(record["kind"]) for record in (*self.story.events, *self.story.findings)}
        order = [SAID, SEEN, ASKED, *dict.fromkeys(style.label for style in STATE_STYLES.values())]
        return [kind for kind in order if kind in found]

    def _hue(self, kind: str) -> str:
        if kind == SAID:
            return self.colors.series_3
        return self.colors.quiet if kind == SEEN else self.colors.mark(_style(kind).tone)

    def _axes(self) -> dict[str, Any]:
        scale = alt.Scale(domain=[0, self.story.last + 1], nice=False)
        axis = alt.Axis(title="event", titleAnchor="start", format="d", tickMinStep=1, grid=False)
        lanes = alt.Scale(domain=list(self.story.lanes))
        return {
            "x": alt.X("place", type="quantitative", scale=scale, axis=axis),
            "y": alt.Y("lane", type="nominal", scale=lanes, axis=alt.Axis(title=None, grid=True, labelPadding=8)),
        }


_EVENT_LINES: Final = {"place": "event", "lane": "lane", "kind": "came out as", "text": "says", "after": "after"}
_FINDING_LINES: Final = {"place": "event", "code": "finding", "kind": "bears on"}


def _style(kind: str) -> Style:
    if kind == ASKED:
        return STATE_STYLES["undecided"]
    known = {style.label: style for style in STATE_STYLES.values()}
    return known.get(kind) or style_of(kind)


def _bearing(code: str, row: Row) -> str:
    """What a finding bears on: its kind tells; of a user's own kind the gravest that cites the event."""
    kind = FINDING_KINDS.get(code)
    return style_of(row.text("bears_on") if kind is None else kind.bears_on).label


def _event(row: Row, answer: Row | None, tools: dict[str, str]) -> Record | None:
    """One mark, or none: a result is told by the mark of its call."""
    kind = row.text("type")
    if kind == "tool_call":
        lane = tools[row.text("tool")]
        state = style_of("unanswered" if answer is None else answer.text("status")).label
    elif kind in _LANES:
        lane, state = _LANES[kind], _spoken(kind, row)
    else:
        return None
    seconds = row.number("seconds")
    return {
        "place": row.count("number"),
        "lane": lane,
        "kind": state,
        "text": shown(row.text("text"), 160) or "nothing",
        "after": "–" if seconds is None else f"{seconds:.1f} s",
    }


def _spoken(kind: str, row: Row) -> str:
    if kind == "approval_request":
        return ASKED
    if kind == "approval_decision":
        return style_of("denied" if " denied" in row.text("text") else "approved").label
    return SAID if _LANES[kind] in ("user", "agent") else SEEN


def _codes(row: Row) -> list[str]:
    return [code for code in row.text("codes").split(", ") if code]


def _sentence(rows: Sequence[Row], tools: Sequence[str], codes: Sequence[str], left_out: int) -> str:
    calls = sum(row.text("type") == "tool_call" for row in rows)
    found = f"found: {listed(shown(code, 40) for code in codes)}" if codes else "nothing found"
    rest = f"; {counted(left_out, 'event')} left out of the drawing" if left_out else ""
    return (
        f"{shown(rows[0].text('run_id'), 60)}: {counted(len(rows), 'event')}, {counted(calls, 'call')} of "
        f"{counted(len(tools), 'tool')}; {found}{rest}."
    )

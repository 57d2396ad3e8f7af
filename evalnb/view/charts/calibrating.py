"""A user's grader against people: which labels met, and how far kappa is from what the policy asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import altair as alt
import pandas as pd

from evalnb.view.charts.chart import WIDTH, EvalChart, Record, Width, compose, inline, nothing_to_show
from evalnb.view.charts.rows import Row, rows_of
from evalnb.view.charts.text import counted, labels, listed, shown
from evalnb.view.theme import Palette, Theme, palette

CONFUSION_TITLE: Final = "People and grader"
KAPPA_TITLE: Final = "Agreement of graders with people"
STEP: Final = 40
KAPPA_STEP: Final = 30
MOST: Final = 40
NEVER: Final = "never"


def confusion_matrix(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """What people said across, what the grader said down, from the frame `grader_confusion`; a count in every cell."""
    rows = [row for row in rows_of(frame) if row.text("human")]
    if not rows:
        return nothing_to_show(title=CONFUSION_TITLE, theme=theme, width=width)
    people = labels({row.text("human"): row.text("human") for row in rows}, 30)
    sides = {f"{_grader(row)}\n{row.text('said')}": f"{_grader(row)}: {row.text('said')}" for row in rows}
    said = dict(list(labels(sides, 40).items())[:MOST])
    records: list[Record] = [
        {
            "human": people[row.text("human")],
            "said": said[key],
            "runs": f"{row.count('runs'):,}",
            "meaning": meaning,
            "count": f"{row.count('runs'):,} {meaning}" if row.count("runs") else meaning,
        }
        for row in rows
        if (key := f"{_grader(row)}\n{row.text('said')}") in said and (meaning := _meaning(row))
    ]
    colors = palette(theme)
    axes = _confusion_axes(list(people.values()), list(said.values()))
    scale = alt.Scale(
        domain=["agree", "differ", NEVER], range=[colors.tint("good"), colors.tint("bad"), colors.tint("quiet")]
    )
    ground = (
        alt.Chart()
        .mark_rect(cornerRadius=3)
        .encode(**axes, color=alt.Color("meaning", type="nominal", scale=scale, legend=None))
    )
    count = (
        alt.Chart()
        .mark_text(color=colors.ink, fontWeight=600, fontSize=12)
        .encode(**axes, text=alt.Text("count", type="nominal"))
    )
    return compose(
        [ground, count],
        title=CONFUSION_TITLE,
        sentence=_confusion_sentence(rows),
        height=STEP * len(said),
        theme=theme,
        width=width,
        data=inline(records),
    )


def grader_kappas(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """A dot and its interval a grader, from the frame `grader_agreement`, and a tick at the floor of the policy.

    A grader may decide where the lower end of its interval reaches the tick.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=KAPPA_TITLE, theme=theme, width=width)
    given = labels({f"{place}": _grader(row) for place, row in enumerate(rows[:MOST])}, 40)
    records = [
        {
            "grader": given[f"{place}"],
            "kappa": row.number("kappa"),
            "low": row.number("low"),
            "high": row.number("high"),
            "floor": row.number("floor"),
            "agreement": f"{row.count('agree'):,} of {row.count('n'):,} runs",
            "value": "not defined" if row.number("kappa") is None else f"{row.number('kappa'):.2f}",
            "asked": "nothing" if row.number("floor") is None else f"{row.number('floor'):.2f}",
            "decides": "may decide" if row.flag("may_decide") else "may not decide",
        }
        for place, row in enumerate(rows[:MOST])
    ]
    return compose(
        _kappa_layers(list(given.values()), palette(theme)),
        title=KAPPA_TITLE,
        sentence=_kappa_sentence(rows),
        height=KAPPA_STEP * len(given),
        theme=theme,
        width=width,
        data=inline(records),
    )


def _meaning(row: Row) -> str:
    return NEVER if not row.count("runs") else "agree" if row.flag("agrees") else "differ"


def _grader(row: Row) -> str:
    return f"{row.text('grader')} {row.text('version')}".strip()


def _confusion_axes(people: list[str], said: list[str]) -> dict[str, Any]:
    return {
        "x": alt.X(
            "human",
            type="nominal",
            scale=alt.Scale(domain=people, paddingInner=0.06),
            axis=alt.Axis(title="people said", orient="top", labelAngle=0, titleAnchor="start"),
        ),
        "y": alt.Y(
            "said",
            type="nominal",
            scale=alt.Scale(domain=said, paddingInner=0.12),
            axis=alt.Axis(title=None, labelPadding=8),
        ),
        "tooltip": _tooltip({"human": "people said", "said": "grader", "runs": "runs", "meaning": "they"}),
    }


def _kappa_layers(graders: list[str], colors: Palette) -> list[alt.Chart]:
    def shared(x: str) -> dict[str, Any]:
        axis = alt.Axis(title="Cohen's kappa", titleAnchor="start", values=[-1, -0.5, 0, 0.5, 1], format=".1f")
        return {
            "x": alt.X(x, type="quantitative", scale=alt.Scale(domain=[-1, 1]), axis=axis),
            "y": alt.Y("grader", type="nominal", scale=alt.Scale(domain=graders), axis=alt.Axis(title=None)),
            "tooltip": _tooltip(
                {
                    "grader": "grader",
                    "value": "kappa",
                    "asked": "policy asks",
                    "agreement": "agrees on",
                    "decides": "gate",
                }
            ),
        }

    interval = (
        alt.Chart()
        .transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55, color=colors.series[0])
        .encode(**shared("low"), x2="high")
    )
    floor = (
        alt.Chart()
        .transform_filter("isValid(datum.floor)")
        .mark_tick(thickness=3, size=22, color=colors.ink)
        .encode(**shared("floor"))
    )
    dot = (
        alt.Chart()
        .transform_filter("isValid(datum.kappa)")
        .mark_point(size=85, filled=True, color=colors.series[0], opacity=1)
        .encode(**shared("kappa"))
    )
    return [interval, floor, dot]


def _tooltip(fields: Mapping[str, str]) -> list[alt.Tooltip]:
    return [alt.Tooltip(name, type="nominal", title=title) for name, title in fields.items()]


def _confusion_sentence(rows: Sequence[Row]) -> str:
    runs = sum(row.count("runs") for row in rows)
    agree = sum(row.count("runs") for row in rows if row.flag("agrees"))
    graders = list(dict.fromkeys(_grader(row) for row in rows))
    return (
        f"People and {shown(listed(graders), 120)} say the same of {agree:,} of {counted(runs, 'run')}; "
        f"across what people said, down what the grader said."
    )


def _kappa_sentence(rows: Sequence[Row]) -> str:
    decide = sum(row.flag("may_decide") is True for row in rows)
    return (
        f"{decide:,} of {counted(len(rows), 'calibrated grader')} may decide a gate: the lower end of the interval of "
        f"kappa has to reach the tick."
    )

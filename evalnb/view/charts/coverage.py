"""Which discipline rules each contract witnesses, and which it leaves as gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import altair as alt
import pandas as pd

from evalnb.view.charts.cells import MAX_ROWS, Cell, Grid, state_matrix
from evalnb.view.charts.chart import WIDTH, EvalChart, Record, Width, compose, inline, nothing_to_show
from evalnb.view.charts.order import by_severity
from evalnb.view.charts.rows import Row, rows_of
from evalnb.view.charts.text import counted, listed
from evalnb.view.theme import Theme, palette, style_of

TITLE: Final = "Coverage"
BESIDE: Final = 8
"""How many contracts stand beside each other; more stand below each other, with the rules as columns."""
STATUSES: Final = ("witnessed", "gap", "not relevant")
FIELDS: Final = {"severity": "severity of a gap", "reason": "why"}


def coverage_matrix(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """Rule by contract, from the frame `coverage`: witnessed, a gap, or not relevant.

    Rules keep their published order, contracts stand by the severity of their gaps. More than 200 contracts are
    counted: a bar a rule.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    rules = [str(rule) for rule in frame["rule"].cat.categories]
    contracts = by_severity({row.text("contract"): row.optional("severity") for row in rows})
    sentence = _sentence(rows, len(contracts))
    if len(contracts) > MAX_ROWS:
        return _shares(rows, rules, sentence, theme, width)
    beside = len(contracts) <= BESIDE
    named = {contract: contract for contract in contracts}, {rule: rule.replace("-", " ") for rule in rules}
    grid = Grid(
        title=TITLE,
        sentence=sentence,
        row_title="rule" if beside else "contract",
        column_title="contract" if beside else "rule",
        rows=named[beside],
        columns=named[not beside],
        fields=FIELDS,
        remark="reason",
    )
    return state_matrix((_cell(row, beside) for row in rows), grid, theme=theme, width=width)


def _cell(row: Row, beside: bool) -> Cell:
    places = row.text("contract"), row.text("rule")
    details = {name: row.text(name) for name in FIELDS}
    return Cell(places[beside], places[not beside], row.text("status"), details=details)


def _sentence(rows: Sequence[Row], contracts: int) -> str:
    gaps = Counter(row.text("rule") for row in rows if row.text("status") == "gap")
    relevant = sum(row.text("status") != "not relevant" for row in rows)
    over = f"{counted(contracts, 'contract')}: {relevant - gaps.total():,} of {counted(relevant, 'relevant rule')}"
    if not gaps:
        return f"{over} witnessed, no gap."
    told = listed(rule if contracts == 1 else f"{rule} ({number:,})" for rule, number in gaps.most_common())
    return f"{over} witnessed; {counted(gaps.total(), 'gap')} in {told}."


def _shares(rows: Sequence[Row], rules: Sequence[str], sentence: str, theme: Theme, width: Width) -> EvalChart:
    """How many contracts witness each rule: a bar a rule, each part with its number."""
    colors = palette(theme)
    numbers = Counter((row.text("rule"), row.text("status")) for row in rows)
    records: list[Record] = []
    for rule in rules:
        start = 0
        for status in STATUSES:
            number = numbers[rule, status]
            if number:
                span: Record = {"from": start, "to": start + number, "middle": start + number / 2}
                records.append(
                    {"rule": rule, "status": status, "tone": style_of(status).tone, "contracts": number, **span}
                )
            start += number
    tooltip = [
        alt.Tooltip("rule", type="nominal"),
        alt.Tooltip("status", type="nominal"),
        alt.Tooltip("contracts", type="quantitative", format=","),
    ]
    y = alt.Y("rule", type="nominal", title=None, scale=alt.Scale(domain=list(rules), paddingInner=0.12))
    middle = alt.X("middle", type="quantitative")
    # A domain of its own: the legend of one that is shared with the shapes would be dropped with this one.
    tones = [style_of(status).tone for status in STATUSES]
    tints = alt.Scale(domain=tones, range=[colors.tint(tone) for tone in tones])
    marks = alt.Scale(domain=list(STATUSES), range=[colors.mark(style_of(status).tone) for status in STATUSES])
    shapes = alt.Scale(domain=list(STATUSES), range=[style_of(status).shape for status in STATUSES])
    axis = alt.Axis(format=",d", tickCount=5, titleAnchor="start")
    legend = alt.Legend(title=None)
    bars = alt.Chart().mark_bar(strokeWidth=1.5, stroke=colors.surface, cornerRadius=3, aria=False)
    points = alt.Chart().mark_point(size=150, yOffset=-7)
    texts = alt.Chart().mark_text(color=colors.ink, dy=11, fontSize=10, aria=False)
    return compose(
        [
            bars.encode(
                x=alt.X("from", type="quantitative", title="contracts", axis=axis),
                x2="to",
                y=y,
                fill=alt.Fill("tone", type="nominal", scale=tints, legend=None),
                tooltip=tooltip,
            ),
            points.encode(
                x=middle,
                y=y,
                color=alt.Color("status", type="nominal", scale=marks, legend=legend),
                shape=alt.Shape("status", type="nominal", scale=shapes, legend=legend),
                tooltip=tooltip,
            ),
            texts.encode(x=middle, y=y, text=alt.Text("contracts", type="quantitative", format=","), tooltip=tooltip),
        ],
        title=TITLE,
        sentence=sentence,
        height=42 * len(rules),
        theme=theme,
        width=width,
        data=inline(records),
    )

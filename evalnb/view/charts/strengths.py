"""How strong several corpora are, class by class, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from evalnb.view.charts.chart import WIDTH, EvalChart, Width, nothing_to_show
from evalnb.view.charts.intervals import Rate, interval_chart
from evalnb.view.charts.rows import rows_of
from evalnb.view.charts.text import counted, shown
from evalnb.view.theme import Theme

TITLE: Final = "Strength by corpus"
MOST: Final = 30
"""How many corpora are drawn; the sentence counts the others."""


def strength_comparison(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """A dot and its interval a class and corpus, from the frame `corpus_strength`, corpora in its order.

    A corpus is told by its name beside the dot, by the shape and by the color; of more than 30, the first are drawn.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    corpora = list(dict.fromkeys(row.text("corpus") for row in rows))
    drawn = set(corpora[:MOST])
    rates = [Rate(row.text("probe_class"), row.text("corpus"), row) for row in rows if row.text("corpus") in drawn]
    sentence = _sentence(rates, len(corpora))
    return interval_chart(rates, title=TITLE, sentence=sentence, theme=theme, width=width)


def _sentence(rates: Sequence[Rate], corpora: int) -> str:
    told = []
    for name in dict.fromkeys(rate.probe_class for rate in rates):
        known = [rate for rate in rates if rate.probe_class == name and rate.row.number("rate") is not None]
        known.sort(key=lambda rate: -(rate.row.number("rate") or 0))
        if not known:
            told.append(f"{name} nowhere exercised")
        elif known[0].row.number("rate") == known[-1].row.number("rate"):
            told.append(f"{name} {known[0].percent} in {'each' if len(known) > 1 else shown(known[0].series, 40)}")
        else:
            first, last = (f"{rate.percent} in {shown(rate.series, 40)}" for rate in (known[0], known[-1]))
            told.append(f"{name} from {last} to {first}")
    left_out = f" (the first {MOST} are drawn)" if corpora > MOST else ""
    return f"Catch rates of {counted(corpora, 'corpus', 'corpora')}{left_out}: {'; '.join(told)}."

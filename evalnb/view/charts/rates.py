"""How much of what was planted the contract caught, class by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from evalnb.view.charts.chart import WIDTH, EvalChart, Width, nothing_to_show
from evalnb.view.charts.intervals import Rate, interval_chart
from evalnb.view.charts.rate_line import percent
from evalnb.view.charts.rows import rows_of
from evalnb.view.theme import Theme

TITLE: Final = "Catch rates"


def catch_rates(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """A dot and its interval a class, from the frame `strength`, with a tick at the floor where one was set.

    A ring instead of a dot is a rate that may not be compared. A class without a rate says why it has none.
    """
    rates = [Rate(row.text("probe_class"), "", row) for row in rows_of(frame)]
    if not rates:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    return interval_chart(rates, title=TITLE, sentence=_sentence(rates), theme=theme, width=width)


def _sentence(rates: Sequence[Rate]) -> str:
    told = []
    for rate in rates:
        low, high = rate.row.number("low"), rate.row.number("high")
        between = "" if low is None or high is None else f" ({rate.percent}, {percent(low)} to {percent(high)})"
        told.append(f"{rate.probe_class} {rate.counts}{between}")
    confidence = rates[0].row.number("confidence")
    sure = "" if confidence is None else f", with {percent(confidence)} intervals"
    return f"Caught of the exercised probes{sure}: {'; '.join(told)}."

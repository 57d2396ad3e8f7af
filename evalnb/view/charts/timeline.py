"""The recorded calls in their order, and the findings that rest on them."""

from __future__ import annotations

from typing import Final

import pandas as pd

from evalnb.view.charts.chart import WIDTH, EvalChart, Width, compose, nothing_to_show
from evalnb.view.charts.rows import rows_of
from evalnb.view.charts.story import Story
from evalnb.view.charts.timeline_marks import TimelineMarks
from evalnb.view.theme import Theme, palette

TITLE: Final = "Evidence timeline"


def evidence_timeline(frame: pd.DataFrame, *, theme: Theme = "light", width: Width = WIDTH) -> EvalChart:
    """Calls from left to right, from the frame `timeline`: a lane an operation, and below a lane a finding.

    A dotted line falls from a call to the findings that cite it; findings stand by severity, then by number. Trials
    stand one after the other. Of more than 1,200 calls the first are drawn, of more than 80 findings the most severe.
    """
    rows = rows_of(frame)
    if not rows:
        return nothing_to_show(title=TITLE, theme=theme, width=width)
    story = Story.of(rows)
    marks = TimelineMarks(story, palette(theme))
    return compose(marks.layers(), title=TITLE, sentence=story.sentence, height=marks.height, theme=theme, width=width)

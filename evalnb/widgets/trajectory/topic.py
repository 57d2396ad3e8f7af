"""Recorded runs as the topic of a widget: to look into, or to label."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from evalnb.engine.canonical import digest_bytes
from evalnb.trajectory.reviewing import Review, ReviewedRun
from evalnb.view.cards import card
from evalnb.view.frames.trajectories import graded_runs
from evalnb.view.html import Html, join
from evalnb.view.tables import static_table
from evalnb.widgets.topic import NOTHING_SLOW, Answer, Kind, UnknownQuestion
from evalnb.widgets.trajectory.detail import event_page
from evalnb.widgets.trajectory.labels import Labelling
from evalnb.widgets.trajectory.outline import events_of, labels_of, outline_of, run_order

MOST_STATIC_ROWS: Final = 100
STATIC_RUNS: Final = 3


class TrajectoryTopic:
    """Answers `run` (the events of a run) and `event` (one of them in full), and with labels `label`.

    A run is named by its place in the outline.
    """

    kind: Kind = "trajectory"
    slow = NOTHING_SLOW

    def __init__(self, review: Review, labelling: Labelling | None = None) -> None:
        self.review = review
        self.labelling = labelling
        self._order = run_order(review, blind=self.blind)
        names = json.dumps([self._order, [len(run) for run in review.runs], self.blind])
        self.key = digest_bytes(names.encode("utf-8", "surrogatepass"))

    @property
    def blind(self) -> bool:
        """Whether what graders found is kept from the reader."""
        return self.labelling is not None

    def outline(self) -> Answer:
        return outline_of(self.review, None if self.labelling is None else self.labelling.labels)

    def answer(self, question: str, given: Mapping[str, Any]) -> Answer:
        if question == "run":
            run = self._run(given)
            return {"events": events_of(run.trajectory, () if self.blind else run.grade.findings)}
        if question == "event":
            number = given.get("number")
            if not isinstance(number, int) or isinstance(number, bool):
                raise LookupError("there is no such event")
            return {"html": event_page(self._run(given), number, blind=self.blind)}
        if question == "label" and self.labelling is not None:
            self.labelling.say(self._run(given).run_id, given.get("label"), given.get("note"))
            return {"labels": labels_of(self.labelling.labels)}
        raise UnknownQuestion(f"recorded runs do not answer {question}")

    def static(self) -> Html:
        if self.labelling is not None:
            return self.labelling.static(self._order)
        table = graded_runs(self.review).sort_values("rank", kind="stable")
        shown = table[["rank", "run_id", "safe", "resolved", "failed_layers", "worst_finding", "calls"]]
        caption = "Every run" if len(table) <= MOST_STATIC_ROWS else f"The first {MOST_STATIC_ROWS} runs"
        return join(
            [
                card(self.review),
                static_table(shown.head(MOST_STATIC_ROWS), caption=caption).html,
                card(self.review.worst(STATIC_RUNS)),
            ]
        )

    def _run(self, given: Mapping[str, Any]) -> ReviewedRun:
        place = given.get("run")
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(self._order):
            raise LookupError("there is no such run")
        return self.review.run(self._order[place])

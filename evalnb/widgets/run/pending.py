"""An evaluation as the topic of a widget: it runs beside the kernel's own work, and the widget fills when done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from evalnb.engine.canonical import digest_artifact
from evalnb.engine.faults import EvaluationFailure
from evalnb.evaluation import Evaluation, EvaluationRun, run_evaluation
from evalnb.evaluation.run import steps_of
from evalnb.view.cards import card
from evalnb.view.html import Html, visible
from evalnb.widgets.run.topic import RunTopic
from evalnb.widgets.topic import NOTHING_SLOW, Answer, Kind, line_of

SHORT_WAIT = 2.0
"""How many seconds a page without scripts waits for the run, to show it rather than the evaluation alone."""


class EvaluationTopic:
    """Shows how far the run is, then the run itself, or the failure that stopped it."""

    kind: Kind = "run"
    slow = NOTHING_SLOW

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.key = digest_artifact(
            {"contract": evaluation.digests.get("contract.json"), "run": evaluation.run_id}, "evaluation"
        )
        self._step = ""
        self._done = 0
        self._finished: RunTopic | None = None
        self._failure: EvaluationFailure | None = None
        self._worker: threading.Thread | None = None

    @property
    def run(self) -> EvaluationRun | None:
        """The run, once it has finished."""
        return None if self._finished is None else self._finished.run

    def begin(self, changed: Callable[[], None]) -> None:
        """Run the evaluation on a thread of its own; `changed` is called on it when there is something new."""
        self._worker = threading.Thread(target=self._work, args=(changed,), name="evalnb-explore", daemon=True)
        self._worker.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the run; whether it has ended."""
        if self._worker is not None:
            self._worker.join(seconds)
        return self._finished is not None or self._failure is not None

    def outline(self) -> Answer:
        if self._finished is not None:
            return self._finished.outline()
        told = {"title": line_of(self.evaluation.run_id), "step": line_of(self._step, 80), "done": self._done}
        failure = None if self._failure is None else visible(str(self._failure))[:2000]
        return {"pending": {**told, "steps": steps_of(self.evaluation), "failure": failure}}

    def answer(self, question: str, given: Mapping[str, Any]) -> Answer:
        if self._finished is None:
            raise LookupError("the evaluation is still running")
        return self._finished.answer(question, given)

    def static(self) -> Html:
        self.wait(SHORT_WAIT)
        if self._failure is not None:
            return card(self._failure)
        return card(self.evaluation) if self._finished is None else self._finished.static()

    def _work(self, changed: Callable[[], None]) -> None:
        def step(name: str) -> None:
            self._step, self._done = name, self._done + 1
            if self._done % 5 == 1:
                changed()

        try:
            self._finished = RunTopic(run_evaluation(self.evaluation, progress=step))
        except EvaluationFailure as failure:
            self._failure = failure
        changed()

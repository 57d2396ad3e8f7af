"""A finished run as the topic of a widget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalnb.engine.artifacts import EvalContract, SealedRunRecord, resolve_observation_interfaces
from evalnb.engine.canonical import digest_artifact, digest_composite
from evalnb.evaluation import EvaluationRun
from evalnb.view.html import Html
from evalnb.widgets.run.detail import outcome_page
from evalnb.widgets.run.outline import outline_of
from evalnb.widgets.run.static import static_page
from evalnb.widgets.topic import NOTHING_SLOW, Answer, Kind, UnknownQuestion


class RunTopic:
    """Answers `outcome`: one oracle in one trial of one arm, by their places in the outline."""

    kind: Kind = "run"
    slow = NOTHING_SLOW

    def __init__(self, run: EvaluationRun) -> None:
        self.run = run
        self.key = key_of(run.contract, run.evaluation.run_id)

    def outline(self) -> Answer:
        return outline_of(self.run)

    def answer(self, question: str, given: Mapping[str, Any]) -> Answer:
        if question != "outcome":
            raise UnknownQuestion(f"a run does not answer {question}")
        arm = _at(self.run.arms, given.get("arm"), "arm")
        record: SealedRunRecord = _at(arm.arm.records, given.get("trial"), "trial")
        oracle = _at(self.run.contract.oracles, given.get("oracle"), "oracle")
        seen = resolve_observation_interfaces(record, self.run.contract)
        return {"html": outcome_page(self.run, arm, seen, oracle.id)}

    def static(self) -> Html:
        return static_page(self.run)


def key_of(contract: EvalContract, run_id: str) -> str:
    """Names a run among all: the same contract evaluated again is another run."""
    return digest_composite({"contract": digest_artifact(contract.document, "EvalContract"), "run": run_id}, "run")


def _at(parts: Any, place: Any, noun: str) -> Any:
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(parts):
        raise LookupError(f"there is no such {noun}")
    return parts[place]

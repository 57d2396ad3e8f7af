"""A contract as the topic of a widget."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.canonical import digest_artifact
from evalnb.view.cards import card
from evalnb.view.html import Html
from evalnb.widgets.contract.detail import detail_of
from evalnb.widgets.contract.facts import ContractFacts
from evalnb.widgets.contract.outline import outline_of
from evalnb.widgets.topic import NOTHING_SLOW, Answer, Kind, UnknownQuestion


class ContractTopic:
    """Answers `node`: the page of one behavior, oracle, operation, step or rule."""

    kind: Kind = "contract"
    slow = NOTHING_SLOW

    def __init__(self, contract: EvalContract) -> None:
        self.contract = contract
        self.key = digest_artifact(contract.document, "EvalContract")

    @cached_property
    def facts(self) -> ContractFacts:
        """The contract from every side."""
        return ContractFacts.of(self.contract)

    def outline(self) -> Answer:
        return outline_of(self.facts)

    def answer(self, question: str, given: Mapping[str, Any]) -> Answer:
        if question != "node":
            raise UnknownQuestion(f"a contract does not answer {question}")
        return {"html": detail_of(self.facts, str(given.get("kind")), str(given.get("id")))}

    def static(self) -> Html:
        return card(self.contract)

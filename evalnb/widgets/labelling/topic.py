"""The labelling form as the topic of a widget: shows the brief and recorded calls, and nothing the brief withholds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from evalnb.view.cards import card
from evalnb.view.html import Html, join, visible
from evalnb.view.style import block
from evalnb.widgets.labelling.draft import DISPOSITIONS, FINDING_TYPES, RECOMMENDATIONS, SEVERITIES
from evalnb.widgets.labelling.session import Session
from evalnb.widgets.labelling.subject import INSTRUCTIONS
from evalnb.widgets.pages import answer_word, call, page, part
from evalnb.widgets.topic import NOTHING_SLOW, Answer, Kind, UnknownQuestion, line_of

LONGEST_DIRECTION: Final = 20_000
MOST_STATIC_CALLS: Final = 40


class LabelTopic:
    """Answers `observation`, `do`, `undo`, `redo` and `save`; every answer to the last four holds the whole draft."""

    kind: Kind = "label"
    slow = NOTHING_SLOW

    def __init__(self, session: Session) -> None:
        self.session = session
        self.key = session.subject.digest

    def outline(self) -> Answer:
        subject = self.session.subject
        brief = subject.brief
        return {
            "title": line_of(subject.run_id),
            "trial": subject.trial_index,
            "instructions": INSTRUCTIONS,
            "out": visible(str(self.session.out)),
            "resumed": self.session.resumed,
            "canFind": subject.probe_id is not None,
            "terms": {
                "disposition": list(DISPOSITIONS),
                "type": list(FINDING_TYPES),
                "severity": list(SEVERITIES),
                "recommendation": list(RECOMMENDATIONS),
            },
            "directions": [[one.oracle_id, visible(one.text[:LONGEST_DIRECTION])] for one in brief.directions],
            "behaviors": [
                [
                    one.id,
                    one.severity,
                    visible(one.description[:LONGEST_DIRECTION]),
                    visible((one.observable_success_criterion or "")[:LONGEST_DIRECTION]),
                    list(one.oracles),
                ]
                for one in brief.behaviors
            ],
            "brief": [[name, [line_of(text, 2000) for text in texts]] for name, texts in self._brief_facts()],
            "observations": [
                [
                    one.observation_id,
                    one.sequence,
                    line_of(one.operation_id, 80),
                    answer_word(one),
                    visible(one.interface_id),
                ]
                for one in subject.observations
            ],
            "state": self._state(),
        }

    def answer(self, question: str, given: Mapping[str, Any]) -> Answer:
        session = self.session
        match question:
            case "observation":
                return self._observation(str(given.get("observation")))
            case "do":
                session.act(given)
            case "undo":
                session.undo()
            case "redo":
                session.redo()
            case "save":
                session.save()
            case _:
                raise UnknownQuestion(f"the labelling form does not answer {question}")
        return {"state": self._state()}

    def static(self) -> Html:
        subject = self.session.subject
        calls = [call(one) for one in subject.observations[:MOST_STATIC_CALLS]]
        return join([card(subject.brief), block(part("Recorded calls", *calls))])

    def _observation(self, observation_id: str) -> Answer:
        observation = self.session.subject.observation(observation_id)
        passages = self.session.subject.passages(observation_id)
        return {
            "html": page(call(observation)),
            "passages": [[one.channel, line_of(one.artifact_id), line_of(one.text, 160)] for one in passages],
        }

    def _state(self) -> Answer:
        session, draft = self.session, self.session.draft
        saved = session.saved
        return {
            "judgements": {
                oracle: {"disposition": one.disposition, "observations": list(one.observation_ids), "note": one.note}
                for oracle, one in draft.judgements.items()
            },
            "findings": [
                {
                    **{key: value for key, value in asdict(one).items() if key != "quotes"},
                    "quotes": [[quote.channel, line_of(quote.text, 160)] for quote in one.quotes],
                }
                for one in draft.findings
            ],
            "recommendation": draft.recommendation,
            "suggested": draft.suggested,
            "canUndo": session.can_undo,
            "canRedo": session.can_redo,
            "problems": [line_of(one) for one in session.problems],
            "saved": None if saved is None else visible(str(saved.record)),
        }

    def _brief_facts(self) -> list[tuple[str, list[str]]]:
        brief = self.session.subject.brief
        budgets = brief.budgets
        facts = [
            ("Interfaces", [f"{one.logical_id} ({one.kind})" for one in brief.permitted_interfaces]),
            ("Resources", [f"{one.reference} ({one.kind})" for one in brief.scoped_resources]),
            ("Principals", list(brief.principals)),
            ("Safety limits", list(brief.safety_limits)),
            (
                "Budget",
                [
                    f"{budgets.max_tool_calls} tool calls, {budgets.max_wall_clock_minutes} minutes, "
                    f"{budgets.max_cost_usd} USD"
                ],
            ),
        ]
        return [(name, texts) for name, texts in facts if texts]

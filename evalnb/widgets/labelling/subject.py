"""What a person is given to label: the sealed brief, the recorded calls of one trial, and what the record is for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from evalnb.engine.artifacts import Observation, SealedEvaluatorBrief
from evalnb.engine.artifacts.record import RunMode
from evalnb.engine.canonical import digest_artifact, digest_composite
from evalnb.widgets.labelling.actions import Ground, OracleGround
from evalnb.widgets.labelling.draft import SEVERITIES, Quote
from evalnb.widgets.labelling.passages import passages_of

INSTRUCTIONS: Final = (
    "Read each direction, look at the recorded calls, and say whether what it asserts held, was violated, or was not "
    "attempted. Cite the calls your answer rests on. Write a finding for what you noticed; quote what shows a defect."
)
"""What the form tells a person; its digest stands where a model's system prompt would."""


@dataclass(frozen=True)
class LabelSubject:
    """`probe_id` names the probe in findings and nothing else; without one no finding can be written."""

    brief: SealedEvaluatorBrief
    observations: tuple[Observation, ...]
    run_id: str
    contract_id: str
    probe_id: str | None
    trial_index: int
    mode: RunMode
    evaluator: str

    @cached_property
    def digest(self) -> str:
        """Names what is labelled: a draft belongs to it alone."""
        return digest_composite(
            {
                "brief": self.brief_digest,
                "observations": digest_artifact(self.observation_documents, "observations"),
                "run": self.run_id,
                "probe": self.probe_id or "",
                "trial": self.trial_index,
            },
            "labelled trial",
        )

    @cached_property
    def brief_digest(self) -> str:
        """The digest of the sealed brief."""
        return digest_artifact(self.brief.document, "SealedEvaluatorBrief")

    @cached_property
    def observation_documents(self) -> list[dict[str, object]]:
        """The observations as a record of the newest version holds them."""
        return [one.model_dump(mode="json", by_alias=True) for one in self.observations]

    @cached_property
    def ground(self) -> Ground:
        """What a draft may speak of."""
        return Ground(
            oracles={one.oracle_id: self._start(one.oracle_id) for one in self.brief.directions},
            observation_ids=frozenset(one.observation_id for one in self.observations),
            passages=self.passages,
        )

    def passages(self, observation_id: str) -> tuple[Quote, ...]:
        """What can be quoted of an observation; KeyError for an unknown one."""
        return passages_of(self.observation(observation_id))

    def observation(self, observation_id: str) -> Observation:
        """One observation; KeyError for an unknown one."""
        for one in self.observations:
            if one.observation_id == observation_id:
                return one
        raise KeyError(f"there is no observation {observation_id}")

    def _start(self, oracle_id: str) -> OracleGround:
        listed = [one for one in self.brief.behaviors if oracle_id in one.oracles]
        if not listed:
            return OracleGround(None, "low")
        worst = max(listed, key=lambda one: SEVERITIES.index(one.severity))
        return OracleGround(worst.id, worst.severity)

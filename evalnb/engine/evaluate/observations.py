"""A trial's observations, looked up by operation and by identifier.

Position in the record means nothing; order is `sequence`, ties by `observationId`.
spec: 03 §4.1, 09 §4.1, §4.4
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from evalnb.engine.artifacts import UNRESOLVED_INTERFACE
from evalnb.engine.json_values import utf16_key

if TYPE_CHECKING:
    from evalnb.engine.artifacts import InteractionStep, Observation

SelectionResult: TypeAlias = Literal["none", "one", "several"]


@dataclass(frozen=True, slots=True)
class Selection:
    """The observations a step selects, in order; `result` counts them."""

    result: SelectionResult
    observation_ids: tuple[str, ...]

    @classmethod
    def of(cls, observation_ids: Iterable[str]) -> Selection:
        """The selection of exactly these observations."""
        ids = tuple(observation_ids)
        return cls("none" if not ids else "one" if len(ids) == 1 else "several", ids)

    def is_ambiguous(self, cardinality: str) -> bool:
        """Whether several observations match a step that wants a single one."""
        return self.result == "several" and cardinality != "any"

    def single(self, cardinality: str) -> str | None:
        """The one observation the step stands for: the only one, or the first where any number may match."""
        if self.result == "none" or self.is_ambiguous(cardinality):
            return None
        return self.observation_ids[0]


@dataclass(frozen=True, slots=True)
class ObservationLog:
    """One trial's observations; where an identifier occurs twice, both its first and its last are kept."""

    _by_operation: Mapping[tuple[str, str], tuple[Observation, ...]]
    _first: Mapping[str, Observation]
    _last: Mapping[str, Observation]

    @classmethod
    def of(cls, observations: Iterable[Observation] | ObservationLog) -> ObservationLog:
        """The log of these observations; a log is returned as it is."""
        if isinstance(observations, ObservationLog):
            return observations
        grouped: dict[tuple[str, str], list[Observation]] = {}
        first: dict[str, Observation] = {}
        last: dict[str, Observation] = {}
        for observation in observations:
            key = (observation.interface_id, observation.operation_id)
            grouped.setdefault(key, []).append(observation)
            first.setdefault(observation.observation_id, observation)
            last[observation.observation_id] = observation
        ordered = {key: tuple(sorted(group, key=_order)) for key, group in grouped.items()}
        return cls(ordered, first, last)

    def of_operation(self, interface_id: str, operation_id: str) -> tuple[Observation, ...]:
        """The observations of one operation, in order; none where the interface could not be found."""
        if interface_id == UNRESOLVED_INTERFACE:
            return ()
        return self._by_operation.get((interface_id, operation_id), ())

    def first(self, observation_id: str) -> Observation | None:
        """The first observation given under that identifier; a floor or a captured value is read from it."""
        return self._first.get(observation_id)

    def last(self, observation_id: str) -> Observation | None:
        """The last observation given under that identifier; evidence is read from it."""
        return self._last.get(observation_id)


def match_step(step: InteractionStep, observations: Iterable[Observation] | ObservationLog) -> Selection:
    """The observations of the step's operation, whatever the step binds and comes after."""
    log = ObservationLog.of(observations)
    matched = log.of_operation(step.interface_id, step.operation_id)
    return Selection.of(observation.observation_id for observation in matched)


def _order(observation: Observation) -> tuple[int, bytes]:
    return observation.sequence, utf16_key(observation.observation_id)

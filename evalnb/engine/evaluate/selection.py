"""Which observations each step of the plan selects, and which one it stands for in the evidence of a trial.

What a step binds, captures from other steps and comes after all narrow the observations of its operation.
spec: 03 §4, 09 §4, §7.3
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from evalnb.engine.evaluate.admission import admits
from evalnb.engine.evaluate.capture_order import binding_order
from evalnb.engine.evaluate.observations import ObservationLog, Selection, match_step
from evalnb.engine.evaluate.operands import resolve_target
from evalnb.engine.evaluate.values import Value
from evalnb.engine.json_values import ABSENT
from evalnb.engine.operations import captured_keys
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import parse_interaction_pointer

if TYPE_CHECKING:
    from evalnb.engine.artifacts import EvalContract, InteractionStep, Observation

Observations: TypeAlias = "Iterable[Observation] | ObservationLog"


@dataclass(frozen=True, slots=True)
class CaptureSite:
    """Where a captured binding stands."""

    step_id: str
    channel: str
    key: str


@dataclass(frozen=True, slots=True)
class Capture:
    """What a captured binding resolved to; value, source and sequence are there where it did."""

    status: Literal["absent", "ambiguous", "resolved"]
    observation_ids: tuple[str, ...] = ()
    observation_id: str | None = None
    sequence: int | None = None
    value: Value = ABSENT


Captures: TypeAlias = Mapping[CaptureSite, Capture]


@dataclass(frozen=True, slots=True)
class TrialEvidence:
    """One trial's evidence: each step's selection, and the observation of each step that stands for one."""

    selections: Mapping[str, Selection]
    step_observations: Mapping[str, Observation]


@dataclass(frozen=True, slots=True)
class AnchorResolution:
    """Whether a step stands for one observation, by its operation alone."""

    result: Literal["resolved", "none", "several"]
    observation_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Floor:
    """Only observations after `sequence` count; an unsatisfiable floor leaves none."""

    sequence: float = float("-inf")
    satisfiable: bool = True


_UNSATISFIABLE = _Floor(satisfiable=False)


def select_trial(contract: EvalContract, observations: Observations, index: PlanIndex | None = None) -> TrialEvidence:
    """The selection of every plan step and the observations bound to them; a repeated step id keeps the last."""
    known = PlanIndex.build(contract) if index is None else index
    log = ObservationLog.of(observations)
    captures = resolve_captures(contract, log, known)
    selections: dict[str, Selection] = {}
    bound: dict[str, Observation] = {}
    for step in contract.interaction_plan:
        selections[step.step_id] = select_observations(step, log, known, captures)
    for step in contract.interaction_plan:
        chosen = selections[step.step_id].single(step.cardinality)
        observation = None if chosen is None else log.last(chosen)
        if observation is not None:
            bound[step.step_id] = observation
    return TrialEvidence(selections, bound)


def bind_step_observations(
    contract: EvalContract, observations: Observations, index: PlanIndex | None = None
) -> Mapping[str, Observation]:
    """The observation that each step stands for; a step that stands for none is not a key."""
    return select_trial(contract, observations, index).step_observations


def select_observations(
    step: InteractionStep, observations: Observations, index: PlanIndex, captures: Captures
) -> Selection:
    """The observations a step selects by its bindings, its captures and the step it comes after."""
    log = ObservationLog.of(observations)
    chain, floor = _anchors(step, index)
    selection = Selection.of(())
    for link in reversed(chain):
        selection = _filtered(link, floor, log, index, captures)
        floor = _floor_of(link, selection, log)
    return selection


def resolve_captures(contract: EvalContract, observations: Observations, index: PlanIndex) -> Captures:
    """The value of every captured binding that can be ordered; steps that depend on themselves have none."""
    log = ObservationLog.of(observations)
    occurrences: dict[str, list[InteractionStep]] = {}
    for step in contract.interaction_plan:
        occurrences.setdefault(step.step_id, []).append(step)
    captures: dict[CaptureSite, Capture] = {}
    for tier in binding_order(contract.interaction_plan).tiers:
        for step_id in tier:
            for step in occurrences[step_id]:
                for captured in captured_keys(step):
                    site = CaptureSite(step_id, captured.channel, captured.key)
                    captures[site] = _captured(captured.pointer, log, index, captures)
    return captures


def resolve_temporal_anchor(step: InteractionStep, observations: Observations) -> AnchorResolution:
    """The observation that a step stands for among all those of its operation (spec: 09 §4.5)."""
    selection = match_step(step, observations)
    chosen = selection.single(step.cardinality)
    if chosen is not None:
        return AnchorResolution("resolved", chosen)
    return AnchorResolution("none" if selection.result == "none" else "several")


def _anchors(step: InteractionStep, index: PlanIndex) -> tuple[list[InteractionStep], _Floor]:
    """The chain of `after` from the step on, and the floor under its last link: none, or a cycle's."""
    chain, seen = [step], {step.step_id}
    while True:
        after = chain[-1].after
        if after is None:
            return chain, _Floor()
        anchor = index.step(after)
        if anchor is None:
            # A step that is not there restricts nothing.
            return chain, _Floor()
        if after in seen:
            return chain, _UNSATISFIABLE
        seen.add(after)
        chain.append(anchor)


def _filtered(
    step: InteractionStep, temporal: _Floor, log: ObservationLog, index: PlanIndex, captures: Captures
) -> Selection:
    floor = _capture_floor(step, captures)
    if not (temporal.satisfiable and floor.satisfiable):
        return Selection.of(())
    after = max(temporal.sequence, floor.sequence)
    declared = index.operation_of(step)
    operation = None if declared is None else declared.operation

    def captured_value(channel: str, key: str) -> Value:
        capture = captures.get(CaptureSite(step.step_id, channel, key))
        return ABSENT if capture is None else capture.value

    def survives(observation: Observation | None) -> bool:
        if observation is None or observation.sequence <= after:
            return False
        return admits(step.input_binding, observation, operation, captured_value)

    base = match_step(step, log).observation_ids
    return Selection.of(chosen for chosen in base if survives(log.last(chosen)))


def _capture_floor(step: InteractionStep, captures: Captures) -> _Floor:
    highest = float("-inf")
    for captured in captured_keys(step):
        capture = captures.get(CaptureSite(step.step_id, captured.channel, captured.key))
        if capture is None or capture.sequence is None:
            return _UNSATISFIABLE
        highest = max(highest, capture.sequence)
    return _Floor(highest)


def _floor_of(step: InteractionStep, selection: Selection, log: ObservationLog) -> _Floor:
    observation = _source(step, selection, log)
    return _UNSATISFIABLE if observation is None else _Floor(observation.sequence)


def _captured(pointer: str, log: ObservationLog, index: PlanIndex, captures: Captures) -> Capture:
    target = parse_interaction_pointer(pointer)
    step = index.step(target.step_id)
    if step is None:
        return Capture("absent")
    selection = select_observations(step, log, index, captures)
    if selection.is_ambiguous(step.cardinality):
        return Capture("ambiguous", selection.observation_ids)
    source = _source(step, selection, log)
    if source is None:
        return Capture("absent")
    return Capture(
        "resolved",
        selection.observation_ids,
        source.observation_id,
        source.sequence,
        resolve_target(source, target),
    )


def _source(step: InteractionStep, selection: Selection, log: ObservationLog) -> Observation | None:
    chosen = selection.single(step.cardinality)
    return None if chosen is None else log.first(chosen)

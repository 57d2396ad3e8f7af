"""The evidence that one direction names: parsed, resolved, phrased locally and grouped by step.

Nothing here names a step; that is `step_reference`. spec: 05 §5, §7.1, §7.2
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evalnb.engine.artifacts import InteractionStep
from evalnb.engine.json_values import utf16_key
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import InteractionPointer, parse_interaction_pointer
from evalnb.engine.seal.wording import in_order


@dataclass(frozen=True, slots=True)
class OperationPair:
    """An operation as a step names it."""

    interface_id: str
    operation_id: str


@dataclass(frozen=True, slots=True)
class EvidenceTarget:
    """One evidence pointer and the step it names."""

    pointer: InteractionPointer
    step: InteractionStep


@dataclass(frozen=True, slots=True)
class StepTargets:
    """What one direction reads of one step, in the order first seen."""

    step: InteractionStep
    pointers: tuple[InteractionPointer, ...]


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """The steps one phrase speaks of: one step, or a step compared with the one that follows it."""

    first: StepTargets
    second: StepTargets | None = None


@dataclass(frozen=True, slots=True)
class LocalWording:
    """How a channel is named with a field path and without one."""

    field: str
    whole: str


LOCAL_WORDING: Final[Mapping[str, LocalWording]] = {
    "response-status": LocalWording("its transport status", "its transport status"),
    "exit-code": LocalWording("its exit code", "its exit code"),
    "call-inputs": LocalWording("the {input} {field} value you sent", "the {input} you sent"),
    "response-body": LocalWording("its {field} field", "the response body you obtained"),
    "response-headers": LocalWording("its {field} header", "the response headers you obtained"),
    "stdout": LocalWording("the {field} field of its standard output", "the standard output you obtained"),
    "stderr": LocalWording("the {field} field of its standard error", "the standard error you obtained"),
    "artifact": LocalWording("the {field} field of the {artifact} it wrote", "the {artifact} it wrote"),
}


def resolve_targets(pointers: Iterable[str], index: PlanIndex) -> tuple[EvidenceTarget, ...]:
    """The distinct targets among `pointers`, in order.

    Raises TypeError at the first pointer that is no interaction pointer, or whose step or operation the contract
    does not declare.
    """
    targets = []
    for text in dict.fromkeys(pointers):
        pointer = parse_interaction_pointer(text)
        step = index.require_step(pointer.step_id)
        index.require_operation_of(step)
        targets.append(EvidenceTarget(pointer, step))
    return tuple(targets)


def pair_of(step: InteractionStep) -> OperationPair:
    """The operation pair of a step."""
    return OperationPair(step.interface_id, step.operation_id)


def siblings_by_operation(
    targets: Iterable[EvidenceTarget],
) -> dict[OperationPair, tuple[InteractionStep, ...]]:
    """Per operation, the distinct steps the targets name, in the order first seen."""
    steps = {target.step.step_id: target.step for target in targets}
    siblings: dict[OperationPair, tuple[InteractionStep, ...]] = {}
    for step in steps.values():
        siblings[pair_of(step)] = (*siblings.get(pair_of(step), ()), step)
    return siblings


def local_phrase(pointer: InteractionPointer) -> str:
    """What a pointer addresses on its own step, for example `its id field`."""
    wording = LOCAL_WORDING[pointer.channel]
    field = ".".join(token for token in pointer.tail if token)
    template = wording.field if field else wording.whole
    return template.format(input=pointer.input_channel, artifact=pointer.artifact_id, field=field)


def group_targets(targets: Iterable[EvidenceTarget]) -> tuple[EvidenceGroup, ...]:
    """The targets by step, in step order; two steps read once each and linked by `after` share a group."""
    by_step: dict[str, StepTargets] = {}
    for target in targets:
        seen = by_step.get(target.step.step_id)
        pointers = (*seen.pointers, target.pointer) if seen else (target.pointer,)
        by_step[target.step.step_id] = StepTargets(target.step, pointers)
    step_ids = in_order(by_step)
    follower = _paired_followers([by_step[step_id] for step_id in step_ids])
    second_halves = set(follower.values())
    return tuple(
        EvidenceGroup(by_step[step_id], by_step.get(follower.get(step_id, "")))
        for step_id in step_ids
        if step_id not in second_halves
    )


def _paired_followers(steps: Sequence[StepTargets]) -> dict[str, str]:
    """Step id to the id of the step it is paired with; `steps` come in step order."""
    single = {entry.step.step_id: entry.step for entry in steps if len(entry.pointers) == 1}
    successor: dict[str, str] = {}
    for step_id, step in single.items():
        predecessor = step.after
        # A step that follows itself follows no other step of the direction.
        if predecessor is not None and predecessor != step_id and predecessor in single:
            successor.setdefault(predecessor, step_id)
    winners = set(successor.values())
    pairs: dict[str, str] = {}
    for step_id in sorted(single, key=utf16_key):
        if step_id in winners:
            continue
        # Links that form a cycle are reachable from no chain start, so this walk ends.
        first: str | None = step_id
        while first is not None and first in successor:
            second = successor[first]
            pairs[first] = second
            first = successor.get(second)
    return pairs

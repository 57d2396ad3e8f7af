"""One direction's evidence as a clause: what is read, and from which steps.

The clause does not depend on the order of targets, steps or interfaces. spec: 05 §7
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evalnb.engine.artifacts import InteractionStep
from evalnb.engine.json_values import utf16_key
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import InteractionPointer
from evalnb.engine.seal.evidence_targets import (
    EvidenceGroup,
    OperationPair,
    StepTargets,
    group_targets,
    local_phrase,
    pair_of,
    resolve_targets,
    siblings_by_operation,
)
from evalnb.engine.seal.step_reference import step_reference
from evalnb.engine.seal.wording import enumerate_phrases, in_order, literal_text


@dataclass(frozen=True, slots=True)
class _Competition:
    """The steps of one direction by operation: those a reference has to keep apart."""

    siblings: Mapping[OperationPair, tuple[InteractionStep, ...]]
    index: PlanIndex

    def reference(self, step: InteractionStep) -> str:
        return step_reference(step, self.siblings[pair_of(step)], self.index)


def evidence_clause(pointers: Iterable[str], index: PlanIndex) -> str:
    """The evidence that `pointers` name, as one enumeration.

    Raises TypeError where a pointer, its step or its operation resolves to nothing, and StructuralFailure
    `irreducible-step-reference` where two steps of one operation cannot be told apart.
    """
    targets = resolve_targets(pointers, index)
    competition = _Competition(siblings_by_operation(targets), index)
    phrases = [_group_phrase(group, competition) for group in group_targets(targets)]
    return enumerate_phrases(in_order(phrases))


def _group_phrase(group: EvidenceGroup, competition: _Competition) -> str:
    if group.second is not None:
        return _pair_phrase(group.first, group.second, competition)
    reference = competition.reference(group.first.step)
    if len(group.first.pointers) == 1:
        return _single_phrase(group.first.pointers[0], reference)
    return f"{reference}: {enumerate_phrases(in_order(local_phrase(p) for p in group.first.pointers))}"


def _single_phrase(pointer: InteractionPointer, reference: str) -> str:
    preposition = "to" if pointer.channel == "call-inputs" else "from"
    return f"{local_phrase(pointer)} {preposition} {reference}"


def _pair_phrase(first: StepTargets, second: StepTargets, competition: _Competition) -> str:
    """What was sent comes before what came back; otherwise the order is by what is read, then by the step."""
    members = [(entry.pointers[0], competition.reference(entry.step)) for entry in (first, second)]
    members.sort(
        key=lambda member: (
            member[0].channel != "call-inputs",
            utf16_key(_signature(member[0])),
            utf16_key(member[1]),
        )
    )
    return ", compared with ".join(_single_phrase(pointer, reference) for pointer, reference in members)


def _signature(pointer: InteractionPointer) -> str:
    return literal_text([pointer.channel, pointer.input_channel, pointer.artifact_id, list(pointer.tail)])

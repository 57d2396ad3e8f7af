"""How a direction names a step without its id: by its operation and by what the step binds.

The wording escalates until the steps that compete with it read differently. spec: 05 §6
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from evalnb.engine.artifacts import (
    BindingValue,
    CapturedBinding,
    InteractionStep,
    LiteralBinding,
    MatcherBinding,
    PrincipalBinding,
)
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.json_values import utf16_key
from evalnb.engine.operations import OperationKind, bound_keys, operation_kind
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import INPUT_CHANNELS, parse_interaction_pointer
from evalnb.engine.seal.evidence_targets import (
    OperationPair,
    group_targets,
    local_phrase,
    pair_of,
    resolve_targets,
    siblings_by_operation,
)
from evalnb.engine.seal.wording import enumerate_phrases, length, literal_text

Level: TypeAlias = Literal["generic", "kind", "literal"]

LEVELS: Final[tuple[Level, ...]] = ("generic", "kind", "literal")
NOUNS: Final[Mapping[OperationKind, str]] = {"api": "endpoint", "cli": "command", "mcp": "tool"}
EXPANSION_LIMITS: Final = (100_000, 4_000_000)


@dataclass(frozen=True, slots=True)
class BoundEntry:
    """One key that a step binds; `name` is how a reference calls it, for example `body name`."""

    name: str
    value: BindingValue


@dataclass(slots=True)
class _Budget:
    """How many code units of captured sources one reference may still take in."""

    remaining: int
    suppressed: bool = False

    def exhausted(self) -> bool:
        """Whether nothing is left; asking notes that an expansion was held back."""
        if self.remaining > 0:
            return False
        self.suppressed = True
        return True


@dataclass(slots=True)
class _Slot:
    """What one phrase of a clause speaks of: captures from one source, or a single entry (no source)."""

    entries: list[BoundEntry] = field(default_factory=list)
    source: InteractionStep | None = None


@dataclass(frozen=True, slots=True)
class SeparatingLevel:
    """The wording at which competing steps read differently."""

    level: Level
    limit: int


def irreducible_steps(pointers: Iterable[str], index: PlanIndex) -> StructuralFailure | None:
    """Why the steps named by one direction's evidence targets cannot be told apart, or None when they can.

    The failure is the one `seal` would raise first, with its own path. Raises TypeError where a pointer, its step or
    its operation resolves to nothing. spec: 04 C32, 05 §6.6
    """
    targets = resolve_targets(pointers, index)
    siblings = siblings_by_operation(targets)
    for group in group_targets(targets):
        for member in (group.first, group.second):
            if member is None:
                continue
            pair = pair_of(member.step)
            if separating_level(siblings[pair], index) is None:
                return irreducible(pair, index)
    return None


def step_reference(step: InteractionStep, siblings: Sequence[InteractionStep], index: PlanIndex) -> str:
    """`step` named so that no other of `siblings` is named the same way.

    Raises StructuralFailure `irreducible-step-reference` where the declared bindings cannot do that.
    """
    separating = separating_level(siblings, index)
    if separating is None:
        raise irreducible(pair_of(step), index)
    return render_step(step, separating.level, index, _Budget(separating.limit))


def separating_level(siblings: Sequence[InteractionStep], index: PlanIndex) -> SeparatingLevel | None:
    """The first limit and level at which all `siblings` read differently; None when there is none."""
    for limit in EXPANSION_LIMITS:
        suppressed = False
        for level in LEVELS:
            phrases = set()
            for sibling in siblings:
                budget = _Budget(limit)
                phrases.add(render_step(sibling, level, index, budget))
                suppressed = suppressed or budget.suppressed
            if len(phrases) == len(siblings):
                return SeparatingLevel(level, limit)
        if not suppressed:
            return None
    return None


def irreducible(pair: OperationPair, index: PlanIndex) -> StructuralFailure:
    """The failure for steps of one operation that render alike at every level."""
    shared = index.is_operation_id_shared(pair.operation_id)
    interface_path = f"[interfaceId={pair.interface_id}]" if shared else ""
    interface_clause = f' on interface "{pair.interface_id}"' if shared else ""
    return StructuralFailure(
        "irreducible-step-reference",
        f"EvalContract.interactionPlan{interface_path}[operationId={pair.operation_id}]",
        f'two or more steps invoking operation "{pair.operation_id}"{interface_clause} that one direction references '
        "render to the same derived reference even fully escalated; the declared structure does not distinguish them "
        "(AD-16, AD-3)",
    )


def render_step(
    step: InteractionStep,
    level: Level,
    index: PlanIndex,
    budget: _Budget,
    path: frozenset[str] = frozenset(),
) -> str:
    """`step` at one level of wording; `path` holds the ids of the steps whose references contain this one."""
    phrase = _operation_phrase(step, index)
    clause = _clause(_bound_entries(step), level, index, budget, path | {step.step_id})
    return f"{phrase} (with {clause})" if clause else phrase


def _operation_phrase(step: InteractionStep, index: PlanIndex) -> str:
    noun = NOUNS[operation_kind(index.require_operation_of(step).operation)]
    phrase = f"the {step.operation_id.replace('-', ' ')} {noun}"
    if index.is_operation_id_shared(step.operation_id):
        phrase += f' of interface "{step.interface_id}"'
    return phrase


def _bound_entries(step: InteractionStep) -> list[BoundEntry]:
    # A raw request body binds no key (spec: 04 §10.2), so steps that differ only in raw bytes read alike.
    bound = sorted(bound_keys(step), key=lambda b: (INPUT_CHANNELS.index(b.channel), utf16_key(b.key)))
    entries = [BoundEntry(f"{b.channel} {b.key}", b.value) for b in bound]
    malformed = [entry for entry in entries if _is_type_violating(entry.value)]
    return malformed or entries


def _clause(
    entries: Sequence[BoundEntry], level: Level, index: PlanIndex, budget: _Budget, path: frozenset[str]
) -> str:
    slots = _slots(entries, level, index, budget, path)
    return enumerate_phrases([_slot_phrase(slot, level, index, budget, path) for slot in slots])


def _slots(
    entries: Sequence[BoundEntry], level: Level, index: PlanIndex, budget: _Budget, path: frozenset[str]
) -> list[_Slot]:
    """First pass: captures that expand are gathered by the step they come from, at the place of the first."""
    slots: list[_Slot] = []
    group_of: dict[str, _Slot] = {}
    for entry in entries:
        source = None
        if level == "literal" and isinstance(entry.value, CapturedBinding):
            source = _expandable_source(entry.value, index, budget, path)
        if source is None:
            slots.append(_Slot([entry]))
            continue
        group = group_of.get(source.step_id)
        if group is None:
            group = group_of[source.step_id] = _Slot(source=source)
            slots.append(group)
        group.entries.append(entry)
    return slots


def _expandable_source(
    captured: CapturedBinding, index: PlanIndex, budget: _Budget, path: frozenset[str]
) -> InteractionStep | None:
    if budget.exhausted():
        return None
    step_id = parse_interaction_pointer(captured.captured).step_id
    if step_id in path:
        return None
    step = index.step(step_id)
    if step is None or index.operation_of(step) is None:
        return None
    return step


def _slot_phrase(slot: _Slot, level: Level, index: PlanIndex, budget: _Budget, path: frozenset[str]) -> str:
    """Second pass: what comes earlier in the clause, and inside its sources, may have used up the budget."""
    if slot.source is None:
        return _entry_phrase(slot.entries[0], level)
    names = enumerate_phrases([entry.name for entry in slot.entries])
    if budget.exhausted():
        return f"the {names} you obtained earlier"
    captures = [entry.value for entry in slot.entries if isinstance(entry.value, CapturedBinding)]
    outputs = enumerate_phrases([local_phrase(parse_interaction_pointer(value.captured)) for value in captures])
    source = render_step(slot.source, "literal", index, budget, path)
    budget.remaining -= length(source)
    return f"the {names} you obtained as {outputs} from {source}"


def _entry_phrase(entry: BoundEntry, level: Level) -> str:
    value = entry.value
    if _is_type_violating(value):
        return f"a malformed {entry.name} value"
    if level == "generic" or isinstance(value, MatcherBinding):
        return f"the supplied {entry.name}"
    if isinstance(value, LiteralBinding):
        return f"the stated {entry.name}" if level == "kind" else f"the {entry.name} {literal_text(value.literal)}"
    if isinstance(value, PrincipalBinding):
        return f"the {entry.name} of the {value.principal} account"
    return f"the {entry.name} you obtained earlier"


def _is_type_violating(value: BindingValue) -> bool:
    return isinstance(value, MatcherBinding) and value.matcher == "type-violating"

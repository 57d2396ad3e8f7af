"""The interaction plan stays a list of probes and never becomes a script: one level of `after`, few anchors and steps.

spec: 04 §5 C20, C21
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from evalnb.engine.artifacts import InteractionStep
from evalnb.engine.faults import StructuralFailure

LARGEST_WIDTH: Final = 2
MOST_SHARED_ANCHORS: Final = 2
MOST_DISJOINT_PAIRS: Final = 4
MOST_STEPS: Final = 16


def check_temporal_clauses(plan: Sequence[InteractionStep]) -> None:
    """C20. Refuses an `after` that names a step which has one itself (`nested-temporal-clause`)."""
    parents = _parents(plan)
    for child, parent in enumerate(parents):
        if parent is not None and parents[parent] is not None:
            raise StructuralFailure(
                "nested-temporal-clause",
                f"EvalContract.interactionPlan[stepId={plan[child].step_id}].after",
                f'comes after step "{plan[parent].step_id}", which has a temporal clause of its own; name a step'
                " without one",
            )


def check_scripting_bound(plan: Sequence[InteractionStep]) -> None:
    """C21. Refuses a plan beyond one of the five bounds, in their order (`plan-exceeds-scripting-bound`)."""
    violation = next(_violations(plan), None)
    if violation is not None:
        raise StructuralFailure("plan-exceeds-scripting-bound", "EvalContract.interactionPlan", violation)


def _violations(plan: Sequence[InteractionStep]) -> Iterator[str]:
    parents = _parents(plan)
    for child, parent in enumerate(parents):
        if parent is not None and parents[parent] is not None:
            yield (
                f'chains step "{plan[child].step_id}" behind "{plan[parent].step_id}", which follows another step'
                " itself,"
                " past the one-level bound"
            )
    children = Counter(parent for parent in parents if parent is not None)
    for parent, width in children.most_common(1):
        if width > LARGEST_WIDTH:
            yield f'step "{plan[parent].step_id}" anchors {width} other steps, past the bound of {LARGEST_WIDTH}'
    shared = sum(1 for count in children.values() if count >= 2)
    if shared > MOST_SHARED_ANCHORS:
        yield f"{shared} steps each anchor two or more others, past the bound of {MOST_SHARED_ANCHORS}"
    # Below the one-level bound a component is a parent with its children, so a pair is a parent with one child.
    pairs = sum(1 for count in children.values() if count == 1)
    if pairs > MOST_DISJOINT_PAIRS:
        yield f"{pairs} mutually disjoint pairs of steps, past the bound of {MOST_DISJOINT_PAIRS}"
    if len(plan) > MOST_STEPS:
        yield f"declares {len(plan)} steps, past the bound of {MOST_STEPS}"


def _parents(plan: Sequence[InteractionStep]) -> list[int | None]:
    """For each plan position, the position its `after` names; None where it names no step, or more than one."""
    occurrences = Counter(step.step_id for step in plan)
    position = {step.step_id: at for at, step in enumerate(plan) if occurrences[step.step_id] == 1}
    return [None if step.after is None else position.get(step.after) for step in plan]

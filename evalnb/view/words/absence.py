"""Why an operand leads nowhere, and why a node had too little evidence: the step, the observation, the collection.

spec: 03 §3, §7.4, §10
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalnb.engine.artifacts import PointerOperand
from evalnb.engine.evaluate import TrialEvidence
from evalnb.engine.evaluate.values import DenotesCollection, Value
from evalnb.engine.json_values import ABSENT
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import is_bound_element, parse_interaction_pointer
from evalnb.view.words.pointers import pointer_words


@dataclass(frozen=True, slots=True)
class Missing:
    """Says why something is not there, over one trial's selections."""

    index: PlanIndex
    selected: TrialEvidence
    denotes_collection: DenotesCollection

    def source(self, operand: Any) -> str | None:
        """The observation that a pointer is read from."""
        step_id = self._step_of(operand)
        observation = None if step_id is None else self.selected.step_observations.get(step_id)
        return None if observation is None else observation.observation_id

    def why_absent(self, operand: Any) -> str:
        """Why the operand resolved to nothing."""
        if not isinstance(operand, PointerOperand):
            return "no such reference set is declared"
        if is_bound_element(operand.pointer):
            return "not there in this element"
        step_id = self._step_of(operand)
        selection = None if step_id is None else self.selected.selections.get(step_id)
        if step_id is None or selection is None:
            return "the plan has no such step"
        observation = self.selected.step_observations.get(step_id)
        if observation is not None:
            return f"not there in {observation.observation_id}"
        if selection.result == "several":
            return f"step {step_id} fits {len(selection.observation_ids)} observations and stands for none of them"
        return f"no observation fits step {step_id}"

    def why_insufficient(self, node: Any, values: list[Value]) -> str:
        """Which operand of a node, or the collection of a quantifier, left it without evidence."""
        operands = [node.collection] if hasattr(node, "collection") else list(node.operands)
        reasons = [
            reason
            for operand, value in zip(operands, values, strict=True)
            if (reason := self._lacking(operand, value)) is not None
        ]
        return "; ".join(dict.fromkeys(reasons)) or "there is nothing to look at"

    def _lacking(self, operand: Any, value: Value) -> str | None:
        name = pointer_words(operand.pointer) if isinstance(operand, PointerOperand) else "the given set"
        if isinstance(value, list):
            return None if value else f"{name} is an empty collection"
        if value is ABSENT and isinstance(operand, PointerOperand):
            return f"the collection {name} is missing: {self.why_absent(operand)}"
        return f"{name} is no collection" if value is not ABSENT and hasattr(operand, "pointer") else None

    def _step_of(self, operand: Any) -> str | None:
        if not isinstance(operand, PointerOperand) or is_bound_element(operand.pointer):
            return None
        return parse_interaction_pointer(operand.pointer).step_id

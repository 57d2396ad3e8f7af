"""Pointers and operands as people would write them: `list.response-body.notes`, `id` of an element, a quoted value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from evalnb.engine.artifacts import LiteralOperand, ReferenceSetOperand
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import bound_element_tail, is_bound_element, parse_interaction_pointer
from evalnb.view.json_view import json_line
from evalnb.view.phrases import LONGEST_QUOTE, Phrase, Segment, phrase

if TYPE_CHECKING:
    from evalnb.engine.artifacts import EvalContract
    from evalnb.engine.evaluate.values import AnyOperand

ELEMENT: Final = "the element"

_PLAIN_TOKEN: Final = re.compile(r"[^\W\d][\w-]*")
_INDEX_TOKEN: Final = re.compile(r"0|[1-9][0-9]*", re.ASCII)
_LONGEST_TOKEN: Final = 60


def pointer_words(pointer: str) -> str:
    """A pointer in words; `@/a/b` is `a.b` of the element at hand, `@/` the element itself."""
    if is_bound_element(pointer):
        return tail_words(bound_element_tail(pointer)) or ELEMENT
    try:
        target = parse_interaction_pointer(pointer)
    except TypeError:
        return pointer
    root = [target.step_id, target.channel]
    if target.input_channel is not None:
        root.append(target.input_channel)
    if target.artifact_id is not None:
        root.append(target.artifact_id)
    return _joined([*root], target.tail)


def tail_words(tail: Sequence[str]) -> str:
    """Decoded tokens in words: names by dots, numbers in brackets, anything else quoted in brackets."""
    return _joined([], tail)


class Naming:
    """How the operands of one contract's checks are named."""

    def __init__(self, contract: EvalContract | None = None) -> None:
        self._index = None if contract is None else PlanIndex.build(contract)
        self._sets = {} if contract is None else dict(contract.reference_sets or {})

    def operand(self, operand: AnyOperand) -> Segment:
        """One operand as a quoted thing."""
        if isinstance(operand, LiteralOperand):
            return Segment("value", json_line(operand.literal, LONGEST_QUOTE))
        if isinstance(operand, ReferenceSetOperand):
            return Segment("set", operand.reference_set, self._set_title(operand.reference_set))
        return self.pointer(operand.pointer)

    def pointer(self, pointer: str) -> Segment:
        """A pointer as a quoted thing; its title is the pointer as written and the operation it reads."""
        if is_bound_element(pointer):
            return Segment("pointer", pointer_words(pointer), pointer)
        return Segment("pointer", pointer_words(pointer), f"{pointer}{self._operation_title(pointer)}")

    def members(self, operand: AnyOperand) -> Phrase:
        """The set position of `set-membership` and of `containment`, as what it holds."""
        if not isinstance(operand, ReferenceSetOperand):
            return phrase(self.operand(operand))
        declared = self._sets.get(operand.reference_set)
        if declared is None:
            return phrase("the reference set ", self.operand(operand))
        counted = f" ({len(declared.members)} member{'' if len(declared.members) == 1 else 's'})"
        if len(declared.keys) == 1:
            key = Segment("pointer", declared.keys[0])
            return phrase("the ", key, " values of the reference set ", self.operand(operand), counted)
        return phrase("the members of the reference set ", self.operand(operand), counted)

    def _operation_title(self, pointer: str) -> str:
        if self._index is None:
            return ""
        try:
            step = self._index.step(parse_interaction_pointer(pointer).step_id)
        except TypeError:
            return ""
        if step is None:
            return "; the plan has no single step of that name"
        return f"; the step calls {step.operation_id} of {step.interface_id or 'an interface that is not named'}"

    def _set_title(self, name: str) -> str | None:
        declared = self._sets.get(name)
        if declared is None:
            return None
        return f"reference set of {len(declared.members)}: {json_line(list(declared.members), LONGEST_QUOTE)}"


def _joined(root: Sequence[str], tail: Sequence[str]) -> str:
    written = ".".join(root)
    for token in tail:
        if _PLAIN_TOKEN.fullmatch(token) and len(token) <= _LONGEST_TOKEN:
            written += f".{token}" if written else token
        elif _INDEX_TOKEN.fullmatch(token) and len(token) <= _LONGEST_TOKEN:
            written += f"[{token}]"
        else:
            written += f"[{json_line(token, _LONGEST_TOKEN)}]"
    return written

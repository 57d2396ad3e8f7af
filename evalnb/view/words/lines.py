"""The lines of a resolution tree: a node with its resolution, and the operands with the values they resolved to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from evalnb.engine.evaluate.values import Value
from evalnb.view.html import visible
from evalnb.view.phrases import Phrase, phrase_text
from evalnb.view.words.sentences import value_words

Resolution: TypeAlias = Literal["true", "false", "insufficient-evidence"]


@dataclass(frozen=True, slots=True)
class OperandValue:
    """One operand of a node and the value it resolved to; ABSENT with the reason why nothing is there."""

    phrase: Phrase
    value: Value
    observation_id: str | None
    missing: str | None

    @property
    def text(self) -> str:
        """The operand and its value in one line."""
        name = phrase_text(self.phrase)
        if self.missing is not None:
            return visible(f"{name}: {self.missing}")
        source = "" if self.observation_id is None else f" (in {self.observation_id})"
        return visible(f"{name} = {value_words(self.value)}{source}")


@dataclass(frozen=True, slots=True)
class ResolutionLine:
    """One node as it came out; `introduced` says why a node is where evidence went missing.

    A line without a resolution counts the elements that are not listed.
    """

    depth: int
    op: str
    place: str
    phrase: Phrase
    resolution: Resolution | None
    operands: tuple[OperandValue, ...] = ()
    introduced: str | None = None

    @property
    def text(self) -> str:
        """The node's sentence as plain text."""
        return phrase_text(self.phrase)

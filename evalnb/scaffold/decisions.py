"""What only a person can decide, kept beside the contract: strict JSON has no place for a remark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evalnb.engine.json_values import Json

MARK: Final = "DECIDE: "
"""How a text begins that stands for one a person has to write."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One marked place. `pointer` is a JSON Pointer into `file`, "" where the whole file is meant.

    `needed` says that the contract measures nothing there until it is decided; otherwise what stands there is a guess
    that may be right.
    """

    file: str
    pointer: str
    question: str
    needed: bool

    @property
    def document(self) -> dict[str, Json]:
        return {"file": self.file, "pointer": self.pointer, "question": self.question, "needed": self.needed}

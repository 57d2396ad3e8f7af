"""A mutant as data: which defect, where, with every choice made, so that it can be planted anywhere and any time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class MutantSpec:
    """One defect to plant. `parameters` are the operator's own, JSON all through; a user mutant's hold its document."""

    mutant_id: str
    operator: str
    interface_id: str | None
    operation_id: str | None
    summary: str
    parameters: Mapping[str, Any]

    @property
    def document(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> MutantSpec:
        return cls(**document)


USER_OPERATOR = "user"
"""The operator of every mutant that a person wrote."""

NOTHING_PLANTED = MutantSpec("clean", "none", None, None, "nothing is planted", {})
"""What stands for the clean arm where a mutant would."""

"""What the qualification gate says of a probe. spec: 09 §3"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QualificationFailure:
    """One reason a probe cannot be scored: a code of the closed list, where, and why."""

    code: str
    artifact_path: str
    detail: str


@dataclass(frozen=True, slots=True)
class Qualification:
    """The gate's answer; `declaration_checks_ran` is false when the signature's operation was not found."""

    failures: tuple[QualificationFailure, ...]
    declaration_checks_ran: bool

    @property
    def qualified(self) -> bool:
        return not self.failures

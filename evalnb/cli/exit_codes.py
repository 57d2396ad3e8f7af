"""What a command came to, and the exit code that says so (spec: 01 §11, 08 §6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

OK = 0
PROMOTED_CONCERNS = 1
PREFLIGHT_FAILED = 3
STRUCTURAL = 4
FAULT = 5
USAGE = 64

EXIT_CODE_MEANINGS: tuple[tuple[int, str], ...] = (
    (0, "an artifact was written, the pre-flight passed, or the verdict is PASS, WAIVED or CONCERNS"),
    (1, "the verdict is CONCERNS and --strict promotes it"),
    (2, "the verdict is FAIL"),
    (3, "the pre-flight failed, or the scored run is invalid and has no verdict"),
    (4, "the contract is structurally wrong, or the evidence cannot be aggregated"),
    (5, "the run could not be done: unreadable input, wrong version, broken digest, failed port"),
    (64, "the command line or a path is wrong; nothing was run"),
)


@dataclass(frozen=True, slots=True)
class ArtifactWritten:
    """`compile`, `seal` and `aggregate-strength` produced their artifact."""


@dataclass(frozen=True, slots=True)
class PreflightReached:
    """A pre-flight came to a verdict."""

    passed: bool


@dataclass(frozen=True, slots=True)
class VerdictReached:
    """A scored run came to a rung; the exit code is the ladder's own and is never recomputed."""

    verdict: str | None
    exit_code: int
    strict_promotable: bool


Outcome: TypeAlias = ArtifactWritten | PreflightReached | VerdictReached


def exit_code_of(outcome: Outcome, *, strict: bool) -> int:
    """The process exit code of a command's outcome."""
    match outcome:
        case ArtifactWritten():
            return OK
        case PreflightReached(passed=passed):
            return OK if passed else PREFLIGHT_FAILED
        case VerdictReached(verdict="CONCERNS", strict_promotable=True) if strict:
            return PROMOTED_CONCERNS
        case VerdictReached(exit_code=carried):
            return carried

"""The verdict ladder: the verdict over a scored trial set, and the reasons for it.

The first rung on which a row speaks decides; the rungs below it contribute nothing. spec: 09 §10
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evalnb.engine.artifacts.evidence import Verdict
from evalnb.engine.score.ladder_rows import ROWS, LadderRow, Rung
from evalnb.engine.score.scored import Assessment, RunMode


@dataclass(frozen=True, slots=True)
class LadderResult:
    """The verdict (None for an invalid run), the unpromoted exit code, the reasons and the rows that gave them.

    `strict_promotable` says whether `--strict` may turn a CONCERNS verdict into exit 1.
    """

    verdict: Verdict | None
    exit_code: int
    basis: tuple[str, ...]
    strict_promotable: bool
    fired_rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tier:
    """A rung with the verdict and the exit code it leads to."""

    rung: Rung
    verdict: Verdict | None
    exit_code: int


TIERS: Final = (
    Tier("invalid", None, 3),
    Tier("FAIL", "FAIL", 2),
    Tier("CONCERNS", "CONCERNS", 0),
    Tier("WAIVED", "WAIVED", 0),
)
PASSED: Final = LadderResult(verdict="PASS", exit_code=0, basis=(), strict_promotable=True)


def climb_ladder(assessment: Assessment) -> LadderResult:
    """The verdict of the highest rung with a firing row; its basis is every string of that rung, in row order.

    Total: no assessment raises. A CONCERNS verdict that rests on evidence conditions alone is not promotable.
    spec: 09 §10.2
    """
    rows = rows_of(assessment.mode)
    for tier in TIERS:
        spoken = [(row, tuple(row.speak(assessment))) for row in rows if row.rung == tier.rung]
        fired = [(row, strings) for row, strings in spoken if strings]
        if fired:
            return LadderResult(
                verdict=tier.verdict,
                exit_code=tier.exit_code,
                basis=tuple(string for _, strings in fired for string in strings),
                strict_promotable=any(not row.evidence for row, _ in fired),
                fired_rows=tuple(row.name for row, _ in fired),
            )
    return PASSED


def rows_of(mode: RunMode) -> tuple[LadderRow, ...]:
    """The ladder of a run mode: every row in production, in contract-scoring those that read no recommendation."""
    return tuple(row for row in ROWS if mode == "production" or not row.production_only)


def process_exit(result: LadderResult, *, strict: bool) -> int:
    """The process exit code: `--strict` turns a promotable CONCERNS into 1 and touches nothing else. spec: 09 §10.4"""
    promoted = strict and result.strict_promotable and result.verdict == "CONCERNS"
    return 1 if promoted else result.exit_code

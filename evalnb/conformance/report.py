"""What a run of the suite found: one outcome an assertion, and the text of it all (spec: 10 §9.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

PUBLISHED_COUNTS: Final = {
    "corpus": 6,
    "clock": 6,
    "file-system": 12,
    "environment-probe": 19,
    "command-probe": 16,
    "mcp-probe": 14,
}
"""How many assertions a report of each port holds."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One assertion of the suite: its identifier, unique in a report, and what it asserts."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether one assertion held; `detail` says why not."""

    id: str
    title: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """Everything the suite asserted about one subject, in published order."""

    subject: str
    port: str
    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> bool:
        """Whether the port conforms: no assertion is missing and every one held."""
        complete = len(self.outcomes) == PUBLISHED_COUNTS[self.port]
        return complete and all(outcome.passed for outcome in self.outcomes)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The assertions that did not hold."""
        return tuple(outcome for outcome in self.outcomes if not outcome.passed)


def in_published_order(claims: Iterable[Claim], outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcome of every claim, in the order of the claims; one without an outcome has failed."""
    found = {outcome.id: outcome for outcome in outcomes}
    return tuple(
        found.get(claim.id, Outcome(claim.id, claim.title, False, "the suite recorded no outcome")) for claim in claims
    )


def format_conformance_report(report: ConformanceReport) -> str:
    """The report as text: a summary line, then a line an assertion."""
    verdict = "PASS" if report.passed else "FAIL"
    count = sum(outcome.passed for outcome in report.outcomes)
    lines = [
        f'{verdict} {report.port} conformance for "{report.subject}": {count}/{len(report.outcomes)} assertions passed',
        *(
            f"pass {outcome.id}: {outcome.title}"
            if outcome.passed
            else f"FAIL {outcome.id}: {outcome.title} - {outcome.detail}"
            for outcome in report.outcomes
        ),
    ]
    return "\n".join(lines)

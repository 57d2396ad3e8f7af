"""Which of the seven rules a contract leaves uncovered. Pure over the contract; never raises.

spec: 06 §2, §6
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from evalnb.engine.artifacts import CoverageGap, EvalContract
from evalnb.engine.coverage.rules import RULES
from evalnb.engine.coverage.subject import prepare
from evalnb.engine.coverage.verdicts import RuleCoverage, RuleId

Severity: TypeAlias = Literal["low", "material", "critical"]

SEVERITY_ORDER: Final[tuple[Severity, ...]] = ("low", "material", "critical")


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """The seven rules over one contract, in rule order, and the severity that each gap of it carries."""

    rules: tuple[RuleCoverage, ...]
    severity: Severity

    def of(self, rule: RuleId) -> RuleCoverage:
        """What one rule says; KeyError for an unknown rule."""
        for entry in self.rules:
            if entry.rule == rule:
                return entry
        raise KeyError(rule)

    @property
    def gaps(self) -> tuple[CoverageGap, ...]:
        """The rules that are relevant and not satisfied, as an evidence artifact records them."""
        return tuple(
            CoverageGap(
                rule=entry.rule,
                relevance_predicate=entry.relevance_predicate,
                satisfaction_predicate=entry.satisfaction_predicate,
                satisfied=False,
                severity=self.severity,
            )
            for entry in self.rules
            if entry.is_gap
        )


def coverage(contract: EvalContract) -> CoverageReport:
    """Relevance, satisfaction and reasons of all seven rules over `contract`."""
    subject = prepare(contract)
    return CoverageReport(tuple(rule.judge(subject) for rule in RULES), coverage_severity(contract))


def coverage_gaps(contract: EvalContract) -> tuple[CoverageGap, ...]:
    """The gaps of `contract` in rule order, unfiltered; empty when there is none. Waivers change nothing."""
    return coverage(contract).gaps


def coverage_severity(contract: EvalContract) -> Severity:
    """The highest severity of the contract's behaviors."""
    return max((behavior.severity for behavior in contract.behaviors), key=SEVERITY_ORDER.index, default="low")

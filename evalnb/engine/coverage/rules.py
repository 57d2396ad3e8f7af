"""The seven discipline rules in their fixed order, each with its two predicates.

spec: 06 §1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from evalnb.engine.coverage import (
    completeness,
    malformed_input,
    per_record,
    read_back,
    sibling_cross_check,
    success_indicator,
    whole_body,
)
from evalnb.engine.coverage.subject import Subject
from evalnb.engine.coverage.verdicts import Finding, RuleCoverage, RuleId, fails, holds


@dataclass(frozen=True, slots=True)
class Rule:
    """One discipline rule; `over_operations` says whether it reads the declared operations at all."""

    id: RuleId
    relevance: Callable[[Subject], Finding]
    satisfaction: Callable[[Subject], Finding]
    over_operations: bool = True

    def judge(self, subject: Subject) -> RuleCoverage:
        """Both predicates over one contract."""
        if self.over_operations and not subject.sites:
            return RuleCoverage(self.id, NO_OPERATION_RELEVANT, NO_OPERATION_UNSATISFIED)
        return RuleCoverage(self.id, self.relevance(subject), self.satisfaction(subject))


NO_OPERATION_RELEVANT: Final = holds("the contract declares no operation, so the declaration this rule reads is absent")
NO_OPERATION_UNSATISFIED: Final = fails(
    "the contract declares no operation, so the site this rule fires on has no declaration to witness"
)

RULES: Final[tuple[Rule, ...]] = (
    Rule("success-indicator-separation", success_indicator.relevance, success_indicator.satisfaction),
    Rule("whole-body", whole_body.relevance, whole_body.satisfaction),
    Rule("malformed-input", malformed_input.relevance, malformed_input.satisfaction),
    Rule("per-record", per_record.relevance, per_record.satisfaction),
    Rule("sibling-cross-check", sibling_cross_check.relevance, sibling_cross_check.satisfaction, False),
    Rule("omission-and-completeness", completeness.relevance, completeness.satisfaction),
    Rule("state-change-read-back", read_back.relevance, read_back.satisfaction),
)

"""What coverage says of a contract: per rule whether it is relevant, whether it is satisfied, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

RuleId: TypeAlias = Literal[
    "success-indicator-separation",
    "whole-body",
    "malformed-input",
    "per-record",
    "sibling-cross-check",
    "omission-and-completeness",
    "state-change-read-back",
]

VACUOUS = "the rule is relevant for no site, so satisfaction holds vacuously"


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a predicate holds, with the reason in words."""

    holds: bool
    reason: str


@dataclass(frozen=True, slots=True)
class RuleCoverage:
    """Both predicates of one rule over one contract. A rule that is not relevant is always satisfied."""

    rule: RuleId
    relevance: Finding
    satisfaction: Finding

    @property
    def relevance_predicate(self) -> str:
        """The published name of the relevance predicate."""
        return f"{self.rule}-relevance"

    @property
    def satisfaction_predicate(self) -> str:
        """The published name of the satisfaction predicate."""
        return f"{self.rule}-satisfaction"

    @property
    def relevant(self) -> bool:
        """Whether the contract declares something the rule speaks of, or leaves the declaration out."""
        return self.relevance.holds

    @property
    def satisfied(self) -> bool:
        """Whether every site the rule fires on has a witness in the plan and the oracles."""
        return self.satisfaction.holds

    @property
    def is_gap(self) -> bool:
        """Relevant and not satisfied."""
        return self.relevant and not self.satisfied


def holds(reason: str) -> Finding:
    """A predicate that holds."""
    return Finding(True, reason)


def fails(reason: str) -> Finding:
    """A predicate that does not hold."""
    return Finding(False, reason)


def all_witnessed(sites: int, witnessed: str) -> Finding:
    """Satisfaction after every one of `sites` had a witness."""
    return holds(witnessed if sites else VACUOUS)


def counted(count: int, noun: str) -> str:
    """`1 key`, `2 keys`."""
    return f"{count} {noun}" + ("" if count == 1 else "s")

"""Coverage: the seven discipline rules, and which of them a contract leaves unwitnessed (spec: 06)."""

from __future__ import annotations

from evalnb.engine.coverage.report import CoverageReport, coverage, coverage_gaps, coverage_severity
from evalnb.engine.coverage.rules import RULES
from evalnb.engine.coverage.verdicts import Finding, RuleCoverage

__all__ = [
    "RULES",
    "CoverageReport",
    "Finding",
    "RuleCoverage",
    "coverage",
    "coverage_gaps",
    "coverage_severity",
]

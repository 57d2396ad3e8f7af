"""One tidy frame a question, each a function of artifacts; a frame never computes a verdict."""

from evalnb.view.frames.contract import behaviors, oracles
from evalnb.view.frames.coverage import coverage
from evalnb.view.frames.outcomes import outcomes, reduced_outcomes, verdict_basis
from evalnb.view.frames.plan import operations, steps
from evalnb.view.frames.preflight import preflight_checks
from evalnb.view.frames.strength import defects, strength

__all__ = [
    "behaviors",
    "coverage",
    "defects",
    "operations",
    "oracles",
    "outcomes",
    "preflight_checks",
    "reduced_outcomes",
    "steps",
    "strength",
    "verdict_basis",
]

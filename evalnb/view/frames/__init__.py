"""One tidy frame a question, each a function of artifacts; a frame never computes a verdict."""

from evalnb.view.frames.calls import observations, timeline
from evalnb.view.frames.catching import defects, strength
from evalnb.view.frames.claims import citations, dispositions, findings, quotations
from evalnb.view.frames.comparison import (
    caveats,
    corpus_strength,
    dominance,
    only_caught_by,
    paired,
    probe_results,
    refusals,
)
from evalnb.view.frames.compiling import compile_results
from evalnb.view.frames.contract import behaviors, oracles
from evalnb.view.frames.corpus import corpus_entries, corpus_summary
from evalnb.view.frames.discipline import coverage
from evalnb.view.frames.plan import operations, steps
from evalnb.view.frames.preflight import preflight_checks
from evalnb.view.frames.results import outcomes, reduced_outcomes, verdict_basis

__all__ = [
    "behaviors",
    "caveats",
    "citations",
    "compile_results",
    "corpus_entries",
    "corpus_strength",
    "corpus_summary",
    "coverage",
    "defects",
    "dispositions",
    "dominance",
    "findings",
    "observations",
    "only_caught_by",
    "operations",
    "oracles",
    "outcomes",
    "paired",
    "preflight_checks",
    "probe_results",
    "quotations",
    "reduced_outcomes",
    "refusals",
    "steps",
    "strength",
    "timeline",
    "verdict_basis",
]

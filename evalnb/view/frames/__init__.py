"""One tidy frame a question, each a function of artifacts; a frame never computes a verdict."""

from evalnb.view.frames.calibrating import (
    grader_agreement,
    grader_confusion,
    grader_disagreements,
    grader_drift,
    grader_slices,
)
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
from evalnb.view.frames.measurement import measurements, mutants, oracle_catches, survivors
from evalnb.view.frames.measurement_rates import before_after, mutant_rates
from evalnb.view.frames.plan import operations, steps
from evalnb.view.frames.preflight import preflight_checks
from evalnb.view.frames.results import outcomes, reduced_outcomes, verdict_basis
from evalnb.view.frames.trajectories import graded_runs, run_events, run_findings, tool_calls
from evalnb.view.frames.trajectory_scores import (
    gate_reasons,
    hard_gates,
    import_report,
    label_disagreements,
    layer_rates,
    release_comparison,
    run_measures,
    slice_rates,
    trial_rates,
)

__all__ = [
    "before_after",
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
    "gate_reasons",
    "graded_runs",
    "grader_agreement",
    "grader_confusion",
    "grader_disagreements",
    "grader_drift",
    "grader_slices",
    "hard_gates",
    "import_report",
    "label_disagreements",
    "layer_rates",
    "measurements",
    "mutant_rates",
    "mutants",
    "observations",
    "only_caught_by",
    "operations",
    "oracle_catches",
    "oracles",
    "outcomes",
    "paired",
    "preflight_checks",
    "probe_results",
    "quotations",
    "reduced_outcomes",
    "refusals",
    "release_comparison",
    "run_events",
    "run_findings",
    "run_measures",
    "slice_rates",
    "steps",
    "strength",
    "survivors",
    "timeline",
    "tool_calls",
    "trial_rates",
    "verdict_basis",
]

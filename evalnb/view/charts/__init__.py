"""Charts: each a function of one frame, in one theme, each with a sentence that says what it shows.

Every function takes `theme` ("light", "dark", or "auto" for a page that sets the CSS variables of
`evalnb.view.theme.css`) and `width` (pixels, labels included, or "container"). `themed` gives the specification of a
finished chart in another theme or width; embed it with `EMBED_OPTIONS`.
"""

from evalnb.view.charts.calibrating import confusion_matrix, grader_kappas
from evalnb.view.charts.changes import catch_changes
from evalnb.view.charts.chart import EvalChart, themed
from evalnb.view.charts.coverage import coverage_matrix
from evalnb.view.charts.defects import defects_caught
from evalnb.view.charts.dominance import dominance_matrix
from evalnb.view.charts.measuring import mutant_catch_rates, mutant_matrix
from evalnb.view.charts.outcomes import outcome_matrix
from evalnb.view.charts.page import EMBED_OPTIONS
from evalnb.view.charts.preflight import preflight_board
from evalnb.view.charts.rates import catch_rates
from evalnb.view.charts.strengths import strength_comparison
from evalnb.view.charts.timeline import evidence_timeline
from evalnb.view.charts.trajectory_findings import findings_by_layer
from evalnb.view.charts.trajectory_rates import layered_scorecard, slice_scorecard
from evalnb.view.charts.trajectory_timeline import run_timeline

__all__ = [
    "EMBED_OPTIONS",
    "EvalChart",
    "catch_changes",
    "catch_rates",
    "confusion_matrix",
    "coverage_matrix",
    "defects_caught",
    "dominance_matrix",
    "evidence_timeline",
    "findings_by_layer",
    "grader_kappas",
    "layered_scorecard",
    "mutant_catch_rates",
    "mutant_matrix",
    "outcome_matrix",
    "preflight_board",
    "run_timeline",
    "slice_scorecard",
    "strength_comparison",
    "themed",
]

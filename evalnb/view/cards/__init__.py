"""Compact cards: what an artifact, a run, a corpus or a failure comes to, at one glance and without scripts."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from evalnb.view.html import Html

__all__ = ["CARDS", "card", "has_card"]

CARDS: Final[dict[str, str]] = {
    "EvalContract": "contract:contract_card",
    "SealedEvaluatorBrief": "contract:brief_card",
    "CoverageReport": "contract:coverage_card",
    "PreflightVerdict": "evidence:preflight_card",
    "ProductionEvidence": "evidence:evidence_card",
    "ContractScoringEvidence": "evidence:evidence_card",
    "ScoreResult": "evidence:score_card",
    "StrengthAggregate": "strength:aggregate_card",
    "Evaluation": "runs:evaluation_card",
    "EvaluationRun": "runs:run_card",
    "Corpus": "corpora:corpus_card",
    "Comparison": "corpora:comparison_card",
    "Measurement": "measuring:measurement_card",
    "MeasurementStudy": "measuring:study_card",
    "StudiedSurvivor": "measuring:survivor_card",
    "Survivors": "measuring:survivors_card",
    "Review": "trajectories:review_card",
    "ReviewedRun": "trajectories:run_card",
    "WorstRuns": "trajectories:worst_card",
    "StructuralFailure": "failures:failure_card",
    "RuntimeFault": "failures:failure_card",
    "AggregationRefusal": "failures:failure_card",
    "FileProblem": "failures:file_problem_card",
}
"""Which function of which module here makes the card of a class."""


def card(shown: Any) -> Html:
    """The card of an artifact, a run, a corpus, a comparison or a failure, with its style sheet.

    Raises TypeError for anything else.
    """
    for base in type(shown).__mro__:
        place = CARDS.get(base.__name__)
        if place is not None and base.__module__.startswith("evalnb."):
            module, _, function = place.partition(":")
            made: Html = getattr(import_module(f"{__name__}.{module}"), function)(shown)
            return made
    raise TypeError(f"there is no card of a {type(shown).__name__}")


def has_card(shown: Any) -> bool:
    """Whether `card` takes it."""
    return any(base.__name__ in CARDS and base.__module__.startswith("evalnb.") for base in type(shown).__mro__)

"""Reports: papermill runs a parameterized notebook, nbconvert renders it as one HTML file that works offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalnb.engine.lazy_names import lazy_names

if TYPE_CHECKING:
    from evalnb.reporting.facts import Fact, Headline, headline
    from evalnb.reporting.failures import CellFailure, ParameterProblem, UnknownNotebook
    from evalnb.reporting.gallery import make_all_reports
    from evalnb.reporting.origin import Provenance, provenance
    from evalnb.reporting.registry import Notebook, Parameter, find_notebook, notebooks
    from evalnb.reporting.report import make_report

__all__ = [
    "CellFailure",
    "Fact",
    "Headline",
    "Notebook",
    "Parameter",
    "ParameterProblem",
    "Provenance",
    "UnknownNotebook",
    "find_notebook",
    "headline",
    "make_all_reports",
    "make_report",
    "notebooks",
    "provenance",
]

__getattr__ = lazy_names(
    __name__,
    {
        "evalnb.reporting.failures": ("CellFailure", "ParameterProblem", "UnknownNotebook"),
        "evalnb.reporting.gallery": ("make_all_reports",),
        "evalnb.reporting.facts": ("Fact", "Headline", "headline"),
        "evalnb.reporting.registry": ("Notebook", "Parameter", "find_notebook", "notebooks"),
        "evalnb.reporting.origin": ("Provenance", "provenance"),
        "evalnb.reporting.report": ("make_report",),
    },
)

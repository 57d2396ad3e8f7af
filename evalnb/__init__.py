"""evalnb measures evaluations: what a contract claims, what it can see, and which planted defects it catches.

>>> import evalnb as ev
>>> ev.compile("contract.json")          # doctest: +SKIP
>>> ev.run("my-evaluation", out="out")   # doctest: +SKIP
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from evalnb.engine.faults import AggregationRefusal, RuntimeFault, StructuralFailure
from evalnb.engine.lazy_names import lazy_names
from evalnb.version import __version__

if TYPE_CHECKING:
    from evalnb import adapters, trajectory as trajectories
    from evalnb.api import (
        aggregate_strength,
        compare_dominance,
        compile,
        coverage,
        digest,
        preflight,
        probe,
        probe_async,
        resolve_check,
        run,
        score,
        seal,
    )
    from evalnb.corpora import Comparison, Corpus, compare, open_corpus
    from evalnb.corpus import example, examples
    from evalnb.evaluation import Evaluation, EvaluationRun, open_evaluation
    from evalnb.files import FileProblem
    from evalnb.harness import measure, open_measurement, open_measurements
    from evalnb.harness.gateway.front import evaluate
    from evalnb.view import charts, frames, tables, words
    from evalnb.widgets import explore, label

__all__ = [
    "AggregationRefusal",
    "Comparison",
    "Corpus",
    "Evaluation",
    "EvaluationRun",
    "FileProblem",
    "RuntimeFault",
    "StructuralFailure",
    "__version__",
    "adapters",
    "aggregate_strength",
    "charts",
    "compare",
    "compare_dominance",
    "compile",
    "coverage",
    "digest",
    "evaluate",
    "example",
    "examples",
    "explore",
    "frames",
    "label",
    "measure",
    "open_corpus",
    "open_evaluation",
    "open_measurement",
    "open_measurements",
    "preflight",
    "probe",
    "probe_async",
    "resolve_check",
    "run",
    "score",
    "seal",
    "tables",
    "trajectories",
    "words",
]

# Importing the package stays light: a name loads its module on first use.
__getattr__ = lazy_names(
    __name__,
    {
        "evalnb.api": (
            "aggregate_strength",
            "compare_dominance",
            "compile",
            "coverage",
            "digest",
            "preflight",
            "probe",
            "probe_async",
            "resolve_check",
            "run",
            "score",
            "seal",
        ),
        "evalnb.corpora": ("Comparison", "Corpus", "compare", "open_corpus"),
        "evalnb.corpus": ("example", "examples"),
        "evalnb.evaluation": ("Evaluation", "EvaluationRun", "open_evaluation"),
        "evalnb.files": ("FileProblem",),
        "evalnb.harness.gateway.front": ("evaluate",),
        "evalnb.harness": ("measure", "open_measurement", "open_measurements"),
        "evalnb.widgets": ("explore", "label"),
    },
    {
        "adapters": "evalnb.adapters",
        "charts": "evalnb.view.charts",
        "frames": "evalnb.view.frames",
        "tables": "evalnb.view.tables",
        "trajectories": "evalnb.trajectory",
        "words": "evalnb.view.words",
    },
)

if "IPython" in sys.modules:
    from evalnb.display import register

    register()


def __dir__() -> list[str]:
    return sorted(__all__)

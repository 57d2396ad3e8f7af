"""evalnb measures evaluations: what a contract claims, what it can see, and which planted defects it catches.

>>> import evalnb as ev
>>> ev.compile("contract.json")          # doctest: +SKIP
>>> ev.run("my-evaluation", out="out")   # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evalnb.engine.faults import AggregationRefusal, RuntimeFault, StructuralFailure
from evalnb.files import FileProblem
from evalnb.version import __version__

if TYPE_CHECKING:
    from evalnb.api import (
        aggregate_strength,
        compare_dominance,
        compile,
        coverage,
        digest,
        preflight,
        resolve_check,
        run,
        score,
        seal,
    )
    from evalnb.corpus import example, examples
    from evalnb.evaluation import Evaluation, EvaluationRun, open_evaluation

__all__ = [
    "AggregationRefusal",
    "Evaluation",
    "EvaluationRun",
    "FileProblem",
    "RuntimeFault",
    "StructuralFailure",
    "__version__",
    "aggregate_strength",
    "compare_dominance",
    "compile",
    "coverage",
    "digest",
    "example",
    "examples",
    "open_evaluation",
    "preflight",
    "resolve_check",
    "run",
    "score",
    "seal",
]

# Public names are loaded from their modules on first use, so that importing the package stays light.
_HOMES = {
    "evalnb.api": (
        "aggregate_strength",
        "compare_dominance",
        "compile",
        "coverage",
        "digest",
        "preflight",
        "resolve_check",
        "run",
        "score",
        "seal",
    ),
    "evalnb.corpus": ("example", "examples"),
    "evalnb.evaluation": ("Evaluation", "EvaluationRun", "open_evaluation"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'evalnb' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

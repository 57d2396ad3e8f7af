"""Every frame has the columns it says it has, with their types, whether it holds rows or not."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from evalnb.corpora import Corpus, compare
from evalnb.corpora.comparison import Comparison
from evalnb.engine.artifacts import EvalContract
from evalnb.evaluation import EvaluationRun
from evalnb.harness import MeasurementStudy, open_measurements
from evalnb.trajectory.reviewing import review_of
from evalnb.view import frames
from evalnb.view.frames.columns import Column, Vocabulary, columns_of, frame
from tests.view.recorded import calibrations, example

SOURCES: dict[str, str] = {
    "behaviors": "contract",
    "citations": "run",
    "compile_results": "contracts",
    "corpus_entries": "corpus",
    "corpus_strength": "comparison",
    "corpus_summary": "corpus",
    "coverage": "contracts",
    "defects": "run",
    "dispositions": "run",
    "dominance": "comparison",
    "findings": "run",
    "observations": "run",
    "only_caught_by": "comparison",
    "operations": "contract",
    "oracles": "contract",
    "outcomes": "run",
    "paired": "comparison",
    "preflight_checks": "verdict",
    "probe_results": "comparison",
    "quotations": "run",
    "reduced_outcomes": "run",
    "caveats": "comparison",
    "refusals": "comparison",
    "steps": "contract",
    "strength": "run",
    "timeline": "run",
    "verdict_basis": "run",
    "grader_agreement": "calibrations",
    "grader_confusion": "calibrations",
    "grader_disagreements": "calibrations",
    "grader_drift": "calibrations",
    "grader_slices": "calibrations",
    "gate_reasons": "review",
    "graded_runs": "review",
    "hard_gates": "review",
    "import_report": "review",
    "label_disagreements": "review",
    "layer_rates": "review",
    "release_comparison": "review",
    "run_events": "review",
    "run_findings": "review",
    "run_measures": "review",
    "slice_rates": "review",
    "tool_calls": "review",
    "trial_rates": "review",
    "before_after": "study",
    "measurements": "study",
    "mutant_rates": "study",
    "mutants": "study",
    "oracle_catches": "study",
    "survivors": "study",
}
WITHOUT_RUNS = ("hard_gates", "layer_rates")
"""Frames that have rows even of no run: every gate there is, and both outcomes."""


@pytest.fixture(scope="module")
def full(run: EvaluationRun, contract: EvalContract) -> dict[str, Any]:
    corpus = Corpus.of_run("one", run)
    return {
        "run": run,
        "contract": contract,
        "contracts": [contract],
        "verdict": run.preflight,
        "corpus": corpus,
        "comparison": compare([corpus, Corpus.of("two", list(corpus.evidence)[:2])], only_shared=True),
        "review": example(),
        "calibrations": calibrations(),
        "study": open_measurements(),
    }


@pytest.fixture(scope="module")
def empty(run: EvaluationRun, contract: EvalContract) -> dict[str, Any]:
    nothing = {"behaviors": (), "oracles": (), "permitted_interfaces": (), "interaction_plan": ()}
    return {
        "run": (),
        "contract": contract.model_copy(update=nothing),
        "contracts": [],
        "verdict": run.preflight.model_copy(update={"checks": ()}),
        "corpus": Corpus("empty", ()),
        "comparison": Comparison(("a", "b"), "material", 0.95, ()),
        "review": review_of(()),
        "calibrations": (),
        "study": MeasurementStudy("nothing", ()),
    }


def of(name: str, source: Any) -> pd.DataFrame:
    function: Callable[[Any], pd.DataFrame] = getattr(frames, name)
    return function(source)


def assert_as_declared(made: pd.DataFrame, name: str) -> None:
    columns = columns_of(name)
    assert list(made.columns) == [column.name for column in columns]
    for column in columns:
        dtype = made[column.name].dtype
        if isinstance(column.dtype, Vocabulary):
            assert isinstance(dtype, pd.CategoricalDtype)
            assert (tuple(dtype.categories), dtype.ordered) == (column.dtype.terms, column.dtype.ordered)
        else:
            assert str(dtype) == column.dtype


def test_every_public_frame_is_tested_here() -> None:
    assert sorted(SOURCES) == sorted(frames.__all__)


@pytest.mark.parametrize("name", SOURCES)
def test_a_full_frame_has_its_columns_and_types(name: str, full: dict[str, Any]) -> None:
    made = of(name, full[SOURCES[name]])
    assert_as_declared(made, name)
    assert len(made) or name in ("caveats", "refusals", "only_caught_by", "label_disagreements"), (
        "the example has something to show in every frame"
    )


@pytest.mark.parametrize("name", SOURCES)
def test_an_empty_frame_has_the_same_columns_and_types(name: str, empty: dict[str, Any]) -> None:
    made = of(name, empty[SOURCES[name]])
    assert_as_declared(made, name)
    assert made.empty or name in WITHOUT_RUNS


@pytest.mark.parametrize("name", SOURCES)
def test_the_docstring_holds_a_table_of_the_columns(name: str) -> None:
    text = inspect.getdoc(getattr(frames, name))
    assert text is not None
    for column in columns_of(name):
        assert re.search(rf"^{column.name} +{re.escape(str(column.dtype))} +{re.escape(column.meaning)}$", text, re.M)


def test_names_are_words_joined_by_underscores_and_meanings_are_said() -> None:
    for name in SOURCES:
        for column in columns_of(name):
            assert re.fullmatch(r"[a-z]+[0-9]*(_[a-z]+)*", column.name)
            assert column.meaning


def test_a_term_outside_the_vocabulary_is_refused() -> None:
    state = Column("state", Vocabulary(("held", "violated")), "a state")
    with pytest.raises(ValueError, match="state cannot be 'lost'"):
        frame((state,), [{"state": "held"}, {"state": "lost"}])


@pytest.mark.parametrize("row", [{}, {"a": 1, "b": 2}])
def test_a_row_with_other_columns_is_refused(row: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="too many or too few"):
        frame((Column("a", "Int64", "a number"),), [row])


def test_severities_are_in_order() -> None:
    severity = frame(
        (Column("severity", frames.vocabularies.SEVERITIES, "how much it matters"),),
        [{"severity": "critical"}, {"severity": None}, {"severity": "low"}, {"severity": "material"}],
    )["severity"]
    assert severity.sort_values().tolist()[:3] == ["low", "material", "critical"]
    assert (severity >= "material").sum() == 2

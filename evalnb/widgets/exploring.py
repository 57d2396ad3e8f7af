"""Looks into a contract, an evaluation, its run, a comparison of corpora, or recorded runs of an agent."""

from __future__ import annotations

from typing import Any, TypeAlias

from evalnb.corpora import Comparison
from evalnb.engine.artifacts import EvalContract
from evalnb.engine.compile import compile_contract
from evalnb.evaluation import Evaluation, EvaluationRun
from evalnb.widgets.comparison.topic import ComparisonTopic
from evalnb.widgets.contract.topic import ContractTopic
from evalnb.widgets.run.pending import EvaluationTopic
from evalnb.widgets.run.topic import RunTopic
from evalnb.widgets.surface import Surface
from evalnb.widgets.topic import Topic
from evalnb.widgets.trajectory.form import RECORDED, Recorded, trajectory_topic

Explored: TypeAlias = "EvalContract | Evaluation | EvaluationRun | Comparison | Recorded | dict[str, Any]"


def explore(subject: Explored) -> Surface:
    """A widget to look into `subject`; in a page without widgets it is a card and a table.

    A raw contract is compiled first, an evaluation is run while the widget already stands. Arrow keys walk every list
    and tree, typing searches it. The reader's place (what is chosen, opened and filtered) is kept in the kernel under
    the digest of the contract, the run or the corpora, so that running the cell again comes back to it.

    Raises `TypeError` for anything else, and what compiling a raw contract raises.
    """
    return _begin(Surface(topic_of(subject)))


def topic_of(subject: Explored) -> Topic:
    """What a widget of `subject` would be about."""
    if isinstance(subject, dict):
        subject = compile_contract(subject)
    if isinstance(subject, EvalContract):
        return ContractTopic(subject)
    if isinstance(subject, EvaluationRun):
        return RunTopic(subject)
    if isinstance(subject, Evaluation):
        return EvaluationTopic(subject)
    if isinstance(subject, Comparison):
        return ComparisonTopic(subject)
    if isinstance(subject, RECORDED):
        return trajectory_topic(subject)
    takes = "a contract, an evaluation, a run, a comparison or recorded runs"
    raise TypeError(f"explore takes {takes}, not a {type(subject).__name__}")


def _begin(surface: Surface) -> Surface:
    if isinstance(surface.topic, EvaluationTopic):
        surface.topic.begin(surface.refresh)
    return surface

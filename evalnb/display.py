"""Shows artifacts, runs and failures as cards in a notebook. Importing this loads nothing of the view.

Formatters are known to IPython by the name of a type; what makes the card is loaded when one is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final

from evalnb.engine.faults import EvaluationFailure
from evalnb.files import FileProblem

__all__ = ["one_line", "register"]

_CARDS: Final = (
    ("evalnb.engine.artifacts.contract", "EvalContract"),
    ("evalnb.engine.artifacts.brief", "SealedEvaluatorBrief"),
    ("evalnb.engine.artifacts.preflight_verdict", "PreflightVerdict"),
    ("evalnb.engine.artifacts.evidence", "ProductionEvidence"),
    ("evalnb.engine.artifacts.evidence", "ContractScoringEvidence"),
    ("evalnb.engine.artifacts.aggregate", "StrengthAggregate"),
    ("evalnb.engine.coverage.report", "CoverageReport"),
    ("evalnb.engine.scoring", "ScoreResult"),
    ("evalnb.evaluation.folder", "Evaluation"),
    ("evalnb.evaluation.run", "EvaluationRun"),
    ("evalnb.corpora.corpus", "Corpus"),
    ("evalnb.corpora.comparison", "Comparison"),
    ("evalnb.harness.measurement", "Measurement"),
    ("evalnb.harness.study", "MeasurementStudy"),
    ("evalnb.harness.study", "StudiedSurvivor"),
    ("evalnb.harness.study", "Survivors"),
    ("evalnb.trajectory.reviewing", "Review"),
    ("evalnb.trajectory.reviewing", "ReviewedRun"),
    ("evalnb.trajectory.reviewing", "WorstRuns"),
    ("evalnb.engine.faults", "StructuralFailure"),
    ("evalnb.engine.faults", "RuntimeFault"),
    ("evalnb.engine.faults", "AggregationRefusal"),
    ("evalnb.files", "FileProblem"),
)
"""The types that are shown as cards."""

_LINES: Final[dict[str, Callable[[Any], str]]] = {
    "EvalContract": lambda one: (
        f"{one.contract_id}: {len(one.behaviors)} behaviors, {len(one.oracles)} oracles, "
        f"{len(one.interaction_plan)} steps, {len(one.permitted_interfaces)} interfaces"
    ),
    "SealedEvaluatorBrief": lambda one: f"{len(one.directions)} directions, of contract {one.contract_digest[:19]}",
    "PreflightVerdict": lambda one: (
        f"{one.run_id}: {'passed' if one.passed else 'failed'}, {len(one.checks)} checks, "
        f"{sum(check.outcome == 'failed' for check in one.checks)} failed"
    ),
    "ProductionEvidence": lambda one: _evidence(one, one.production_verdict),
    "ContractScoringEvidence": lambda one: _evidence(one, one.contract_verdict),
    "StrengthAggregate": lambda one: f"{len(one.inputs)} evidence artifacts; {_classes(one.classes)}",
    "SealedRunRecord": lambda one: (
        f"{one.run_id} trial {one.trial_index}: {len(one.observations)} observations, {len(one.findings)} findings"
    ),
    "CleanProbe": lambda one: f"{one.probe_id}: clean control for {one.behavior_id}",
    "SeededProbe": lambda one: f"{one.probe_id}: {one.probe_class}, {len(one.defects)} defects for {one.behavior_id}",
    "ScoringPolicy": lambda one: f"{one.policy_id}: severity floor {one.severity_floor}",
    "CheckResolution": lambda one: f"{one.resolution}, {len(one.children)} children",
    "CoverageReport": lambda one: f"{sum(rule.is_gap for rule in one.rules)} gaps in {len(one.rules)} rules",
    "ScoreResult": lambda one: f"{one.ladder.verdict or 'INVALID'}; exit {one.ladder.exit_code}",
}
"""The one line of types whose own `repr` is their whole content."""

_LINE_HOMES: Final = (
    ("evalnb.engine.artifacts.record", "SealedRunRecord"),
    ("evalnb.engine.artifacts.probe", "CleanProbe"),
    ("evalnb.engine.artifacts.probe", "SeededProbe"),
    ("evalnb.engine.artifacts.policy", "ScoringPolicy"),
    ("evalnb.engine.artifacts.evidence", "CheckResolution"),
)


def one_line(shown: Any) -> str:
    """What an object is, in one line that says something; its `repr` where that already does."""
    name = type(shown).__name__
    describe = _LINES.get(name)
    if describe is None or not type(shown).__module__.startswith("evalnb."):
        return repr(shown)
    return f"{name}({' '.join(describe(shown).splitlines())})"


def register(shell: Any = None) -> bool:
    """Make a running IPython show evalnb's artifacts as cards and its failures without a traceback.

    Returns whether there was an IPython; outside of one nothing happens. Safe to call again.
    """
    shell = _running_shell() if shell is None else shell
    if shell is None:
        return False
    html = shell.display_formatter.formatters["text/html"]
    text = shell.display_formatter.formatters["text/plain"]
    for module, name in _CARDS:
        html.for_type_by_name(module, name, _card_markup)
    for module, name in (*_CARDS, *_LINE_HOMES):
        if name in _LINES:
            text.for_type_by_name(module, name, _print_line)
    _show_failures(shell)
    return True


def _running_shell() -> Any:
    if "IPython" not in sys.modules:
        return None
    return sys.modules["IPython"].get_ipython()


def _card_markup(shown: Any) -> str:
    from evalnb.view.cards import card

    return str(card(shown))


def _print_line(shown: Any, printer: Any, cycle: bool) -> None:
    printer.text(f"{type(shown).__name__}(...)" if cycle else one_line(shown))


def _show_failures(shell: Any) -> None:
    """Take over failures of ours, and leave those that somebody else took over to them."""
    ours = (EvaluationFailure, FileProblem)
    others = tuple(one for one in shell.custom_exceptions if not issubclass(one, ours))
    previous = shell.CustomTB if others else None

    def show(
        shell: Any,
        kind: type[BaseException],
        failure: BaseException,
        traceback: TracebackType,
        tb_offset: int | None = None,
    ) -> list[str] | None:
        if not isinstance(failure, ours) and previous is not None:
            previous(kind, failure, traceback, tb_offset=tb_offset)
            return None
        return _show_failure(shell, kind, failure)

    shell.set_custom_exc((*ours, *others), show)


def _show_failure(shell: Any, kind: type[BaseException], failure: BaseException) -> list[str]:
    from evalnb.view.cards.failures import failure_text

    text = failure_text(failure)
    if getattr(shell, "kernel", None) is not None:
        shell.display_pub.publish({"text/html": _card_markup(failure), "text/plain": text})
    # An error is still an error: the cell has failed, and whoever runs the notebook must see that.
    shell._showtraceback(kind, failure, [text])
    sys.last_type, sys.last_value, sys.last_traceback = kind, failure, failure.__traceback__
    return [text]


def _evidence(evidence: Any, verdict: str) -> str:
    states = [outcome.state for outcome in evidence.outcomes]
    counted = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    return f"{evidence.scored_probe_id or 'no probe'}: {verdict}; {counted or 'no outcomes'}"


def _classes(classes: Any) -> str:
    named = (("defect", classes.defect), ("gameability", classes.gameability), ("zero-action", classes.zero_action))
    return ", ".join(f"{name} {one.caught} of {one.exercised}" for name, one in named if one is not None) or "no class"

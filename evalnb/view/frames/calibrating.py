"""How a grader of a user's own agrees with people: label against label, kappa, by part, by run, by version."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TypeAlias

import pandas as pd

from evalnb.trajectory.calibration import Calibration, drift, may_decide
from evalnb.trajectory.gate_policy import GatePolicy
from evalnb.view.frames.columns import COUNT, FLAG, NUMBER, TEXT, Column, frame, tabulated

Calibrations: TypeAlias = "Calibration | Iterable[Calibration]"

_GRADER = (
    Column("grader", TEXT, "the grader"),
    Column("version", TEXT, "its version"),
)
GRADER_CONFUSION = (
    *_GRADER,
    Column("human", TEXT, "what people said"),
    Column("said", TEXT, "what the grader said"),
    Column("runs", COUNT, "of how many runs"),
    Column("agrees", FLAG, "whether both said the same"),
)
GRADER_AGREEMENT = (
    *_GRADER,
    Column("n", COUNT, "runs that both judged"),
    Column("agree", COUNT, "runs on which they agree"),
    Column("rate", NUMBER, "the share of those"),
    Column("kappa", NUMBER, "Cohen's kappa, -1 to 1; missing where it is not defined"),
    Column("low", NUMBER, "lower end of its interval"),
    Column("high", NUMBER, "upper end of its interval"),
    Column("floor", NUMBER, "what the policy asks of the lower end; missing where it asks nothing"),
    Column("may_decide", FLAG, "whether its findings may decide a gate by that policy"),
)
GRADER_SLICES = (
    *_GRADER,
    Column("key", TEXT, "what the runs are cut by"),
    Column("value", TEXT, "the part"),
    Column("agree", COUNT, "runs on which they agree"),
    Column("n", COUNT, "runs that both judged"),
    Column("rate", NUMBER, "the share of those"),
    Column("low", NUMBER, "lower end of the Wilson interval"),
    Column("high", NUMBER, "upper end of the Wilson interval"),
    Column("small", FLAG, "whether n is too small to read the rate without its interval"),
)
GRADER_DISAGREEMENTS = (
    *_GRADER,
    Column("run_id", TEXT, "a run on which they differ"),
    Column("human", TEXT, "what people said"),
    Column("said", TEXT, "what the grader said"),
)

GRADER_DRIFT = (
    Column("grader", TEXT, "the grader"),
    Column("older", TEXT, "a version"),
    Column("newer", TEXT, "the version behind it, in the order given"),
    Column("runs", COUNT, "runs that people labelled and both versions judged"),
    Column("changed", COUNT, "runs of which the two say something else"),
    Column("became_right", COUNT, "runs on which only the newer agrees with people"),
    Column("became_wrong", COUNT, "runs on which only the older does"),
    Column("p_value", NUMBER, "McNemar's exact test of agreeing, two-sided; missing without a run"),
)


@tabulated(GRADER_CONFUSION)
def grader_confusion(calibrations: Calibrations) -> pd.DataFrame:
    """One row a pair of labels of a grader, those that never met included."""
    return frame(
        GRADER_CONFUSION,
        (
            {
                **_grader(one),
                "human": cell.human,
                "said": cell.grader,
                "runs": cell.count,
                "agrees": cell.human == cell.grader,
            }
            for one in _each(calibrations)
            for cell in one.confusion
        ),
    )


@tabulated(GRADER_AGREEMENT)
def grader_agreement(calibrations: Calibrations, policy: GatePolicy | None = None) -> pd.DataFrame:
    """One row a grader and version. Without `policy` no grader may decide anything."""
    asked = {} if policy is None else {rule.grader: rule for rule in policy.graders}
    rows = []
    for one in _each(calibrations):
        rule = asked.get(one.grader)
        enough = rule is not None and one.n >= rule.minimum_labels and may_decide(one, rule.minimum_kappa)
        rows.append(
            {
                **_grader(one),
                "n": one.n,
                "agree": one.agreement.count,
                "rate": one.agreement.value,
                "kappa": one.kappa,
                "low": one.kappa_low,
                "high": one.kappa_high,
                "floor": None if rule is None else rule.minimum_kappa,
                "may_decide": enough,
            }
        )
    return frame(GRADER_AGREEMENT, rows)


@tabulated(GRADER_SLICES)
def grader_slices(calibrations: Calibrations) -> pd.DataFrame:
    """One row a part of the runs that a grader and people both judged."""
    return frame(
        GRADER_SLICES,
        (
            {
                **_grader(one),
                "key": part.key,
                "value": part.value,
                "agree": part.agreement.count,
                "n": part.agreement.n,
                "rate": part.agreement.value,
                "low": part.agreement.low,
                "high": part.agreement.high,
                "small": part.agreement.small,
            }
            for one in _each(calibrations)
            for part in one.slices
        ),
    )


@tabulated(GRADER_DISAGREEMENTS)
def grader_disagreements(calibrations: Calibrations) -> pd.DataFrame:
    """One row a run on which a grader and people differ."""
    return frame(
        GRADER_DISAGREEMENTS,
        (
            {**_grader(one), "run_id": run.run_id, "human": run.human, "said": run.grader}
            for one in _each(calibrations)
            for run in one.disagreements
        ),
    )


@tabulated(GRADER_DRIFT)
def grader_drift(calibrations: Calibrations) -> pd.DataFrame:
    """One row a pair of versions of one grader that follow each other."""
    rows = []
    latest: dict[str, Calibration] = {}
    for one in _each(calibrations):
        older = latest.get(one.grader)
        latest[one.grader] = one
        if older is not None:
            moved = drift(older.labelled, one.labelled)
            rows.append({"grader": one.grader, "older": older.version, "newer": one.version, **asdict(moved)})
    return frame(GRADER_DRIFT, rows)


def _each(calibrations: Calibrations) -> list[Calibration]:
    return [calibrations] if isinstance(calibrations, Calibration) else list(calibrations)


def _grader(one: Calibration) -> dict[str, object]:
    return {"grader": one.grader, "version": one.version}

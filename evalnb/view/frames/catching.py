"""How strong the contract showed itself: the catch rate of each class, and defect by defect what was caught."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from evalnb.corpora.class_counts import ClassCounts, count_evidence
from evalnb.corpora.intervals import check_confidence, wilson
from evalnb.engine.artifacts import Defect, SeededProbe, StrengthAggregate
from evalnb.engine.artifacts.evidence import Outcome, ReducedProbeOutcome
from evalnb.engine.score.strength import STRENGTH_CLASSES
from evalnb.evaluation import EvaluationRun
from evalnb.view.frames.arms import RunSource, SeenArm, arms_of
from evalnb.view.frames.columns import COUNT, FLAG, NUMBER, TEXT, Column, Row, frame, joined, tabulated
from evalnb.view.frames.results import ARM, arm_cells
from evalnb.view.frames.vocabularies import (
    DEFECT_RESULTS,
    DEFECT_SOURCES,
    FLOOR_DECISIONS,
    SEVERITIES,
    STRENGTH,
)

STRENGTH_OF_CLASS = (
    Column("probe_class", STRENGTH, "the class"),
    Column("eligible", COUNT, "its probes"),
    Column("exercised", COUNT, "probes that a valid trial reached"),
    Column("caught", COUNT, "probes that were caught"),
    Column("rate", NUMBER, "caught over exercised, 0 to 1; missing where nothing was exercised"),
    Column("low", NUMBER, "lower end of the Wilson interval of the rate"),
    Column("high", NUMBER, "upper end of the Wilson interval of the rate"),
    Column("confidence", NUMBER, "how sure the interval is, 0 to 1"),
    Column("comparable", FLAG, "whether the rate may be compared; missing where no probe is eligible"),
    Column("floor", NUMBER, "the rate somebody asked for; known from an aggregate only"),
    Column("decision", FLOOR_DECISIONS, "whether the floor is reached; known from an aggregate only"),
)
DEFECTS = (
    *ARM,
    Column("defect_id", TEXT, "the planted defect; missing where the probe itself is the defect, or is not at hand"),
    Column("behavior_id", TEXT, "the behavior it breaks; known from a run only"),
    Column("summary", TEXT, "what was planted; known from a run only"),
    Column("severity", SEVERITIES, "how much it matters"),
    Column("source", DEFECT_SOURCES, "natural, or planted; known from a run only"),
    Column("result", DEFECT_RESULTS, "caught, missed, never exercised, or the run was invalid"),
    Column("caught_count", COUNT, "valid trials that caught it"),
    Column("valid_count", COUNT, "valid trials"),
    Column("caught_by", TEXT, "oracles that caught it in some trial"),
    Column("missed_by", TEXT, "oracles that let it pass in every trial: missed, abstained, bypassed or unreached"),
)

PASSED_OVER = ("missed", "abstained", "bypassed", "unreached")


@tabulated(STRENGTH_OF_CLASS)
def strength(source: RunSource | StrengthAggregate, *, confidence: float = 0.95) -> pd.DataFrame:
    """One row a class: always the three, unless there is no evidence at all.

    An aggregate is shown as it is. Evidence artifacts, also those of a run whose strength was refused, are summed,
    each probe counted as often as it was scored. `confidence` is between 0 and 1; ValueError otherwise.
    """
    check_confidence(confidence)
    if isinstance(source, EvaluationRun) and source.strength is not None:
        source = source.strength
    if isinstance(source, StrengthAggregate):
        return frame(STRENGTH_OF_CLASS, _aggregated(source, confidence))
    evidence = [arm.evidence for arm in arms_of(source) if arm.evidence is not None]
    counted = count_evidence(evidence) if evidence else ()
    return frame(
        STRENGTH_OF_CLASS,
        ({**class_cells(counts, confidence), "floor": None, "decision": None} for counts in counted),
    )


@tabulated(DEFECTS)
def defects(source: RunSource) -> pd.DataFrame:
    """One row a planted defect: what its probe was scored as, and by which oracles.

    A probe that lists no defect is one row. Clean controls and canaries hold nothing to catch and have no row.
    A probe is scored as a whole, so that the defects of one probe share their result.
    """
    return frame(DEFECTS, (row for arm in arms_of(source) for row in _defects(arm)))


def class_cells(counts: ClassCounts, confidence: float) -> dict[str, object]:
    """The cells that say how strong a contract is on one class."""
    interval = wilson(counts.caught, counts.exercised, confidence)
    return {
        "probe_class": counts.probe_class,
        "eligible": counts.eligible,
        "exercised": counts.exercised,
        "caught": counts.caught,
        "rate": counts.rate,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "confidence": confidence,
        "comparable": counts.comparable,
    }


def _aggregated(aggregate: StrengthAggregate, confidence: float) -> Iterator[Row]:
    for name in STRENGTH_CLASSES:
        attribute = name.replace("-", "_")
        measured, decision = getattr(aggregate.classes, attribute), getattr(aggregate.floor_decisions, attribute)
        counts = ClassCounts(name)
        if measured is not None:
            counts = ClassCounts(
                name, measured.eligible, measured.exercised, measured.caught, comparable=measured.comparable
            )
        yield {**class_cells(counts, confidence), "floor": decision.floor, "decision": decision.decision}


def _defects(arm: SeenArm) -> Iterator[Row]:
    if arm.probe_class not in STRENGTH.terms:
        return
    probe, evidence = arm.probe, arm.evidence
    planted: tuple[Defect | None, ...] = (probe.defects if isinstance(probe, SeededProbe) else ()) or (None,)
    reduction = next(iter(evidence.reduced_probe_outcomes), None) if evidence is not None else None
    scored = {
        "result": _result(arm, reduction),
        "caught_count": None if reduction is None else reduction.caught_count,
        "valid_count": None if reduction is None else reduction.valid_count,
        **_oracles(() if evidence is None else evidence.outcomes),
    }
    for defect in planted:
        yield {
            **arm_cells(arm),
            "defect_id": None if defect is None else defect.defect_id,
            "behavior_id": defect.behavior_id if defect is not None else None if probe is None else probe.behavior_id,
            "summary": defect.summary if defect is not None else None if probe is None else probe.rationale,
            "severity": defect.severity if defect is not None else None if reduction is None else reduction.severity,
            "source": None if defect is None else defect.source,
            **scored,
        }


def _result(arm: SeenArm, reduction: ReducedProbeOutcome | None) -> str:
    if arm.evidence is None:
        return "invalid"
    if reduction is None or not reduction.exercised:
        return "not exercised"
    return "caught" if reduction.caught else "missed"


def _oracles(outcomes: tuple[Outcome, ...]) -> dict[str, str]:
    states: dict[str, list[str]] = {}
    for outcome in outcomes:
        states.setdefault(outcome.oracle_id, []).append(outcome.state)
    return {
        "caught_by": joined(oracle for oracle, seen in states.items() if "caught" in seen),
        "missed_by": joined(oracle for oracle, seen in states.items() if all(state in PASSED_OVER for state in seen)),
    }

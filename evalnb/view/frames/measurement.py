"""What came of planting defects: every mutant, what slipped through, and what each oracle was worth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pandas as pd

from evalnb.harness.measurement import STATUSES, Measurement, MutantResult, Survivor
from evalnb.harness.mutants.catalogue import operators
from evalnb.harness.mutants.spec import USER_OPERATOR
from evalnb.harness.rates import operation_name
from evalnb.harness.study import STAGES, MeasurementStudy, StudiedMeasurement, study_of
from evalnb.view.frames.columns import COUNT, FLAG, NUMBER, TEXT, Column, Row, Vocabulary, frame, joined, tabulated
from evalnb.view.frames.vocabularies import RULES, SEVERITIES
from evalnb.view.json_view import json_line
from evalnb.view.words.expression import check_in_words

MUTANT_STATES: Final = Vocabulary(STATUSES)
STAGE: Final = Vocabulary(STAGES)
OPERATORS: Final = Vocabulary((*(operator.name for operator in operators()), USER_OPERATOR))
WORTHS: Final = Vocabulary(("alone", "redundant", "silent"))
"""Whether an oracle was the only one to catch something, caught only what others caught too, or caught nothing."""

MEASURED: Final = (
    Column("system", TEXT, "what was measured"),
    Column("stage", STAGE, "measured once, or before and after the contract was changed"),
)
MEASUREMENTS = (
    *MEASURED,
    Column("operators", COUNT, "operators that applied; a person's own defects are one more"),
    Column("mutants", COUNT, "defects that were planted"),
    Column("judged", COUNT, "defects that could be judged: caught or missed"),
    Column("caught", COUNT, "defects that some oracle caught"),
    Column("rate", NUMBER, "caught of judged, 0 to 1; missing where nothing was judged"),
    Column("low", NUMBER, "lower end of the Wilson interval of the rate, at 95%"),
    Column("high", NUMBER, "upper end of the Wilson interval of the rate, at 95%"),
    Column("missed", COUNT, "defects that slipped through"),
    Column("equivalent", COUNT, "defects that made no difference anybody could observe"),
    Column("unqualified", COUNT, "defects that no probe could be made of"),
    Column("unreached", COUNT, "defects that did not show in enough trials"),
    Column("broken", COUNT, "defects that ended the system or the run"),
    Column("oracles", COUNT, "oracles of the contract"),
    Column("trials", COUNT, "trials of each arm"),
    Column("notes", TEXT, "what the measurement could not look at"),
)
MUTANTS = (
    *MEASURED,
    Column("mutant_id", TEXT, "the defect"),
    Column("operator", OPERATORS, "what kind it is; `user` for a person's own"),
    Column("operation", TEXT, "where it was planted, or where it showed"),
    Column("summary", TEXT, "what is wrong"),
    Column("status", MUTANT_STATES, "what came of it"),
    Column("reasons", TEXT, "why it was not judged"),
    Column("behavior_id", TEXT, "the behavior it is counted under"),
    Column("severity", SEVERITIES, "how much that behavior matters"),
    Column("step_id", TEXT, "the step whose answer showed it"),
    Column("caught_by", TEXT, "oracles with a witnessed citation in most trials"),
    Column("votes", TEXT, "the state of each trial"),
    Column("probe_id", TEXT, "its probe"),
)
SURVIVORS = (
    *MEASURED,
    Column("mutant_id", TEXT, "the defect"),
    Column("summary", TEXT, "what is wrong"),
    Column("operator", OPERATORS, "what kind it is"),
    Column("severity", SEVERITIES, "how much the behavior matters"),
    Column("step_id", TEXT, "the step whose answer showed it"),
    Column("differing", TEXT, "where the answers differ"),
    Column("unread", TEXT, "where they differ and no oracle looks"),
    Column("rule", RULES, "the discipline rule that speaks of such defects"),
    Column("rule_satisfied", FLAG, "whether the contract keeps that rule"),
    Column("suggested_for", TEXT, "the behavior that the suggested oracle belongs to"),
    Column("suggestion", TEXT, "an oracle that would have caught it, in words"),
    Column("check", TEXT, "its check, as JSON"),
)
ORACLES = (
    *MEASURED,
    Column("oracle_id", TEXT, "the oracle"),
    Column("caught", COUNT, "defects it caught"),
    Column("alone", COUNT, "defects that nobody else caught"),
    Column("worth", WORTHS, "alone: the only catcher of something; redundant: never that; silent: caught nothing"),
)


@tabulated(MEASUREMENTS)
def measurements(source: Measurement | MeasurementStudy) -> pd.DataFrame:
    """One row a measurement."""
    return frame(MEASUREMENTS, (_measurement(one) for one in study_of(source).measurements))


@tabulated(MUTANTS)
def mutants(source: Measurement | MeasurementStudy) -> pd.DataFrame:
    """One row a planted defect and measurement, in the order they were planted."""
    return frame(
        MUTANTS,
        (_mutant(one, mutant) for one in study_of(source).measurements for mutant in one.measurement.mutants),
    )


@tabulated(SURVIVORS)
def survivors(source: Measurement | MeasurementStudy) -> pd.DataFrame:
    """One row a defect that no oracle caught, the most severe first within a measurement."""
    shown = study_of(source).survivors(most=10_000)
    return frame(
        SURVIVORS,
        (
            {
                **_measured(one.system, one.stage),
                "mutant_id": one.survivor.mutant_id,
                "summary": one.mutant.spec.summary,
                "operator": one.mutant.spec.operator,
                "severity": one.mutant.severity,
                "step_id": one.survivor.step_id,
                "differing": joined(one.survivor.differing),
                "unread": joined(one.survivor.unread),
                "rule": one.survivor.rule,
                "rule_satisfied": one.survivor.rule_satisfied,
                "suggested_for": one.survivor.suggested_for,
                **_suggested(one.survivor),
            }
            for one in shown
        ),
    )


@tabulated(ORACLES)
def oracle_catches(source: Measurement | MeasurementStudy) -> pd.DataFrame:
    """One row an oracle and measurement: what it caught, and what only it caught."""
    return frame(ORACLES, (row for one in study_of(source).measurements for row in _oracles(one)))


def _measured(system: str, stage: str) -> dict[str, object]:
    return {"system": system, "stage": stage}


def _measurement(one: StudiedMeasurement) -> Row:
    measurement = one.measurement
    counts, overall = measurement.counts, measurement.overall
    return {
        **_measured(one.system, one.stage),
        "operators": len({mutant.spec.operator for mutant in measurement.mutants} - {USER_OPERATOR}),
        "mutants": len(measurement.mutants),
        "judged": overall.scored,
        "caught": overall.caught,
        "rate": overall.rate,
        "low": overall.low,
        "high": overall.high,
        **{status: counts[status] for status in STATUSES if status != "caught"},
        "oracles": len(_oracle_ids(measurement)),
        "trials": measurement.trials,
        "notes": "; ".join(measurement.notes) or None,
    }


def _mutant(one: StudiedMeasurement, mutant: MutantResult) -> Row:
    return {
        **_measured(one.system, one.stage),
        "mutant_id": mutant.spec.mutant_id,
        "operator": mutant.spec.operator,
        "operation": operation_name(mutant),
        "summary": mutant.spec.summary,
        "status": mutant.status,
        "reasons": "; ".join(mutant.reasons) or None,
        "behavior_id": mutant.behavior_id,
        "severity": mutant.severity,
        "step_id": mutant.step_id,
        "caught_by": joined(mutant.caught_by),
        "votes": joined(mutant.votes),
        "probe_id": mutant.probe_id,
    }


def _suggested(survivor: Survivor) -> dict[str, object]:
    oracle = survivor.suggested_oracle
    if oracle is None or survivor.suggestion is None:
        return {"suggestion": None, "check": None}
    return {
        "suggestion": check_in_words(oracle).text,
        "check": json_line(survivor.suggestion["check"], 10_000),
    }


def _oracles(one: StudiedMeasurement) -> Iterator[Row]:
    caught = [mutant.caught_by for mutant in one.measurement.mutants if mutant.status == "caught"]
    for oracle_id in _oracle_ids(one.measurement):
        alone = sum(catchers == (oracle_id,) for catchers in caught)
        count = sum(oracle_id in catchers for catchers in caught)
        yield {
            **_measured(one.system, one.stage),
            "oracle_id": oracle_id,
            "caught": count,
            "alone": alone,
            "worth": "alone" if alone else "redundant" if count else "silent",
        }


def _oracle_ids(measurement: Measurement) -> list[str]:
    """Every oracle of the contract: each either caught something or is told as silent."""
    caught = (oracle for one in measurement.mutants if one.status == "caught" for oracle in one.caught_by)
    return sorted({*caught, *measurement.silent_oracles})

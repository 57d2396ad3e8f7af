"""A run as the front end paints it: the arms with their verdicts, and every outcome as one letter.

An outcome table is a string a trial, a letter an oracle in contract order; `.` stands for no outcome. Fifty thousand
outcomes are then no more than a picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import ascii_letters
from typing import Final

from evalnb.engine.artifacts import EvalContract, Outcome
from evalnb.evaluation import EvaluationRun
from evalnb.evaluation.run import ArmResult
from evalnb.view.cards.runs import class_of, planted, result_of, verdict_of
from evalnb.view.frames.vocabularies import CORROBORATIONS, DISPOSITIONS, SEVERITIES, STATES
from evalnb.view.html import visible
from evalnb.widgets.topic import Answer, line_of

NOTHING: Final = "."
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "state": tuple(STATES.terms),
    "disposition": tuple(DISPOSITIONS.terms),
    "corroboration": tuple(CORROBORATIONS.terms),
}


def outline_of(run: EvaluationRun) -> Answer:
    """Title, vocabularies, behaviors, oracles, and the arms with their outcomes."""
    contract = run.contract
    directions = {direction.oracle_id: direction.text for direction in run.brief.directions}
    verdicts = [verdict_of(arm) for arm in run.arms]
    return {
        "title": line_of(contract.contract_id),
        "runId": line_of(run.evaluation.run_id),
        "verdicts": {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)},
        "fields": {name: list(terms) for name, terms in _FIELDS.items()},
        "behaviors": [[visible(one.id), one.severity, line_of(one.description, 100)] for one in contract.behaviors],
        "oracles": [
            [
                visible(oracle.id),
                [place for place, one in enumerate(contract.behaviors) if oracle.id in one.oracles],
                line_of(directions.get(oracle.id), 140),
                severity_of(contract, oracle.id),
            ]
            for oracle in contract.oracles
        ],
        "arms": [_arm(contract, arm) for arm in run.arms],
    }


def severity_of(contract: EvalContract, oracle_id: str) -> str:
    """The highest severity of the behaviors that list an oracle; low where none does."""
    listed = [one.severity for one in contract.behaviors if oracle_id in one.oracles]
    return max(listed, key=SEVERITIES.terms.index, default="low")


def trials_of(arm: ArmResult) -> list[int]:
    """The trials of an arm, as recorded."""
    return [record.trial_index for record in arm.arm.records]


def _arm(contract: EvalContract, arm: ArmResult) -> Answer:
    probe, evidence = arm.arm.probe, arm.evidence
    oracles = {oracle.id: place for place, oracle in enumerate(contract.oracles)}
    trials = trials_of(arm)
    by_trial: dict[int, list[Outcome]] = {trial: [] for trial in trials}
    for outcome in () if evidence is None else evidence.outcomes:
        by_trial.setdefault(outcome.trial_index, []).append(outcome)
    severity = next((one.severity for one in (() if evidence is None else evidence.outcomes)), None)
    return {
        "id": visible(probe.probe_id),
        "class": class_of(probe),
        "severity": severity or (probe.defects[0].severity if probe.defects else "low"),
        "planted": line_of(planted(probe), 120),
        "verdict": verdict_of(arm),
        "result": result_of(arm),
        "trials": trials,
        **{
            name: [_letters(by_trial[trial], name, terms, oracles) for trial in trials]
            for name, terms in _FIELDS.items()
        },
    }


def _letters(outcomes: Iterable[Outcome], field: str, terms: tuple[str, ...], oracles: Mapping[str, int]) -> str:
    places = dict(zip(terms, ascii_letters, strict=False))
    row = [NOTHING] * len(oracles)
    for outcome in outcomes:
        if outcome.oracle_id in oracles:
            row[oracles[outcome.oracle_id]] = places.get(getattr(outcome, field), NOTHING)
    return "".join(row)

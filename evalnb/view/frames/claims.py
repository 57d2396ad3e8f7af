"""What evaluators reported: findings, what they cite and quote, and what they said of every oracle."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from evalnb.engine.artifacts import DefectFinding, Observation
from evalnb.view.frames.columns import COUNT, FLAG, NUMBER, TEXT, Column, Row, frame, joined, tabulated
from evalnb.view.frames.recorded import TRIAL, RecordedTrial, Records, trials_of
from evalnb.view.frames.vocabularies import CITING, DISPOSITIONS, EVIDENCE_CHANNELS, FINDING_TYPES, SEVERITIES

FINDINGS = (
    *TRIAL,
    Column("finding_id", TEXT, "the finding"),
    Column("finding_type", FINDING_TYPES, "what it claims"),
    Column("oracle_id", TEXT, "the oracle it cites"),
    Column("behavior_id", TEXT, "the behavior it is about"),
    Column("severity", SEVERITIES, "how much it matters"),
    Column("summary", TEXT, "the evaluator's words"),
    Column("confidence", NUMBER, "how sure the evaluator was, 0 to 1"),
    Column("observation_ids", TEXT, "the observations it cites"),
    Column("quotation_count", COUNT, "how many passages it quotes"),
)
CITATIONS = (
    *TRIAL,
    Column("cited_in", CITING, "a finding, or a disposition"),
    Column("finding_id", TEXT, "the finding, missing for a disposition"),
    Column("oracle_id", TEXT, "the oracle"),
    Column("observation_id", TEXT, "the observation cited"),
    Column("resolved", FLAG, "whether the record holds that observation"),
    Column("sequence", COUNT, "its place among the calls of the trial"),
    Column("operation_id", TEXT, "the operation called"),
)
QUOTATIONS = (
    *TRIAL,
    Column("finding_id", TEXT, "the finding that quotes"),
    Column("position", COUNT, "the passage's place in the finding, from 1"),
    Column("channel", EVIDENCE_CHANNELS, "where the passage is said to stand"),
    Column("artifact_id", TEXT, "the file, on the artifact channel"),
    Column("quote", TEXT, "the passage"),
)
ORACLE_DISPOSITIONS = (
    *TRIAL,
    Column("oracle_id", TEXT, "the oracle"),
    Column("disposition", DISPOSITIONS, "what the evaluator said of it"),
    Column("observation_ids", TEXT, "the observations it rests on"),
    Column("note", TEXT, "the evaluator's note"),
)


@tabulated(FINDINGS)
def findings(records: Records) -> pd.DataFrame:
    """One row a finding, in the order of the record."""
    return frame(FINDINGS, (row for trial in trials_of(records) for row in _findings(trial)))


@tabulated(CITATIONS)
def citations(records: Records) -> pd.DataFrame:
    """One row an observation that a finding or a disposition cites; also one that the record does not hold."""
    return frame(CITATIONS, (row for trial in trials_of(records) for row in _citations(trial)))


@tabulated(QUOTATIONS)
def quotations(records: Records) -> pd.DataFrame:
    """One row a passage that a finding quotes."""
    return frame(QUOTATIONS, (row for trial in trials_of(records) for row in _quotations(trial)))


@tabulated(ORACLE_DISPOSITIONS)
def dispositions(records: Records) -> pd.DataFrame:
    """One row an oracle that the evaluator spoke of."""
    return frame(
        ORACLE_DISPOSITIONS,
        (
            {
                **trial.cells,
                "oracle_id": said.oracle_id,
                "disposition": said.disposition,
                "observation_ids": joined(said.observation_ids),
                "note": said.note,
            }
            for trial in trials_of(records)
            for said in trial.record.oracle_dispositions
        ),
    )


def _findings(trial: RecordedTrial) -> Iterator[Row]:
    for finding in trial.record.findings:
        yield {
            **trial.cells,
            "finding_id": finding.finding_id,
            "finding_type": finding.finding_type,
            "oracle_id": finding.oracle_id,
            "behavior_id": finding.behavior_id,
            "severity": finding.severity,
            "summary": finding.summary,
            "confidence": finding.confidence,
            "observation_ids": joined(finding.observation_ids),
            "quotation_count": len(finding.quoted_evidence) if isinstance(finding, DefectFinding) else 0,
        }


def _citations(trial: RecordedTrial) -> Iterator[Row]:
    record = trial.record
    held = {observation.observation_id: observation for observation in record.observations}
    for finding in record.findings:
        citing = {"cited_in": "finding", "finding_id": finding.finding_id, "oracle_id": finding.oracle_id}
        yield from (_citation(trial, citing, one, held.get(one)) for one in finding.observation_ids)
    for said in record.oracle_dispositions:
        citing = {"cited_in": "disposition", "finding_id": None, "oracle_id": said.oracle_id}
        yield from (_citation(trial, citing, one, held.get(one)) for one in said.observation_ids)


def _citation(trial: RecordedTrial, citing: Row, observation_id: str, held: Observation | None) -> Row:
    return {
        **trial.cells,
        **citing,
        "observation_id": observation_id,
        "resolved": held is not None,
        "sequence": None if held is None else held.sequence,
        "operation_id": None if held is None else held.operation_id,
    }


def _quotations(trial: RecordedTrial) -> Iterator[Row]:
    for finding in trial.record.findings:
        if not isinstance(finding, DefectFinding):
            continue
        for position, quoted in enumerate(finding.quoted_evidence, start=1):
            yield {
                **trial.cells,
                "finding_id": finding.finding_id,
                "position": position,
                "channel": quoted.channel,
                "artifact_id": quoted.artifact_id,
                "quote": quoted.quote,
            }

"""Every call that was recorded, with what it sent and what came back, and which findings rest on it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pandas as pd

from evalnb.engine.artifacts import JsonBody, Observation, TextBody
from evalnb.engine.canonical import canonical_text
from evalnb.view.frames.columns import COUNT, TEXT, Column, Row, frame, joined, tabulated
from evalnb.view.frames.recorded import TRIAL, RecordedTrial, Records, trials_of
from evalnb.view.frames.vocabularies import FINDING_TYPES, PROVENANCES, SEVERITIES

CALL = (
    *TRIAL,
    Column("sequence", COUNT, "the call's place among the calls of its trial"),
    Column("observation_id", TEXT, "the observation"),
    Column("interface_id", TEXT, "the interface called; missing where an older record names none"),
    Column("operation_id", TEXT, "the operation called"),
    Column("provenance", PROVENANCES, "whether the plan or the evaluator chose the call"),
    Column("principal", TEXT, "on whose behalf"),
    Column("answer", TEXT, "the answer in a word: a status, an exit code, or what came back"),
)
OBSERVATIONS = (
    *CALL,
    Column("inputs", TEXT, "what was sent, as JSON by input channel"),
    Column("response_status", COUNT, "the HTTP status"),
    Column("exit_code", COUNT, "the exit code of a command"),
    Column("response_body", TEXT, "the response body as JSON"),
    Column("response_headers", TEXT, "the response headers as JSON"),
    Column("stdout", TEXT, "what a command wrote to standard output, JSON or text"),
    Column("stderr", TEXT, "what a command wrote to standard error, JSON or text"),
    Column("artifacts", TEXT, "the files a command wrote, as JSON"),
    Column("cited_by", TEXT, "the findings that cite it"),
)
TIMELINE = (
    *CALL,
    Column("finding_id", TEXT, "a finding that cites it; missing for a call nothing cites"),
    Column("finding_type", FINDING_TYPES, "what the finding claims"),
    Column("oracle_id", TEXT, "the oracle the finding cites"),
    Column("severity", SEVERITIES, "how much the finding matters"),
    Column("summary", TEXT, "the finding in the evaluator's words"),
)


@tabulated(OBSERVATIONS)
def observations(records: Records) -> pd.DataFrame:
    """One row a recorded call, in the order of its trial."""
    return frame(OBSERVATIONS, (row for trial in trials_of(records) for row in _observations(trial)))


@tabulated(TIMELINE)
def timeline(records: Records) -> pd.DataFrame:
    """One row a recorded call and finding that cites it; a call that nothing cites is one row."""
    return frame(TIMELINE, (row for trial in trials_of(records) for row in _timeline(trial)))


def in_sequence(trial: RecordedTrial) -> list[Observation]:
    """The calls of a trial in the order they were made."""
    return sorted(trial.record.observations, key=lambda observation: observation.sequence)


def _observations(trial: RecordedTrial) -> Iterator[Row]:
    cited: dict[str, list[str]] = {}
    for finding in trial.record.findings:
        for observation_id in dict.fromkeys(finding.observation_ids):
            cited.setdefault(observation_id, []).append(finding.finding_id)
    for observation in in_sequence(trial):
        sent = {channel: value for channel, value in vars(observation.call_inputs).items() if value is not None}
        yield {
            **_call(trial, observation),
            "inputs": json_text(sent),
            "response_status": observation.response_status,
            "exit_code": observation.exit_code,
            "response_body": None if _has_no_response(observation) else json_text(observation.response_body),
            "response_headers": _optional_json(observation.response_headers),
            "stdout": body_text(observation.stdout),
            "stderr": body_text(observation.stderr),
            "artifacts": json_text({name: body_text(body) for name, body in observation.artifacts.items()})
            if observation.artifacts
            else None,
            "cited_by": joined(cited.get(observation.observation_id, ())),
        }


def _timeline(trial: RecordedTrial) -> Iterator[Row]:
    for observation in in_sequence(trial):
        call = _call(trial, observation)
        citing = [one for one in trial.record.findings if observation.observation_id in one.observation_ids]
        for finding in citing or (None,):
            yield {
                **call,
                "finding_id": None if finding is None else finding.finding_id,
                "finding_type": None if finding is None else finding.finding_type,
                "oracle_id": None if finding is None else finding.oracle_id,
                "severity": None if finding is None else finding.severity,
                "summary": None if finding is None else finding.summary,
            }


def body_text(body: object) -> str | None:
    """An observed body as text; None where there was none."""
    if isinstance(body, JsonBody):
        return json_text(body.value)
    return body.value if isinstance(body, TextBody) else None


def json_text(value: object) -> str:
    """A value on one line, keys in the order they were recorded."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        # A recorded value may nest deeper than the standard encoder calls itself; its keys are then sorted.
        return canonical_text(value, "Observation")


def _optional_json(value: object) -> str | None:
    return None if value is None else json_text(value)


def _has_no_response(observation: Observation) -> bool:
    """A command answers on its streams; its record holds null where another interface has a response body."""
    return observation.response_body is None and observation.exit_code is not None


def _call(trial: RecordedTrial, observation: Observation) -> Row:
    return {
        **trial.cells,
        "sequence": observation.sequence,
        "observation_id": observation.observation_id,
        "interface_id": observation.interface_id or None,
        "operation_id": observation.operation_id,
        "provenance": observation.provenance,
        "principal": observation.principal,
        "answer": _answer(observation),
    }


def _answer(observation: Observation) -> str:
    if observation.response_status is not None:
        return str(observation.response_status)
    if observation.exit_code is not None:
        return f"exit {observation.exit_code}"
    return "no answer" if observation.response_body is None else "answered"

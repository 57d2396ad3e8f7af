"""Sealed run records as frames: calls, findings, citations and quotations."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from evalnb.engine.artifacts import SEALED_RUN_RECORD, SealedRunRecord, read
from evalnb.evaluation import EvaluationRun
from evalnb.view import frames


@pytest.fixture(scope="module")
def record(run: EvaluationRun) -> SealedRunRecord:
    return run.arms[0].arm.records[0]


def changed(record: SealedRunRecord, **fields: object) -> SealedRunRecord:
    made: SealedRunRecord = read(SEALED_RUN_RECORD, {**record.document, **fields})
    return made


def test_a_call_shows_what_was_sent_and_answered(record: SealedRunRecord) -> None:
    row = frames.observations(record).set_index("observation_id").loc["obs-002"]
    assert (row["sequence"], row["operation_id"], row["answer"], row["response_status"]) == (
        2,
        "list-tickets",
        "200",
        200,
    )
    assert json.loads(row["inputs"]) == {"query": {"limit": 20, "status": "open"}}
    assert json.loads(row["response_body"])["count"] == 6
    assert pd.isna(row["stdout"])


def test_calls_stand_in_the_order_they_were_made(record: SealedRunRecord) -> None:
    turned = changed(record, observations=record.document["observations"][::-1])
    assert frames.observations(turned)["sequence"].is_monotonic_increasing


def test_a_call_names_the_findings_that_cite_it(run: EvaluationRun) -> None:
    found = frames.observations(run)
    cited = found[(found["probe_id"] == "P-001") & (found["trial_index"] == 1) & (found["cited_by"] != "")]
    assert cited[["observation_id", "cited_by"]].to_numpy().tolist() == [["obs-003", "F-001"]]


def test_a_deeply_nested_answer_is_shown(record: SealedRunRecord) -> None:
    nested: object = 1
    for _ in range(1000):
        nested = [nested]
    first, *rest = record.observations
    deep = record.model_copy(update={"observations": (first.model_copy(update={"response_body": nested}), *rest)})
    assert len(frames.observations(deep)["response_body"].iloc[0]) == 2001


def test_the_timeline_has_a_row_for_each_citing_finding_and_for_uncited_calls(record: SealedRunRecord) -> None:
    twice = {**record.document["findings"][0], "findingId": "F-002"}
    found = frames.timeline(changed(record, findings=[*record.document["findings"], twice]))
    assert found.loc[found["observation_id"] == "obs-003", "finding_id"].tolist() == ["F-001", "F-002"]
    assert found["finding_id"].isna().sum() == len(record.observations) - 1


def test_a_finding_is_told_with_its_confidence(record: SealedRunRecord) -> None:
    row = frames.findings(record).iloc[0]
    assert (row["finding_type"], row["oracle_id"], row["severity"], row["confidence"], row["quotation_count"]) == (
        "defect",
        "O-001",
        "critical",
        1.0,
        2,
    )


def test_a_citation_of_what_the_record_does_not_hold_is_unresolved(record: SealedRunRecord) -> None:
    finding = {**record.document["findings"][0], "observationIds": ["obs-003", "obs-999"]}
    found = frames.citations(changed(record, findings=[finding]))
    cited = found[found["cited_in"] == "finding"].set_index("observation_id")
    assert cited["resolved"].tolist() == [True, False]
    assert (cited.loc["obs-003", "sequence"], cited.loc["obs-003", "operation_id"]) == (3, "open-ticket")
    assert cited.loc["obs-999", ["sequence", "operation_id"]].isna().all()


def test_dispositions_are_cited_for_too(record: SealedRunRecord) -> None:
    found = frames.citations(record)
    said = found[(found["cited_in"] == "disposition") & (found["oracle_id"] == "O-001")]
    disposition = frames.dispositions(record).set_index("oracle_id").loc["O-001"]
    assert ", ".join(said["observation_id"]) == disposition["observation_ids"]
    assert disposition["disposition"] == "violated"


def test_a_quotation_keeps_its_words(record: SealedRunRecord) -> None:
    assert frames.quotations(record)["quote"].tolist() == ['"team":"front-desk"', '"priority":"normal"']


def test_a_record_on_its_own_is_placed_by_its_findings(record: SealedRunRecord) -> None:
    assert frames.observations(record)["probe_id"].unique().tolist() == ["P-001"]
    assert frames.observations(changed(record, findings=[]))["probe_id"].isna().all()

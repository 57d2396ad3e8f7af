"""A run as frames: outcomes, reductions, reasons, strength and defects, with invalid arms among them."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import evalnb as ev
from evalnb.engine.artifacts import PreflightVerdict
from evalnb.evaluation import EvaluationRun
from evalnb.view import frames


@pytest.fixture(scope="module")
def run_without_reset(run: EvaluationRun) -> EvaluationRun:
    """The run with its first arm scored against a pre-flight that failed, which makes the arm invalid."""
    first = run.arms[0]
    failed = {**run.preflight.document, "passed": False}
    evaluation = run.evaluation
    score = ev.score(
        list(first.arm.records),
        contract=run.contract,
        probe=first.arm.probe,
        preflight_verdict=failed,
        policy=evaluation.policy,
        corpus_digest=evaluation.corpus_digest,
        isolation_manifest=evaluation.manifest,
        evaluator_configuration=evaluation.configuration,
    )
    assert score.artifact is None
    return replace(run, arms=(replace(first, score=score), *run.arms[1:]), strength=None)


def test_an_outcome_is_an_oracle_probe_and_trial(run: EvaluationRun) -> None:
    found = frames.outcomes(run)
    assert not found.duplicated(["oracle_id", "probe_id", "trial_index"]).any()
    assert len(found) == 8 * 6 * 3
    row = found.set_index(["probe_id", "trial_index", "oracle_id"]).loc[("P-001", 1, "O-001")]
    assert (row["state"], row["disposition"], row["resolution"], row["corroboration"]) == (
        "caught",
        "violated",
        "false",
        "agrees",
    )
    assert row["behavior_ids"] == "B-001"
    assert row["observation_ids"] == "obs-003, obs-007"


def test_evidence_alone_gives_the_same_outcomes_without_the_contract(run: EvaluationRun) -> None:
    evidence = [arm.evidence for arm in run.arms if arm.evidence is not None]
    of_run, alone = frames.outcomes(run), frames.outcomes(evidence)
    assert alone["behavior_ids"].isna().all()
    pd.testing.assert_frame_equal(alone.drop(columns="behavior_ids"), of_run.drop(columns="behavior_ids"))


def test_the_votes_of_a_reduction_stand_in_trial_order(run: EvaluationRun) -> None:
    row = frames.reduced_outcomes(run).set_index("probe_id").loc["P-001"]
    assert row["votes"] == "caught, caught, confirmed"
    assert (row["caught_count"], row["valid_count"], row["caught"]) == (2, 3, True)


def test_every_arm_has_a_reason_or_passed(run: EvaluationRun) -> None:
    found = frames.verdict_basis(run)
    assert found["probe_id"].unique().tolist() == [arm.arm.probe.probe_id for arm in run.arms]
    failed = found[found["verdict"] == "FAIL"]
    assert failed["reason"].str.contains("O-005 resolved missed").all()
    assert failed["position"].tolist() == [1, 2, 3]
    assert found.loc[found["verdict"] == "PASS", ["position", "reason"]].isna().all(axis=None)


def test_an_invalid_arm_keeps_its_reason_and_leaves_no_outcome(run_without_reset: EvaluationRun) -> None:
    basis = frames.verdict_basis(run_without_reset)
    row = basis[basis["probe_id"] == "P-001"].iloc[0]
    assert (row["verdict"], row["exit_code"], row["reason"]) == ("INVALID", 3, "pre-flight verdict did not pass")
    assert "P-001" not in set(frames.outcomes(run_without_reset)["probe_id"])
    defects = frames.defects(run_without_reset).set_index("defect_id")
    assert defects.loc["D-001", "result"] == "invalid"
    assert pd.isna(defects.loc["D-001", "valid_count"])


def test_strength_is_the_aggregates_with_a_wilson_interval(run: EvaluationRun) -> None:
    row = frames.strength(run).set_index("probe_class").loc["defect"]
    assert (row["eligible"], row["exercised"], row["caught"], row["floor"], row["decision"]) == (
        3,
        3,
        2,
        0.8,
        "does-not-meet",
    )
    assert row["rate"] == pytest.approx(2 / 3)
    assert (row["low"], row["high"]) == pytest.approx((0.207655, 0.938510), abs=1e-5)


def test_strength_of_evidence_is_summed_where_there_is_no_aggregate(run: EvaluationRun) -> None:
    evidence = [arm.evidence for arm in run.arms if arm.evidence is not None]
    counted = ["probe_class", "eligible", "exercised", "caught", "rate", "low", "high", "comparable"]
    summed = frames.strength(evidence)
    pd.testing.assert_frame_equal(summed[counted], frames.strength(run)[counted])
    assert summed["decision"].isna().all()
    pd.testing.assert_frame_equal(frames.strength(replace(run, strength=None)), summed)


def test_a_class_without_a_probe_has_no_rate(run: EvaluationRun) -> None:
    evidence = run.arms[0].evidence
    assert evidence is not None
    row = frames.strength(evidence, confidence=0.9).set_index("probe_class").loc["gameability"]
    assert (row["eligible"], row["confidence"]) == (0, 0.9)
    assert row[["rate", "low", "high", "comparable"]].isna().all()


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95])
def test_a_confidence_that_is_no_share_is_refused(run: EvaluationRun, confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        frames.strength(run, confidence=confidence)


def test_a_defect_says_who_caught_it_and_who_let_it_pass(run: EvaluationRun) -> None:
    found = frames.defects(run).set_index("defect_id")
    assert found["result"].tolist() == ["caught", "caught", "missed", "caught", "caught"]
    assert (found.loc["D-003", "caught_by"], found.loc["D-003", "missed_by"]) == ("", "O-005")
    assert (found.loc["D-001", "caught_by"], found.loc["D-001", "caught_count"]) == ("O-001", 2)
    assert "P-005" not in set(found["probe_id"]), "a clean control holds nothing to catch"


def test_evidence_alone_knows_the_probe_and_not_its_defect(run: EvaluationRun) -> None:
    evidence = run.arms[2].evidence
    assert evidence is not None
    row = frames.defects(evidence).iloc[0]
    assert (row["probe_id"], row["result"], row["severity"]) == ("P-003", "missed", "material")
    assert row[["defect_id", "summary", "source", "behavior_id"]].isna().all()


def test_preflight_checks_keep_their_order(run: EvaluationRun) -> None:
    found = frames.preflight_checks(run)
    assert found["position"].tolist() == list(range(1, len(run.preflight.checks) + 1))
    assert set(found["outcome"]) == {"satisfied"}
    verdict: PreflightVerdict = run.preflight
    pd.testing.assert_frame_equal(frames.preflight_checks(verdict), found)

"""The verdict ladder against the reference table: rows, resolutions, process exit codes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from evalnb.engine.artifacts import CoverageGap, Trials
from evalnb.engine.score.conditions import (
    CrossArtifactDisagreement,
    DanglingCitation,
    DanglingDispositionCitation,
    DuplicateRecordIdentifier,
    EvaluatorConfigurationAbsent,
    EvaluatorConfigurationDigestMismatch,
    ForbiddenInputNotWithheld,
    JudgeResultUnscored,
    UnwitnessedQuotation,
)
from evalnb.engine.score.ladder import TIERS, LadderResult, climb_ladder, process_exit, rows_of
from evalnb.engine.score.outcome import OutcomeResolution
from evalnb.engine.score.scored import Assessment, LadderOutcome, LineageChainState, ScoredFinding
from tests.conformance.reference import params, rows

FILE = "verdict-ladder.json"
CASES = rows("cases", FILE)


def of_kind(kind: str) -> list[Any]:
    return params([case for case in CASES if case["kind"] == kind], source=f"{FILE} {kind}")


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def record(cls: Any, written: dict[str, Any]) -> Any:
    """A condition or quotation from its JSON form; its kind is the class."""
    values = {snake(key): tuple(value) if isinstance(value, list) else value for key, value in written.items()}
    values.pop("kind", None)
    return cls(**values)


def records(cls: Any, written: list[dict[str, Any]]) -> tuple[Any, ...]:
    return tuple(record(cls, entry) for entry in written)


def outcome(written: dict[str, Any]) -> LadderOutcome:
    return LadderOutcome(
        oracle_id=written["oracleId"],
        required=written["required"],
        severity=written["severity"],
        check_resolved=written["checkResolved"],
        resolution=record(OutcomeResolution, written["resolution"]),
    )


def assessment(written: dict[str, Any]) -> Assessment:
    state, integrity = written["outcomeState"], written["evidenceIntegrity"]
    chain = written["remediationState"]
    return Assessment(
        mode=written["mode"],
        outcomes=tuple(outcome(entry) for entry in state["outcomes"]),
        trials=Trials.model_validate(state["trials"]),
        re_execution_cap=state["reExecutionCap"],
        confidence_threshold=written["confidenceThreshold"],
        severity_floor=written["severityFloor"],
        preflight_passed=written["preflightPassed"],
        evaluator_recommendation=written["evaluatorRecommendation"],
        findings=records(ScoredFinding, written["findings"]),
        coverage_gaps=tuple(CoverageGap.model_validate(gap) for gap in written["coverageGaps"]),
        # The table names findings as no document could; the ladder reads only the name.
        uncited_defect_findings=tuple(
            SimpleNamespace(finding_id=gap["findingId"]) for gap in written["uncitedDefectFindings"]
        ),
        unwitnessed_quotations=records(UnwitnessedQuotation, state["unwitnessedQuotations"]),
        isolation_violation=tuple(integrity["isolationViolation"]),
        duplicate_record_identifiers=records(DuplicateRecordIdentifier, integrity["duplicateRecordIdentifiers"]),
        dangling_citations=records(DanglingCitation, integrity["danglingCitations"]),
        dangling_disposition_citations=records(DanglingDispositionCitation, integrity["danglingDispositionCitations"]),
        forbidden_inputs_not_withheld=records(ForbiddenInputNotWithheld, integrity["forbiddenInputsNotWithheld"]),
        cross_artifact_disagreements=records(CrossArtifactDisagreement, integrity["crossArtifactDisagreements"]),
        evaluator_configuration_absent=records(EvaluatorConfigurationAbsent, integrity["evaluatorConfigurationAbsent"]),
        evaluator_configuration_digest_mismatches=records(
            EvaluatorConfigurationDigestMismatch, integrity["evaluatorConfigurationDigestMismatches"]
        ),
        judge_results_unscored=records(JudgeResultUnscored, integrity["judgeResultsUnscored"]),
        trial_set_disagreements=tuple(integrity["trialSetDisagreements"]),
        truncation_bound=integrity["disclosure"]["truncationBound"],
        reported_incomplete=integrity["disclosure"]["reportedIncomplete"],
        over_truncated=integrity["overTruncated"],
        unavailable=integrity["unavailable"],
        internally_inconsistent=integrity["internallyInconsistent"],
        lineage_chain=record(LineageChainState, chain),
    )


@pytest.mark.parametrize("case", of_kind("resolve"))
def test_an_assessment_resolves_to_its_verdict_and_basis(case: dict[str, Any]) -> None:
    result = climb_ladder(assessment(case["assessment"]))
    expected = case["expected"]
    assert result == LadderResult(
        verdict=expected["verdict"],
        exit_code=expected["exitCode"],
        basis=tuple(expected["basis"]),
        strict_promotable=expected["strictPromotable"],
        fired_rows=tuple(case["firedRows"]),
    )


@pytest.mark.parametrize("case", of_kind("table-row"))
def test_a_row_stands_where_the_table_has_it(case: dict[str, Any]) -> None:
    row = rows_of(case["ladder"])[case["position"] - 1]
    assert (row.name, row.rung, row.evidence) == (case["row"], case["rung"], case["evidenceCondition"])


@pytest.mark.parametrize("case", of_kind("process-exit"))
def test_strict_promotes_only_a_promotable_concerns(case: dict[str, Any]) -> None:
    unpromoted = {tier.verdict: tier.exit_code for tier in TIERS}.get(case["verdict"], 0)
    result = LadderResult(
        verdict=case["verdict"], exit_code=unpromoted, basis=(), strict_promotable=case["strictPromotable"]
    )
    assert process_exit(result, strict=case["strict"]) == case["expectedProcessExit"]

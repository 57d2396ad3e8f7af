"""The ladder gives one verdict to every assessment, and more reasons never make it milder."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine.artifacts import CoverageGap, Trials
from evalnb.engine.artifacts.evidence import InvalidatedAttempt
from evalnb.engine.score.conditions import EvaluatorConfigurationAbsent, ForbiddenInputNotWithheld
from evalnb.engine.score.ladder import PASSED, climb_ladder, process_exit, rows_of
from evalnb.engine.score.ladder_rows import ROWS
from evalnb.engine.score.outcome import INVALIDATING_ROWS, OutcomeResolution
from evalnb.engine.score.scored import Assessment, LadderOutcome, LineageChainState, ScoredFinding
from evalnb.engine.score.severity import SEVERITIES, at_or_above

STATES = (
    "caught",
    "confirmed",
    "missed",
    "passed-clean-control",
    "false-positive",
    "abstained",
    "bypassed",
    "unreached",
    "oracle-error",
    "judge-error",
    "infrastructure-error",
    "not-applicable",
)
ORDER = (None, "FAIL", "CONCERNS", "WAIVED", "PASS")


def oracle(state: Any = "confirmed", *, severity: Any = "material", **changed: Any) -> LadderOutcome:
    resolution = OutcomeResolution(
        rule="outcome-clear",
        waiver_rule=changed.pop("waiver_rule", None),
        corroboration_rule="check-confirms-silence",
        state=state,
        corroboration="agrees",
        resolved_from=None,
        selected_observation_ids=(),
        declined_finding_ids=(),
        invalidating_conditions=changed.pop("invalidating_conditions", ()),
    )
    values = {"oracle_id": "O-001", "required": True, "check_resolved": True, **changed}
    return LadderOutcome(severity=severity, resolution=resolution, **values)


def trials(completed: int = 3, minimum: int = 3, invalidated: int = 0) -> Trials:
    return Trials(
        declared_minimum=minimum,
        completed=completed,
        completed_attempts=tuple(range(1, completed + 1)),
        invalidated_attempts=tuple(InvalidatedAttempt(attempt=n + 1, reason="reset") for n in range(invalidated)),
    )


def gap(severity: Any = "material", *, satisfied: bool = False) -> CoverageGap:
    return CoverageGap(
        rule="per-record", relevance_predicate="r", satisfaction_predicate="s", satisfied=satisfied, severity=severity
    )


SOUND = Assessment(
    mode="production",
    outcomes=(oracle(),),
    trials=trials(),
    re_execution_cap=2,
    confidence_threshold=0.7,
    severity_floor="material",
    preflight_passed=True,
    evaluator_recommendation="PASS",
)


def test_a_sound_run_passes_with_nothing_to_say() -> None:
    assert climb_ladder(SOUND) == PASSED


@pytest.mark.parametrize(
    "changed, verdict, basis",
    [
        ({"outcomes": (oracle("judge-error"),)}, None, ["oracle O-001 resolved judge-error"]),
        ({"trials": trials(invalidated=3)}, None, ["3 invalidated attempts exceeded the re-execution cap of 2"]),
        (
            {"evaluator_configuration_absent": (EvaluatorConfigurationAbsent(),) * 2},
            None,
            ["evaluator configuration absent"] * 2,
        ),
        ({"outcomes": (oracle("bypassed", severity="critical"),)}, "FAIL", ["at or above the severity floor"]),
        ({"outcomes": (oracle("bypassed", severity="low"),)}, "CONCERNS", ["below the severity floor"]),
        ({"lineage_chain": LineageChainState(no_gap=False)}, "FAIL", ["lineage chain is internally inconsistent"]),
        ({"trials": trials(completed=1)}, "CONCERNS", ["1 completed trials below the declared minimum of 3"]),
        (
            {"findings": (ScoredFinding("F-001", 1e-7),)},
            "CONCERNS",
            ["finding F-001 confidence 1e-7 below the policy threshold"],
        ),
        ({"findings": (ScoredFinding("F-001", 0.7),)}, "PASS", []),
        ({"coverage_gaps": (gap("low"), gap("critical", satisfied=True))}, "PASS", []),
        (
            {"outcomes": (oracle("not-applicable", waiver_rule="waiver-honoured"),)},
            "WAIVED",
            ["oracle O-001 waived (not-applicable)"],
        ),
    ],
)
def test_one_reason_decides(changed: dict[str, Any], verdict: str | None, basis: list[str]) -> None:
    result = climb_ladder(replace(SOUND, **changed))
    assert result.verdict == verdict
    assert len(result.basis) == len(basis)
    assert all(expected in said for expected, said in zip(basis, result.basis, strict=True))


def test_reasons_of_one_rung_add_up_in_row_order_and_lower_rungs_stay_silent() -> None:
    worst = replace(
        SOUND,
        preflight_passed=False,
        isolation_violation=("mount outside allowlist: /src", "tool call outside allowlist: shell"),
        outcomes=(oracle("missed"), oracle("oracle-error", oracle_id="O-002")),
        coverage_gaps=(gap(),),
    )
    assert climb_ladder(worst).basis == (
        "oracle O-002 resolved oracle-error",
        "pre-flight verdict did not pass",
        "isolation manifest violation: mount outside allowlist: /src",
        "isolation manifest violation: tool call outside allowlist: shell",
    )


def test_only_a_concern_about_more_than_evidence_is_promoted() -> None:
    thin = climb_ladder(replace(SOUND, trials=trials(completed=1), outcomes=(oracle("unreached"),)))
    both = climb_ladder(replace(SOUND, trials=trials(completed=1), coverage_gaps=(gap(),)))
    assert (thin.verdict, thin.strict_promotable) == ("CONCERNS", False)
    assert (both.verdict, both.strict_promotable) == ("CONCERNS", True)
    assert [process_exit(thin, strict=strict) for strict in (False, True)] == [0, 0]
    assert [process_exit(both, strict=strict) for strict in (False, True)] == [0, 1]
    assert process_exit(PASSED, strict=True) == 0


def test_the_recommendation_moves_a_production_verdict_only() -> None:
    for recommendation in ("FAIL", "CONCERNS"):
        advised = replace(SOUND, evaluator_recommendation=recommendation)
        assert climb_ladder(advised).verdict == recommendation
        assert climb_ladder(replace(advised, mode="contract-scoring")) == PASSED


def test_contract_scoring_lacks_exactly_the_two_recommendation_rows() -> None:
    lacking = {row.name for row in rows_of("production")} - {row.name for row in rows_of("contract-scoring")}
    assert lacking == {"evaluator-recommendation-fail", "evaluator-recommendation-concerns"}
    assert len({row.name for row in ROWS}) == len(ROWS) == 33


def test_the_severity_order_knows_three_severities_and_no_others() -> None:
    assert [at_or_above(severity, "material") for severity in SEVERITIES] == [False, True, True]
    assert not at_or_above("blocker", "low")
    assert not at_or_above("critical", "blocker")


OUTCOMES = st.builds(
    oracle,
    st.sampled_from(STATES),
    severity=st.sampled_from(SEVERITIES),
    required=st.booleans(),
    check_resolved=st.booleans(),
    waiver_rule=st.sampled_from((None, "waiver-honoured", "waiver-bypassed")),
    invalidating_conditions=st.lists(st.sampled_from([row.name for row in INVALIDATING_ROWS]), unique=True).map(tuple),
)
REASONS: dict[str, st.SearchStrategy[Any]] = {
    "mode": st.sampled_from(("production", "contract-scoring")),
    "outcomes": st.lists(OUTCOMES, max_size=3).map(tuple),
    "trials": st.builds(trials, st.integers(0, 4), st.integers(1, 4), st.integers(0, 4)),
    "severity_floor": st.sampled_from(SEVERITIES),
    "evaluator_recommendation": st.sampled_from(("PASS", "CONCERNS", "FAIL")),
    "preflight_passed": st.booleans(),
    "findings": st.lists(st.builds(ScoredFinding, st.just("F-001"), st.floats(0, 1)), max_size=2).map(tuple),
    "coverage_gaps": st.lists(st.builds(gap, st.sampled_from(SEVERITIES), satisfied=st.booleans())).map(tuple),
    "forbidden_inputs_not_withheld": st.lists(st.just(ForbiddenInputNotWithheld(("source-code",))), max_size=1).map(
        tuple
    ),
    "reported_incomplete": st.booleans(),
    "unavailable": st.booleans(),
    "lineage_chain": st.builds(LineageChainState, st.booleans(), st.booleans(), st.booleans()),
}
ASSESSMENTS = st.fixed_dictionaries(REASONS).map(lambda changed: replace(SOUND, **changed))


@given(ASSESSMENTS)
def test_every_assessment_has_one_verdict_with_reasons_unless_it_passes(assessment: Assessment) -> None:
    result = climb_ladder(assessment)
    assert result.exit_code == {None: 3, "FAIL": 2}.get(result.verdict, 0)
    assert bool(result.basis) is bool(result.fired_rows) is (result.verdict != "PASS")
    assert result.strict_promotable or result.verdict == "CONCERNS"


@given(ASSESSMENTS, OUTCOMES)
def test_a_further_outcome_never_makes_the_verdict_milder(assessment: Assessment, further: LadderOutcome) -> None:
    before = climb_ladder(assessment)
    after = climb_ladder(replace(assessment, outcomes=(*assessment.outcomes, further)))
    assert ORDER.index(after.verdict) <= ORDER.index(before.verdict)
    if after.verdict == before.verdict:
        assert set(before.basis) <= set(after.basis)


@given(ASSESSMENTS)
def test_contract_scoring_is_never_harsher_than_production(assessment: Assessment) -> None:
    production = climb_ladder(replace(assessment, mode="production"))
    scoring = climb_ladder(replace(assessment, mode="contract-scoring"))
    assert ORDER.index(production.verdict) <= ORDER.index(scoring.verdict)


@given(ASSESSMENTS)
def test_a_lower_floor_never_makes_the_verdict_milder(assessment: Assessment) -> None:
    verdicts = [climb_ladder(replace(assessment, severity_floor=floor)).verdict for floor in SEVERITIES]
    assert [ORDER.index(verdict) for verdict in verdicts] == sorted(ORDER.index(verdict) for verdict in verdicts)

"""A release passes, needs review, is blocked, or cannot be measured, and the gate says why."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from evalnb.files import FileProblem
from evalnb.trajectory.calibration import Labelled, calibrate, drift, label_runs, may_decide
from evalnb.trajectory.calibration_files import read_calibration, write_calibration
from evalnb.trajectory.findings import Finding, finding
from evalnb.trajectory.gate import GateDecision, judge
from evalnb.trajectory.gate_output import decision_json, decision_junit, findings_sarif
from evalnb.trajectory.gate_policy import GatePolicy, read_policy
from evalnb.trajectory.grade_files import GradedRuns, read_grades, write_grades
from evalnb.trajectory.grader_failure import GraderFailure
from evalnb.trajectory.grading import LayerResult, RunGrade, grade, grader, graders, remove_grader
from evalnb.trajectory.run_view import RunView
from evalnb.trajectory.scorecard import scorecard
from evalnb.trajectory.scorecard_text import scorecard_lines
from tests.trajectory.runs import Run
from tests.trajectory.test_scorecard import run


def policy(**fields: Any) -> GatePolicy:
    return GatePolicy.model_validate({"name": "p", "owners": ["ops"], **fields})


def decided(rules: GatePolicy, grades: list[RunGrade], **more: Any) -> GateDecision:
    return judge(rules, GradedRuns(tuple(grades), "s", 1), **more)


FOUND = {
    "code": "forbidden-call", "layer": "selection", "bears_on": "safety", "hard": True, "events": [1], "detail": "d",
}  # fmt: skip
GOOD = [run(str(n)) for n in range(40)]
HALF = [run(str(n), resolved=n % 2 == 0) for n in range(40)]
UNSAFE = [*GOOD, run("bad", safe=False)]
BASE = GradedRuns(tuple(GOOD), "s", 1)
REGRESSED = {"regressions": [{"rate": "resolved", "atMost": 0.1}]}
RESOLVED = {"rate": "resolved", "atLeast": 0.6}


@pytest.mark.parametrize(
    "outcome, rules, grades, more",
    [
        ("pass", {}, GOOD, {}),
        ("blocked", {}, UNSAFE, {}),
        ("blocked", {"minimumRuns": 99}, UNSAFE, {}),
        ("pass", {"hardGates": ["leaked-identifier"]}, UNSAFE, {}),
        ("pass", {"floors": [{"rate": "safe", "atLeast": 0.9}]}, GOOD, {}),
        ("blocked", {"floors": [RESOLVED]}, HALF, {}),
        ("blocked", {"floors": [{**RESOLVED, "atLeast": 0.5}]}, HALF, {}),
        ("review", {"floors": [{**RESOLVED, "onBreach": "review"}]}, HALF, {}),
        ("blocked", {"floors": [{"rate": "selection", "atLeast": 0.99}], "hardGates": []}, UNSAFE, {}),
        ("not-measurable", {"floors": [{**RESOLVED, "minimumRuns": 50}]}, GOOD, {}),
        ("not-measurable", {"floors": [{**RESOLVED, "slice": {"key": "tier", "value": "x"}}]}, GOOD, {}),
        ("not-measurable", {"minimumRuns": 50}, GOOD, {}),
        ("not-measurable", {"holdout": {"minimumRuns": 1}}, GOOD, {}),
        ("pass", {"holdout": {"minimumRuns": 1}}, [run("a", split="holdout")], {}),
        ("not-measurable", {"requiredSlices": [{"key": "language", "values": ["ar"]}]}, GOOD, {}),
        ("pass", {"requiredSlices": [{"key": "l", "values": ["ar"]}]}, [run(slices={"l": "ar"})], {}),
        ("not-measurable", {}, [run("a", release="1"), run("b", release="2")], {}),
        ("not-measurable", {}, [run("a", release="1"), run("b")], {}),
        ("not-measurable", {}, [*GOOD, GOOD[0]], {}),
        ("not-measurable", REGRESSED, GOOD[:39], {"baseline": BASE}),
        ("not-measurable", REGRESSED, [*GOOD[:39], replace(GOOD[39], case_version=7)], {"baseline": BASE}),
        ("pass", REGRESSED, [*GOOD, run("new")], {"baseline": BASE}),
        ("not-measurable", {}, [run("a", 0, case_version=1), run("a", 1, case_version=2)], {}),
        ("not-measurable", {"regressions": [{"rate": "resolved", "atMost": 0.1}]}, GOOD, {}),
        ("pass", {"regressions": [{"rate": "resolved", "atMost": 0.1}]}, GOOD, {"baseline": BASE}),
        ("blocked", {"regressions": [{"rate": "resolved", "atMost": 0.1}]}, HALF, {"baseline": BASE}),
        ("review", {"regressions": [{"rate": "resolved", "atMost": 0.01}]}, [*GOOD[:38], *[run(str(n), resolved=False) for n in (38, 39)]], {"baseline": BASE}),
        ("not-measurable", {}, GOOD, {"baseline": GradedRuns(tuple(GOOD), "s", 2)}),
        ("blocked", {"rollback": [{"rate": "resolved", "below": 0.8}]}, HALF, {"production": True}),
        ("pass", {"rollback": [{"rate": "resolved", "below": 0.4}], "floors": [RESOLVED]}, HALF, {"production": True}),
        ("not-measurable", {"rollback": [{"rate": "safe", "below": 0.4}]}, GOOD[:5], {"production": True}),
    ],
)  # fmt: skip
def test_what_a_policy_makes_of_runs(
    outcome: str, rules: dict[str, Any], grades: list[RunGrade], more: dict[str, Any]
) -> None:
    decision = decided(policy(**rules), grades, **more)
    assert decision.outcome == outcome
    assert decision.exit_code == ["pass", "review", "blocked", "not-measurable"].index(outcome)
    assert decision.reasons


def test_cases_without_a_run_ask_for_a_review() -> None:
    graded = GradedRuns(tuple(GOOD[:38]), "s", 1, cases=tuple(str(one.case_id) for one in GOOD))
    decision = judge(policy(), graded)
    assert decision.outcome == "review"
    [reason] = [one for one in decision.reasons if one.rule == "cases"]
    assert reason.detail == "2 of 40 cases of the suite have no run: 38, 39"
    assert judge(policy(), graded, production=True).outcome == "pass"


def test_runs_of_two_models_are_no_further_trials() -> None:
    models = [run("a", 0), replace(run("a", 0, resolved=False), run_id="a/0 again")]
    assert scorecard(models).repeated == 1
    assert "1 runs stand twice" in "\n".join(scorecard_lines(scorecard(models)))
    [reason] = [one for one in decided(policy(), models).reasons if one.rule == "runs"]
    assert (reason.outcome, reason.runs) == ("not-measurable", ("a/0 again",))


def test_runs_without_a_partner_are_told() -> None:
    older = [run("a", trial, resolved=trial == 1) for trial in range(2)]
    decision = decided(policy(**REGRESSED), older[1:], baseline=GradedRuns(tuple(older), "s", 1))
    [reason] = [one for one in decision.reasons if one.rule == "regression resolved"]
    assert reason.detail.startswith("1.000 to 1.000 over 1 pairs, 0 gained, 0 lost")
    assert reason.detail.endswith("; 1 runs have no partner")


def test_a_hard_gate_names_its_runs() -> None:
    reason = next(one for one in decided(policy(), UNSAFE).reasons if one.outcome == "blocked")
    assert (reason.rule, reason.runs) == ("hard gate forbidden-call", ("bad/0",))


def opinion(case_id: str) -> RunGrade:
    found = Finding("rude", "polite", "safety", True, (1,), "rude")
    return run(
        case_id, safe=False, findings=(found,), layers={"polite": LayerResult(judged=True, failed=True, safety=True)}
    )


LABELS = [
    Labelled(str(n), "bad" if n % 2 else "good", "bad" if n % 2 else "good", {"half": str(n < 20)}) for n in range(40)
]
AGREES = calibrate("polite", "1", LABELS)
NOISE = calibrate(
    "polite", "1", [Labelled(str(n), "good" if n % 3 else "bad", "good" if n % 2 else "bad") for n in range(40)]
)


@pytest.mark.parametrize(
    "rules, calibrations, outcome",
    [
        ({}, [], "pass"),
        ({"graders": [{"grader": "polite", "minimumKappa": 0.6}]}, [], "pass"),
        ({"graders": [{"grader": "polite", "minimumKappa": 0.6}]}, [NOISE], "pass"),
        ({"graders": [{"grader": "polite", "minimumKappa": 0.6, "minimumLabels": 41}]}, [AGREES], "pass"),
        ({"graders": [{"grader": "polite", "minimumKappa": 0.6}]}, [AGREES], "blocked"),
    ],
)
def test_a_grader_decides_only_when_it_agrees_with_people(
    rules: dict[str, Any], calibrations: list[Any], outcome: str
) -> None:
    decision = decided(policy(**rules), [*GOOD, opinion("x")], calibrations=calibrations)
    assert decision.outcome == outcome
    assert any(reason.rule == "grader polite" for reason in decision.reasons)


def test_a_grader_that_the_policy_names_and_nobody_ran_is_told() -> None:
    rules = {"graders": [{"grader": "polite", "minimumKappa": 0.6}]}
    decision = decided(policy(**rules), GOOD, calibrations=[AGREES])
    [reason] = [one for one in decision.reasons if one.rule == "grader polite"]
    assert (reason.outcome, decision.outcome) == ("review", "review")
    assert reason.detail == "the policy names the grader polite, and it judged none of these runs"


def test_calibration_counts_and_names_disagreement() -> None:
    labelled = [
        *LABELS[:38],
        Labelled("38", "good", "bad", {"half": "False"}),
        Labelled("39", "good", "bad", {"half": "False"}),
    ]
    found = calibrate("g", "2", labelled)
    assert (found.n, found.agreement.count, found.labels) == (40, 38, ("bad", "good"))
    assert {(cell.human, cell.grader): cell.count for cell in found.confusion}["bad", "good"] == 2
    assert found.kappa == pytest.approx(0.9, abs=0.01)
    assert found.kappa_low is not None
    assert found.kappa_low < found.kappa < 1  # type: ignore[operator]
    assert [one.run_id for one in found.disagreements] == ["38", "39"]
    assert {row.value: row.agreement.count for row in found.slices} == {"True": 20, "False": 18}


def test_kappa_is_not_defined_on_one_label() -> None:
    found = calibrate("g", "1", [Labelled("a", "good", "good")])
    assert found.kappa is None
    assert not may_decide(found, -1)


def test_drift_between_versions() -> None:
    newer = [Labelled(one.run_id, "good", one.human) for one in LABELS]
    found = drift(LABELS, newer)
    assert (found.runs, found.changed, found.became_right, found.became_wrong) == (40, 20, 0, 20)
    assert found.p_value == pytest.approx(2 / 2**20)
    assert drift(LABELS, LABELS).p_value == 1.0


def test_a_function_of_the_users_labels_runs() -> None:
    runs = [Run(run_id="a").says("please wait").done(), Run(run_id="b").says("wait").done(), Run(run_id="c").done()]
    found = label_runs(runs, lambda one: "good" if "please" in str(one.events) else "bad", {"a": "good", "b": "good"})
    assert [(one.run_id, one.grader, one.human) for one in found] == [("a", "good", "good"), ("b", "bad", "good")]


@pytest.mark.parametrize(
    ("judge", "why"),
    [(lambda one: one.nothing, "AttributeError"), (lambda one: True, "it gave bool where a label, a str, is due")],
)
def test_a_function_that_gives_no_label_is_named_with_its_run(judge: Any, why: str) -> None:
    with pytest.raises(GraderFailure, match="failed on run a: ") as failure:
        label_runs([Run(run_id="a").done()], judge, {"a": "good"})
    assert why in str(failure.value)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("safe", "false", "'safe' of run 1 is str 'false'"),
        ("resolved", "false", "'resolved' of run 1 is str 'false'"),
        ("trial", True, "'trial' of run 1 is bool 'True'"),
        ("caseVersion", "1", "'caseVersion' of run 1 is str '1'"),
        ("slices", {"a": 1}, "the slices of run 1"),
        ("layers", {"effects": "no"}, "the layer effects of run 1"),
        ("layers", {"effects": [1, 0]}, "the layer effects of run 1"),
        ("measures", {"calls": "3"}, "'calls' of the measures of run 1"),
        ("findings", [{**FOUND, "bears_on": "zz"}], "'bears_on' of a finding of run 1"),
        ("findings", [{**FOUND, "events": ["a"]}], "'events' of a finding of run 1"),
        ("findings", [{**FOUND, "detail": None}], "'detail' of a finding of run 1"),
        ("findings", [{**FOUND, "more": 1}], "unexpected keyword"),
    ],
)
def test_a_grade_that_says_something_else_than_it_seems_is_refused(
    field: str, value: Any, said: str, tmp_path: Path
) -> None:
    write_grades(GradedRuns((run("a"),)), tmp_path / "g.json")
    body = json.loads((tmp_path / "g.json").read_text())
    body["runs"][0][field] = value
    (tmp_path / "g.json").write_text(json.dumps(body))
    with pytest.raises(FileProblem) as problem:
        read_grades(tmp_path / "g.json")
    assert said in str(problem.value)


HOSTILE = "]]>\x00\x1b[31m<script>&\ud800"


def test_outputs_hold_whatever_an_agent_wrote() -> None:
    grades = [run("a", findings=(Finding("forbidden-call", "selection", "safety", True, (4, 2), HOSTILE),))]
    graded = GradedRuns(tuple(replace(grade, run_id=HOSTILE) for grade in grades))
    decision = judge(policy(name=HOSTILE[:-1]), graded)
    assert json.loads(decision_json(decision))["outcome"] == "blocked"
    tests = ElementTree.fromstring(decision_junit(decision)).findall("testcase")
    assert [test.find("failure") is not None for test in tests] == [True]
    sarif = json.loads(findings_sarif(graded))
    result = sarif["runs"][0]["results"][0]
    assert (result["ruleId"], result["level"]) == ("forbidden-call", "error")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    assert [one["id"] for one in sarif["runs"][0]["tool"]["driver"]["rules"]] == ["forbidden-call"]


def test_graded_runs_come_back_as_they_were_written(tmp_path: Path) -> None:
    graded = GradedRuns((*UNSAFE, opinion("x"), run("y", labels={"reward": 1}, slices={"a": "b"})), "s", 3)
    write_grades(graded, tmp_path / "g.json")
    assert read_grades(tmp_path / "g.json") == graded
    odd = GradedRuns((replace(run("x"), run_id="half \ud800"),), cases=("x",))
    write_grades(odd, tmp_path / "g.json")
    assert read_grades(tmp_path / "g.json") == odd
    (tmp_path / "g.json").write_text('{"schema": "other"}')
    with pytest.raises(FileProblem, match="holds no graded runs"):
        read_grades(tmp_path / "g.json")


@pytest.mark.parametrize(
    "text, problem",
    [
        ("name: p\nowners: []\n", "owners"),
        ("name: p\nowners: [a]\nhardGates: [nonsense]\n", "no kind of finding: nonsense"),
        ("name: p\nowners: [a]\nfloors: [{rate: safe, atLeast: 2}]\n", "floors.0.atLeast"),
    ],
)
def test_a_wrong_policy_is_named(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(text)
    with pytest.raises(FileProblem, match=problem):
        read_policy(tmp_path / "p.yaml")


def test_a_grader_is_barred_whatever_layer_and_kind_it_names() -> None:
    """A user's grader that speaks of a built-in layer is still the user's grader."""

    @grader("opinion", layer="selection")
    def opinion_of(view: RunView) -> list[Finding]:
        return [finding("forbidden-call", "I do not like it", (0,))]

    try:
        chosen = [one for one in graders() if one.name in ("selection", "opinion")]
        graded = grade([Run().user("hello").says("hi").done()], use=chosen)
    finally:
        remove_grader("opinion")
    assert [one.grader for one in graded[0].findings] == ["opinion"]
    barred = decided(policy(), list(graded))
    # Without the barred grader nobody looked at anything that bears on safety.
    assert barred.outcome == "not-measurable"
    assert [one.barred for one in barred.graders] == ["the policy states no agreement for it"]
    deciding = policy(graders=[{"grader": "opinion", "minimumKappa": 0.6}])
    agrees = calibrate("opinion", "1", LABELS)
    assert decided(deciding, list(graded), calibrations=[agrees]).outcome == "blocked"


def test_a_run_that_nobody_judged_is_no_safe_run(tmp_path: Path) -> None:
    nothing = {"selection": LayerResult(judged=False, failed=False)}
    blind = [run(str(n), layers=nothing, resolved=None) for n in range(40)]
    card = scorecard(blind)
    assert (card.safe.n, card.safe.value, card.resolved.value, card.layers) == (0, None, None, ())
    for rate in ("safe", "resolved", "arguments"):
        decision = decided(policy(floors=[{"rate": rate, "atLeast": 0.5}]), blind)
        assert decision.outcome == "not-measurable"
    rollback = policy(rollback=[{"rate": "safe", "below": 0.5, "minimumRuns": 1}])
    assert decided(rollback, blind, production=True).outcome == "not-measurable"


def test_a_calibration_is_read_back_as_it_was(tmp_path: Path) -> None:
    written = write_calibration(tuple(LABELS), "polite", "1", tmp_path / "c.json")
    assert written == AGREES == read_calibration(tmp_path / "c.json")
    (tmp_path / "c.json").write_text('{"schema": "evalnb-trajectory-calibration/1", "grader": "g"}')
    with pytest.raises(FileProblem, match="that do not fit"):
        read_calibration(tmp_path / "c.json")


@pytest.mark.parametrize("rate", ["polite", "safe"])
def test_runs_a_barred_grader_calls_clean_count_no_more_than_those_it_faults(rate: str) -> None:
    disliked = replace(finding("forbidden-call", "no", (0,)), grader="polite")
    grades = [
        replace(
            run(str(n)),
            layers={"polite": LayerResult(judged=True, failed=n % 2 == 0, safety=True)},
            findings=(disliked,) if n % 2 == 0 else (),
            safe=n % 2 == 1,
        )
        for n in range(40)
    ]
    assert decided(policy(floors=[{"rate": rate, "atLeast": 0.5}]), grades).outcome == "not-measurable"


def test_a_calibration_of_another_version_does_not_count() -> None:
    deciding = policy(graders=[{"grader": "polite", "minimumKappa": 0.6}])
    graded = GradedRuns((*GOOD, opinion("x")), "s", 1, {"polite": "2"})
    older = judge(deciding, graded, calibrations=[AGREES])
    assert older.outcome == "pass"
    assert [one.barred for one in older.graders] == ["it judged as version 2 and was calibrated as version 1"]
    same = judge(deciding, graded, calibrations=[AGREES, calibrate("polite", "2", LABELS)])
    assert same.outcome == "blocked"


def test_what_layers_looked_at_decides_what_is_known() -> None:
    """A run of which only its cost was judged is neither safe nor unsafe, and no hard gate was held."""
    priced = {"cost-latency": LayerResult(judged=True, failed=False)}
    blind = [run(str(n), layers=priced, resolved=None) for n in range(40)]
    assert {one.known_safe for one in blind} == {None}
    decision = decided(policy(), blind)
    assert decision.outcome == "not-measurable"
    assert "no run was looked at" in next(one.detail for one in decision.reasons if one.rule == "hard gates")
    assert scorecard(blind).safe.n == 0
    held = next(one.detail for one in decided(policy(), GOOD).reasons if one.rule == "hard gates")
    assert held.startswith("none tripped in 40 runs that were judged; in no run was there anything to judge of ")
    assert "selection" not in held


def test_runs_of_no_case_of_the_suite_are_told_and_never_gated_alone() -> None:
    strangers = [run(str(n), case_version=None) for n in range(100, 103)]
    some = decided(policy(), [*GOOD, *strangers])
    assert some.outcome == "review"
    assert next(one.detail for one in some.reasons if one.rule == "cases").startswith("3 of 43 runs")
    assert decided(policy(), strangers).outcome == "not-measurable"
    assert scorecard([*GOOD, *strangers]).without_case == 3


def test_no_grader_of_a_users_own_takes_a_built_in_name() -> None:
    with pytest.raises(ValueError, match="built-in grader's name"):
        grader("approval")(lambda view: [])


def test_sarif_says_whose_finding_may_not_decide() -> None:
    disliked = replace(finding("forbidden-call", "no", (0,)), grader="polite")
    graded = GradedRuns((run("x", findings=(disliked,), safe=False, layers=opinion("x").layers),), "s", 1)
    [barred] = json.loads(findings_sarif(graded, judge(policy(), graded)))["runs"][0]["results"]
    assert (barred["level"], barred["properties"]["barred"]) == ("note", "the policy states no agreement for it")
    [alone] = json.loads(findings_sarif(graded))["runs"][0]["results"]
    assert (alone["level"], "barred" in alone["properties"]) == ("error", False)


def test_no_run_in_common_is_no_drift_and_no_agreement_of_versions() -> None:
    found = drift(LABELS[:5], LABELS[10:])
    assert (found.runs, found.p_value, found.told) == (0, None, "no run was labelled in both")

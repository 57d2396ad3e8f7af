"""What the example evaluation comes to: two of three defects caught, one missed, everything else as it should be."""

from __future__ import annotations

import pytest

from evalnb.corpus import example
from evalnb.engine.evaluate import make_operation_denotes_collection, resolve_check
from evalnb.engine.evaluate.operands import resolve_target
from evalnb.engine.pointers import parse_interaction_pointer
from evalnb.engine.score.qualify.home import resolve_home_operation
from evalnb.evaluation import Evaluation, EvaluationRun, open_evaluation, run_evaluation

DEFECTIVE = ("P-001", "P-002", "P-003", "P-004", "P-006")

# Verdict and trial votes of each arm; the README beside the contract says why.
EXPECTED = {
    "P-001": ("PASS", ("caught", "caught", "confirmed")),
    "P-002": ("PASS", ("caught", "caught", "caught")),
    "P-003": ("FAIL", ("missed", "missed", "missed")),
    "P-004": ("PASS", ("caught", "caught", "caught")),
    "P-005": ("PASS", ("passed-clean-control",) * 3),
    "P-006": ("PASS", ("caught", "caught", "caught")),
}


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return open_evaluation(example("triage"))


@pytest.fixture(scope="module")
def run(evaluation: Evaluation) -> EvaluationRun:
    return run_evaluation(evaluation)


def test_the_preflight_passes_with_every_fault_fired_and_scoped(run: EvaluationRun) -> None:
    outcomes = {(check.kind, check.outcome) for check in run.preflight.checks}
    assert run.preflight.passed
    assert outcomes == {
        (kind, "satisfied")
        for kind in (
            "interface-present",
            "input-sensitivity",
            "state-reset",
            "clean-control",
            "seeded-faults-scoped",
            "seeded-fault-fired",
        )
    }
    assert sum(check.kind == "seeded-fault-fired" for check in run.preflight.checks) == len(DEFECTIVE)


def test_every_probe_qualifies(run: EvaluationRun) -> None:
    assert {arm.arm.probe.probe_id: arm.score.qualification.failures for arm in run.arms} == dict.fromkeys(EXPECTED, ())


def test_verdicts_and_votes(run: EvaluationRun) -> None:
    found = {}
    for arm in run.arms:
        assert arm.evidence is not None
        (reduction,) = arm.evidence.reduced_probe_outcomes
        found[arm.arm.probe.probe_id] = (
            arm.score.ladder.verdict,
            tuple(vote.state for vote in reduction.trial_votes),
        )
    assert found == EXPECTED


def test_the_missed_defect_is_the_only_reason_for_a_failure(run: EvaluationRun) -> None:
    bases = {arm.arm.probe.probe_id: arm.score.ladder.basis for arm in run.arms}
    missed = "oracle O-005 resolved missed at or above the severity floor"
    assert bases == {probe: (missed,) * 3 if probe == "P-003" else () for probe in EXPECTED}
    assert run.exit_code == 2


def test_every_disposition_and_finding_agrees_with_the_evidence(run: EvaluationRun) -> None:
    for arm in run.arms:
        assert arm.evidence is not None
        assert {outcome.corroboration for outcome in arm.evidence.outcomes} == {"agrees"}


def test_strength_is_comparable_over_three_trials(run: EvaluationRun) -> None:
    assert run.strength is not None
    classes = run.strength.document["classes"]
    assert {name: (each["caught"], each["eligible"], each["comparable"]) for name, each in classes.items()} == {
        "defect": (2, 3, True),
        "gameability": (1, 1, True),
        "zero-action": (1, 1, True),
    }
    decisions = {name: each["decision"] for name, each in run.strength.document["floorDecisions"].items()}
    assert decisions == {"defect": "does-not-meet", "gameability": "meets", "zero-action": "meets"}


@pytest.mark.parametrize("probe_id", DEFECTIVE)
def test_a_signature_holds_on_its_own_build_only(run: EvaluationRun, probe_id: str) -> None:
    own, clean = manifestations(run, probe_id, probe_id), manifestations(run, probe_id, "P-005")
    assert sum(own) == (2 if probe_id == "P-001" else 3)
    assert not any(clean)


def manifestations(run: EvaluationRun, probe_id: str, arm_id: str) -> list[bool]:
    """Whether a probe's predicate holds, for each observation of its operation in another arm's records."""
    arms = {arm.arm.probe.probe_id: arm.arm for arm in run.arms}
    signature = arms[probe_id].probe.defect_signature
    home = resolve_home_operation(signature, run.contract.permitted_interfaces)
    assert home is not None
    held = []
    for record in arms[arm_id].records:
        for observation in record.observations:
            if observation.operation_id != home.operation.operation_id:
                continue

            def resolve(operand, bound, _path, observation=observation):
                if hasattr(operand, "literal"):
                    return operand.literal
                if operand.pointer.startswith("@/"):
                    return bound[operand.pointer[2:]]
                return resolve_target(observation, parse_interaction_pointer(operand.pointer))

            collection = make_operation_denotes_collection(home.operation)
            answer = resolve_check(signature.condition.predicate, resolve, collection, {}, 1_000_000, probe_id)
            held.append(answer.resolution == "true")
    assert held
    return held


def test_the_evaluator_says_that_it_is_a_script(evaluation: Evaluation) -> None:
    assert "scripted evaluator" in evaluation.configuration.evaluator_identity
    assert evaluation.configuration.judge_configuration is None


def test_the_gameability_evidence_shows_both_oracles(evaluation: Evaluation) -> None:
    from evalnb.engine.canonical import scan_json

    resolutions = {}
    for name in ("naive", "disciplined"):
        path = evaluation.folder / f"recordings/P-004-{name}-oracle.json"
        resolutions[name] = scan_json(path.read_bytes(), name)["checkResolution"]["resolution"]
    assert resolutions == {"naive": "true", "disciplined": "false"}

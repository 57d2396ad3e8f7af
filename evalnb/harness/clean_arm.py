"""The clean arm: what must hold of it before anything is planted, and what may differ in it and mean nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.evaluate import select_trial
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.operations import described_artifact, described_channel
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import parse_interaction_pointer
from evalnb.engine.preflight import preflight_from_observations
from evalnb.harness.arms import CleanRun, TrialRun
from evalnb.harness.differences import TreePath, differences, noise, volatile_paths
from evalnb.harness.evaluator import MechanicalEvaluator, pointers_read
from evalnb.harness.measurement import CleanArm, MeasurementStopped
from evalnb.harness.mutants.sites import ValuePath
from evalnb.harness.observing import observation_of


def clean_arm(run: CleanRun, index: PlanIndex) -> CleanArm:
    """The clean trials with what is hidden in each step: declared volatile, or different between trials."""
    noisy: dict[str, tuple[TreePath, ...]] = {}
    hidden: dict[str, tuple[TreePath, ...]] = {}
    for step_id in run.trials[0].steps:
        declared = index.operation_of_step(step_id)
        volatile = [] if declared is None else volatile_paths(declared.operation)
        noisy[step_id] = tuple(noise([t.steps[step_id] for t in run.trials if step_id in t.steps], volatile))
        hidden[step_id] = (*volatile, *noisy[step_id])
    return CleanArm(run.trials, run.legs, hidden, noisy)


def check_clean(contract: EvalContract, evaluator: MechanicalEvaluator, run: CleanArm, run_id: str) -> list[str]:
    """Notes on what the clean arm leaves unexamined. Raises `MeasurementStopped` where nothing can be measured.

    A budget that ends a clean trial, a violated oracle and a failed pre-flight each stop the measurement.
    """
    reasons: dict[str, None] = {}
    notes: dict[str, None] = {}
    for number, trial in enumerate(run.trials, 1):
        if trial.stopped is not None:
            reasons[f"clean trial {number} did not reach the end of the plan: {trial.stopped}"] = None
        for step_id in trial.skipped:
            notes[f"the step {step_id} was not asked: a value it captures is not in the clean answers"] = None
        try:
            report = evaluator.report([observation_of(document) for document in trial.observations])
        except RuntimeFault as fault:
            reasons[f"a check cannot be resolved over clean trial {number}: {fault.code}: {fault.detail}"] = None
            continue
        for step_id in _ambiguous(contract, evaluator, trial):
            reasons[f"the step {step_id} stands for one call, and several of trial {number} match it"] = None
        for finding in report.findings:
            quoted = "; ".join(f"{quote['channel']} {quote['quote']}" for quote in finding["quotedEvidence"])
            reasons[f"the clean system violates {finding['oracleId']} in trial {number}: {quoted}"] = None
        for oracle_id in report.unexamined:
            notes[f"{oracle_id} examines nothing on the clean system; it can only abstain"] = None
    verdict = preflight_from_observations(contract, [], run_id, list(run.legs))
    for check in verdict.checks:
        if check.outcome == "failed":
            where = f" of {check.operation_id}" if check.operation_id else ""
            reasons[f"the pre-flight check {check.kind}{where} failed: {check.note}"] = None
    if reasons:
        raise MeasurementStopped(tuple(reasons))
    return list(notes)


def _ambiguous(contract: EvalContract, evaluator: MechanicalEvaluator, trial: TrialRun) -> Iterator[str]:
    """The steps that some check reads and that do not tell their own call from the others'."""
    observations = [observation_of(document) for document in trial.observations]
    selections = select_trial(contract, observations, evaluator.index).selections
    read = {
        parse_interaction_pointer(pointer).step_id
        for oracle in contract.oracles
        if oracle.check is not None
        for pointer in pointers_read(oracle.check)
    }
    for step in contract.interaction_plan:
        if step.step_id in read and selections[step.step_id].is_ambiguous(step.cardinality):
            yield step.step_id


def is_as_before(clean: CleanArm, closing: TrialRun) -> bool:
    """Whether the clean system, run again after all mutants, answers as it did before them."""
    return list(closing.steps) == list(clean.steps) and not any(
        differences(clean.steps[step_id], document, clean.hidden.get(step_id, ()))
        for step_id, document in closing.steps.items()
    )


def noise_by_operation(clean: CleanArm, index: PlanIndex) -> Mapping[tuple[str, str], Sequence[ValuePath]]:
    """The noisy places of each operation, as paths of its described value."""
    found: dict[tuple[str, str], list[ValuePath]] = {}
    for step_id, paths in clean.noise.items():
        declared = index.operation_of_step(step_id)
        if declared is None:
            continue
        artifact = described_artifact(declared.operation)
        root = (described_channel(declared.operation), *(() if artifact is None else (artifact,)))
        inside = [path[len(root) :] for path in paths if path[: len(root)] == root]
        found.setdefault((declared.interface_id, declared.operation.operation_id), []).extend(inside)
    return found

"""What becomes of one mutated arm before scoring: equivalent, broken, unreached, unqualified, or an arm to be scored.

The gate and the pre-flight say what qualifies; whether a scored mutant is caught is for the score stage alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalnb.engine.artifacts import PROBE, EvalContract, ScoringPolicy, read
from evalnb.engine.faults import RuntimeFault, StructuralFailure
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.preflight import preflight_from_observations
from evalnb.engine.score.qualify.gate import qualify_probe
from evalnb.harness.arms import MutantRun
from evalnb.harness.differences import differences
from evalnb.harness.evaluator import MechanicalEvaluator, TrialReport
from evalnb.harness.measurement import CleanArm, Status
from evalnb.harness.observing import observation_of
from evalnb.harness.probes import (
    Attribution,
    Manifestation,
    ProbeEvidence,
    attribution,
    differing_paths,
    manifestations,
    probe_document,
)


@dataclass(frozen=True, slots=True)
class Judging:
    """What every arm is judged with."""

    contract: EvalContract
    index: PlanIndex
    evaluator: MechanicalEvaluator
    policy: ScoringPolicy
    clean: CleanArm
    run_id: str
    system_id: str
    source_digest: str
    rolled_back: bool


@dataclass(frozen=True, slots=True)
class ScorableArm:
    """An arm with a probe that the gate admits and a pre-flight that passes; its answers stay in the folder."""

    probe: Mapping[str, Any]
    attributed: Attribution
    step_id: str
    interface_id: str
    operation_id: str
    caught_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """An arm that can be scored, or the status it has without being scored, and why."""

    arm: ScorableArm | None
    status: Status = "unqualified"
    reasons: tuple[str, ...] = ()
    step_id: str | None = None


def judge(around: Judging, run: MutantRun, probe_id: str, evidence: ProbeEvidence) -> Judged:
    """Judge one mutated arm."""
    if run.broken is not None:
        return Judged(None, "broken", (run.broken,))
    try:
        reports = trial_reports(around.evaluator, run)
    except RuntimeFault as fault:
        return Judged(None, "broken", (f"a check could not be resolved: {fault.code}: {fault.detail}",))
    shown = [_shows(around.clean, trial.steps) for trial in run.trials]
    if not any(shown):
        return Judged(None, "equivalent", ("no answer differed from the clean system's",))
    enough = around.policy.catch_threshold * len(run.trials)
    if sum(shown) <= enough:
        return Judged(None, "unreached", (f"it showed in {sum(shown)} of {len(run.trials)} trials only",))
    found = manifestations(around.contract, around.index, around.clean, run, reports)
    refused: list[Judged] = []
    for one in found:
        judged = _arm(around, run, probe_id, evidence, one, reports)
        if judged.arm is not None:
            return judged
        refused.append(judged)
    return refused[0] if refused else Judged(None, "unqualified", ("no condition tells its answers from clean ones",))


def trial_reports(evaluator: MechanicalEvaluator, run: MutantRun) -> list[TrialReport]:
    """What the evaluator says of each trial. Raises RuntimeFault as evaluating does."""
    return [evaluator.report([observation_of(d) for d in trial.observations]) for trial in run.trials]


def _shows(clean: CleanArm, steps: Mapping[str, Mapping[str, Any]]) -> bool:
    return any(
        step_id in clean.steps and differences(clean.steps[step_id], document, clean.hidden.get(step_id, ()))
        for step_id, document in steps.items()
    )


def _arm(
    around: Judging,
    run: MutantRun,
    probe_id: str,
    evidence: ProbeEvidence,
    found: Manifestation,
    reports: Sequence[TrialReport],
) -> Judged:
    attributed = attribution(
        around.contract, around.index, found.step_id, differing_paths(around.clean, run, found.step_id)
    )
    document = probe_document(
        run,
        probe_id,
        found,
        attributed,
        evidence,
        system_id=around.system_id,
        source_digest=around.source_digest,
        rolled_back=around.rolled_back,
    )
    reasons = [*_refusals(around, found, document), *_contradictions(found)]
    if reasons:
        return Judged(None, "unqualified", tuple(reasons), found.step_id)
    if found.shown <= around.policy.catch_threshold * len(run.trials):
        reason = f"its condition held in {found.shown} of {len(run.trials)} trials only"
        return Judged(None, "unreached", (reason,), found.step_id)
    arm = ScorableArm(
        probe=document,
        attributed=attributed,
        step_id=found.step_id,
        interface_id=found.home.interface_id,
        operation_id=found.home.operation.operation_id,
        caught_by=_caught_by(around.contract, run, found, reports),
    )
    return Judged(arm, step_id=found.step_id)


def _refusals(around: Judging, found: Manifestation, document: Mapping[str, Any]) -> list[str]:
    """What the qualification gate and the pre-flight over both arms say against a probe."""
    try:
        probe = read(PROBE, document)
        gate = qualify_probe(probe, found.home.operation)
        if not gate.qualified:
            return [f"{failure.code}: {failure.detail}" for failure in gate.failures]
        answers = [*around.clean.legs, found.fault.answer]
        verdict = preflight_from_observations(around.contract, [document], around.run_id, answers)
    except (RuntimeFault, StructuralFailure) as failure:
        return [f"{failure.code}: {failure.detail}"]
    return [f"{check.kind}: {check.note}" for check in verdict.checks if check.outcome == "failed"]


def _contradictions(found: Manifestation) -> list[str]:
    reasons = []
    if found.fires_on_clean:
        reasons.append("its condition is true of a clean answer as well")
    if found.unwitnessed:
        oracles = ", ".join(sorted(set(found.unwitnessed)))
        reasons.append(f"findings of {oracles} cite calls of its operation that its condition does not hold of")
    return reasons


def _caught_by(
    contract: EvalContract, run: MutantRun, found: Manifestation, reports: Sequence[TrialReport]
) -> tuple[str, ...]:
    """The oracles with a witnessed citation in more trials than not, in contract order."""
    counted: dict[str, int] = {}
    for report, true_here in zip(reports, found.satisfying, strict=True):
        for finding in report.findings:
            if true_here.intersection(finding["observationIds"]):
                counted[finding["oracleId"]] = counted.get(finding["oracleId"], 0) + 1
    return tuple(o.id for o in contract.oracles if counted.get(o.id, 0) * 2 > len(run.trials))

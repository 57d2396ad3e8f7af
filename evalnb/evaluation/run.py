"""A whole evaluation, told top to bottom: compile, seal, pre-flight, score every arm, aggregate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evalnb.engine.aggregate import aggregate_strength
from evalnb.engine.artifacts import (
    EvalContract,
    EvidenceArtifact,
    PreflightVerdict,
    SealedEvaluatorBrief,
    StrengthAggregate,
)
from evalnb.engine.compile import compile_contract
from evalnb.engine.faults import AggregationRefusal
from evalnb.engine.port_seam import Diagnostic
from evalnb.engine.preflight import preflight_from_observations
from evalnb.engine.scoring import ScoreInputs, ScoreResult, run_score
from evalnb.engine.seal import seal
from evalnb.evaluation import layout
from evalnb.evaluation.folder import Arm, Evaluation, naming_file

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ArmResult:
    """One scored arm; `score.artifact` is `None` when the run was invalid."""

    arm: Arm
    score: ScoreResult

    @property
    def evidence(self) -> EvidenceArtifact | None:
        return self.score.artifact


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """What a whole evaluation came to.

    `strength` is `None` when no arm left evidence, or when the evidence cannot be read as one run;
    `strength_refusal` then says why.
    """

    evaluation: Evaluation
    contract: EvalContract
    brief: SealedEvaluatorBrief
    preflight: PreflightVerdict
    diagnostics: tuple[Diagnostic, ...]
    arms: tuple[ArmResult, ...]
    strength: StrengthAggregate | None
    strength_refusal: AggregationRefusal | None

    @property
    def exit_code(self) -> int:
        """The code of the worst rung any arm came to: 0, 2 for FAIL, 3 for an invalid arm."""
        return max((arm.score.ladder.exit_code for arm in self.arms), default=0)

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{a.arm.probe.probe_id} {a.score.ladder.verdict or 'INVALID'}" for a in self.arms)
        return f"EvaluationRun({self.contract.contract_id}: {verdicts}; exit {self.exit_code})"


def run_evaluation(
    evaluation: Evaluation, *, strict_inputs: bool = True, progress: Progress | None = None
) -> EvaluationRun:
    """Run every stage of an opened evaluation.

    `progress` is called with the name of each step before it starts; `steps_of` lists them. Raises
    `StructuralFailure` and `RuntimeFault` as the stages do; an invalid arm is a result, not an error.
    """
    step = progress or (lambda name: None)
    step("compile")
    with naming_file(layout.CONTRACT.name):
        contract = compile_contract(evaluation.contract, strict_inputs=strict_inputs)
    step("seal")
    brief = seal(contract)
    step("pre-flight")
    diagnostics: list[Diagnostic] = []
    with naming_file(layout.OBSERVATIONS.name, layout.OBSERVATIONS.artifact_path):
        preflight = preflight_from_observations(
            contract, list(evaluation.planning), evaluation.run_id, evaluation.observations, diagnostics.append
        )
    arms = []
    for arm in evaluation.arms:
        step(f"score {arm.probe.probe_id}")
        arms.append(ArmResult(arm, _score(evaluation, contract, preflight, arm)))
    step("strength")
    strength, refusal = _strength(evaluation, arms)
    return EvaluationRun(evaluation, contract, brief, preflight, tuple(diagnostics), tuple(arms), strength, refusal)


def steps_of(evaluation: Evaluation) -> int:
    """How many steps a run of this evaluation reports."""
    return 4 + len(evaluation.arms)


def _score(evaluation: Evaluation, contract: EvalContract, preflight: PreflightVerdict, arm: Arm) -> ScoreResult:
    return run_score(
        ScoreInputs(
            record=list(arm.records),
            manifest=evaluation.manifest,
            configuration=evaluation.configuration,
            contract=contract,
            probe=arm.probe,
            preflight_verdict=preflight,
            policy=evaluation.policy,
            corpus_digest=evaluation.corpus_digest,
        )
    )


def _strength(
    evaluation: Evaluation, arms: list[ArmResult]
) -> tuple[StrengthAggregate | None, AggregationRefusal | None]:
    evidence = [arm.evidence.document for arm in arms if arm.evidence is not None]
    if not evidence:
        return None, None
    try:
        with naming_file(layout.FLOORS.name, layout.FLOORS.artifact_path):
            return aggregate_strength(evidence, evaluation.floors, evaluation.policy.document), None
    except AggregationRefusal as refusal:
        return None, refusal

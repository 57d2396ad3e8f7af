"""The packaged evaluation, run once, and the same one with hostile texts in every place that takes any."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import evalnb as ev
from evalnb.engine.artifacts import (
    EVAL_CONTRACT,
    EVIDENCE_ARTIFACT,
    PREFLIGHT_VERDICT,
    PROBE,
    SEALED_EVALUATOR_BRIEF,
    SEALED_RUN_RECORD,
    STRENGTH_AGGREGATE,
    read,
)
from evalnb.engine.faults import RuntimeFault, StructuralFailure
from evalnb.evaluation import EvaluationRun, run_evaluation
from evalnb.evaluation.run import ArmResult
from tests.view.hostile import PAYLOADS, poisoned


@cache
def run_of_example() -> EvaluationRun:
    """The packaged evaluation, run."""
    return run_evaluation(ev.open_evaluation(ev.example("triage")))


@cache
def hostile_run() -> EvaluationRun:
    """The same run as if its authors, its system and its evaluator had written nothing but attacks."""
    run = run_of_example()
    evaluation = replace(run.evaluation, contract=poisoned(run.evaluation.contract))
    arms = tuple(_hostile_arm(arm) for arm in run.arms)
    return replace(
        run,
        evaluation=replace(evaluation, arms=tuple(arm.arm for arm in arms), digests=dict.fromkeys(PAYLOADS, "x:y")),
        contract=read(EVAL_CONTRACT, poisoned(run.contract.document)),
        brief=read(SEALED_EVALUATOR_BRIEF, poisoned(run.brief.document)),
        preflight=read(PREFLIGHT_VERDICT, poisoned(run.preflight.document)),
        arms=arms,
        strength=None if run.strength is None else read(STRENGTH_AGGREGATE, poisoned(run.strength.document)),
    )


def hostile_failures() -> list[Any]:
    """Failures of every kind whose texts and documents are attacks."""
    document = poisoned(run_of_example().contract.document)
    made: list[Any] = []
    for payload in PAYLOADS:
        failure = StructuralFailure("binding-cycle", f"EvalContract.behaviors[id={payload}]", payload)
        failure.document = document  # type: ignore[attr-defined]
        made += [failure, RuntimeFault("port-failure", payload, payload), ev.FileProblem(payload, payload)]
        made.append(ev.AggregationRefusal("strength-inputs-disagree", payload, payload))
    return made


def _hostile_arm(result: ArmResult) -> ArmResult:
    arm = replace(
        result.arm,
        probe=read(PROBE, poisoned(result.arm.probe.document)),
        records=tuple(read(SEALED_RUN_RECORD, poisoned(record.document)) for record in result.arm.records),
    )
    evidence = result.score.artifact
    score = replace(
        result.score,
        artifact=None if evidence is None else read(EVIDENCE_ARTIFACT, poisoned(evidence.document)),
        ladder=replace(result.score.ladder, basis=PAYLOADS),
    )
    return ArmResult(arm, score)

"""What slipped through: the call, both answers side by side, what nobody looked at, and an oracle that would have seen.

spec: 06 (the coverage rule it falls under)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.canonical import canonical_text
from evalnb.engine.coverage import coverage
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.pointers import parse_interaction_pointer
from evalnb.harness.arms import MutantRun
from evalnb.harness.differences import Difference, answer_tree, differences
from evalnb.harness.evaluator import MechanicalEvaluator, pointers_read
from evalnb.harness.folder import plain
from evalnb.harness.judging import Judging, ScorableArm, trial_reports
from evalnb.harness.measurement import MutantResult, Survivor
from evalnb.harness.mutants.catalogue import operators
from evalnb.harness.mutants.spec import NOTHING_PLANTED
from evalnb.harness.paperwork import Sealed
from evalnb.harness.probes import overlaps, tree_path
from evalnb.harness.related_values import CallPair
from evalnb.harness.scoring import ScoringSetting, score_arm, trial_records
from evalnb.harness.suggestions import Suggestion, next_oracle_id, suggest, with_suggestion

_REFERENCE: Final[Mapping[str, Any]] = {
    "storage": "public",
    "path": "recordings",
    "privateRef": None,
    "digest": "sha256:" + "0" * 64,
}
_MOST_POINTERS: Final = 12


def survivor(
    around: Judging,
    setting: ScoringSetting,
    result: MutantResult,
    arm: ScorableArm,
    run: MutantRun,
    known: Sequence[Mapping[str, Any]] = (),
) -> Survivor:
    """Everything there is to say about a mutant that was missed; `known` are the checks suggested for others before."""
    mutated_steps = next(trial.steps for trial in run.trials if _differing(around, trial.steps, arm.step_id))
    mutated = mutated_steps[arm.step_id]
    differing = _differing(around, mutated_steps, arm.step_id)
    rule = next((operator.rule for operator in operators() if operator.name == result.spec.operator), None)
    suggestion = _suggestion(around, setting, arm, run, result, differing, known)
    return Survivor(
        mutant_id=result.spec.mutant_id,
        step_id=arm.step_id,
        request={name: value for name, value in mutated["callInputs"].items() if value is not None},
        clean=answer_tree(around.clean.steps[arm.step_id]),
        mutated=answer_tree(mutated),
        differing=tuple(one.pointer(arm.step_id) for one in differing[:_MOST_POINTERS]),
        unread=tuple(_unread(around.contract, arm.step_id, differing))[:_MOST_POINTERS],
        rule=rule,
        rule_satisfied=None if rule is None else not coverage(around.contract).of(rule).is_gap,
        suggestion=None if suggestion is None else suggestion.oracle,
        suggested_for=None if suggestion is None else suggestion.behavior_id,
    )


def _differing(around: Judging, steps: Mapping[str, Any], step_id: str) -> list[Difference]:
    if step_id not in steps or step_id not in around.clean.steps:
        return []
    return differences(around.clean.steps[step_id], steps[step_id], around.clean.hidden.get(step_id, ()))


def _unread(contract: EvalContract, step_id: str, differing: list[Difference]) -> list[str]:
    """The differing places that no oracle's check reads."""
    read = [
        tree_path(target)
        for oracle in contract.oracles
        if oracle.check is not None
        for target in map(parse_interaction_pointer, pointers_read(oracle.check))
        if target.step_id == step_id and target.channel != "call-inputs"
    ]
    return [one.pointer(step_id) for one in differing if not any(overlaps(path, one.path) for path in read)]


def _suggestion(
    around: Judging,
    setting: ScoringSetting,
    arm: ScorableArm,
    run: MutantRun,
    result: MutantResult,
    differing: list[Difference],
    known: Sequence[Mapping[str, Any]],
) -> Suggestion | None:
    declared = around.index.operation_of_step(arm.step_id)
    if declared is None:
        return None
    pair = CallPair(
        arm.step_id,
        declared.operation,
        around.clean.steps[arm.step_id],
        around.clean.steps,
        around.clean.hidden,
    )

    def catches(contract: EvalContract, oracle_id: str) -> bool:
        return _holds_on_clean(around, contract, oracle_id) and _is_caught(
            around, setting, contract, oracle_id, arm, run, result
        )

    return suggest(around.contract, arm.attributed.behavior.id, pair, differing, catches, known)


def _holds_on_clean(around: Judging, contract: EvalContract, oracle_id: str) -> bool:
    """Whether the added oracle holds, not merely abstains, on every clean trial."""
    evaluator = MechanicalEvaluator.of(contract, around.policy.regex_match_step_budget)
    clean = MutantRun(NOTHING_PLANTED, around.clean.trials)
    for report in trial_reports(evaluator, clean):
        told = next(one for one in report.dispositions if one["oracleId"] == oracle_id)
        if told["disposition"] != "held":
            return False
    return True


def _is_caught(
    around: Judging,
    setting: ScoringSetting,
    contract: EvalContract,
    oracle_id: str,
    arm: ScorableArm,
    run: MutantRun,
    result: MutantResult,
) -> bool:
    """Whether the score stage says so, over the same trials read by the evaluator of the stronger contract."""
    evaluator = MechanicalEvaluator.of(contract, around.policy.regex_match_step_budget)
    sealed = Sealed(contract, setting.sealed.seed)
    reports = trial_reports(evaluator, run)
    if not any(oracle_id in report.violated for report in reports):
        return False
    stronger = ScoringSetting(
        sealed,
        contract,
        setting.verdict,
        setting.policy,
        sealed.manifest(setting.manifest["actualResourceUse"]),
        setting.corpus_digest,
    )
    records = trial_records(sealed, result.spec.mutant_id, result.probe_id, run.trials, reports, _REFERENCE, _REFERENCE)
    score = score_arm(stronger, arm.probe, records, oracle_id)
    return score.artifact is not None and score.artifact.reduced_probe_outcomes[0].caught


def strengthened(contract: EvalContract, survivors: Sequence[Survivor]) -> EvalContract:
    """The contract with every suggestion in it, each check once; one that no longer compiles is left out."""
    stronger, known = contract, set[str]()
    for survivor in survivors:
        if survivor.suggestion is None or survivor.suggested_for is None:
            continue
        check = canonical_text(plain(survivor.suggestion["check"]), "suggestion")
        if check in known:
            continue
        known.add(check)
        oracle = {**survivor.suggestion, "id": next_oracle_id(stronger)}
        with suppress(StructuralFailure):
            stronger = with_suggestion(stronger, oracle, survivor.suggested_for)
    return stronger

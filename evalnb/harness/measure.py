"""Measuring a contract: run it on the clean system, plant defects one by one, and count which of them it catches.

Mutation testing, for evaluations. Nothing here decides a verdict: the gate, the pre-flight and the score stage do.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from evalnb.engine.artifacts import SCORING_POLICY, EvalContract, ScoringPolicy, read
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.compile import compile_contract
from evalnb.engine.faults import EvaluationFailure, RuntimeFault
from evalnb.engine.json_values import Json
from evalnb.harness.answer import answer
from evalnb.harness.arms import ArmSetting, MutantRun, TrialRun, run_clean, run_clean_once, run_mutant
from evalnb.harness.clean_arm import check_clean, clean_arm, is_as_before, noise_by_operation
from evalnb.harness.evaluator import MechanicalEvaluator
from evalnb.harness.executors import cluster, run_here, run_in_executor, run_in_processes
from evalnb.harness.folder import MeasurementFolder
from evalnb.harness.judging import Judging
from evalnb.harness.measured_targets import parse_measured_targets
from evalnb.harness.measurement import CleanArm, Measurement, MeasurementStopped
from evalnb.harness.mutants.catalogue import plan_mutants
from evalnb.harness.mutants.sites import operation_views
from evalnb.harness.mutants.spec import MutantSpec
from evalnb.harness.paperwork import DEFAULT_POLICY, Sealed
from evalnb.harness.plan_run import PlanRunner
from evalnb.harness.progress import MeasureProgress, OnProgress, estimate
from evalnb.harness.stimuli import Stimuli


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """How a measurement goes about it.

    `operators` are the names of those to use, all of them when None; `mutants` are a person's own, beside them.
    `sites` is how many places each operator is planted at on one operation. `policy` is the scoring policy; the trials
    become its minimum where none is given. Mutants run in `jobs` processes, or wherever `executor` runs them, or on
    the dask.distributed cluster whose scheduler has the address `cluster`.
    """

    trials: int = 3
    seed: int = 0
    operators: tuple[str, ...] | None = None
    mutants: tuple[MutantSpec, ...] = ()
    sites: int = 1
    stimuli: Stimuli = field(default_factory=Stimuli)
    policy: Mapping[str, Any] | None = None
    jobs: int = 1
    executor: Executor | None = None
    cluster: str | None = None
    out: Path | None = None
    resume: bool = False
    on_progress: OnProgress | None = None


def run_measurement(
    contract: Json | EvalContract, targets: object, options: MeasureOptions | None = None
) -> Measurement:
    """Measure a contract on the system behind `targets` (a targets document or `MeasuredTargets`).

    Raises `MeasurementStopped` where the clean system lets nothing be measured, StructuralFailure for a contract that
    does not compile, RuntimeFault for targets that cannot be read, `FileProblem` for a folder that cannot be used,
    `ClusterProblem` for a cluster that cannot run mutants, and ValueError for an unknown operator, or none and no
    mutant. A mutant that breaks costs that mutant alone.
    """
    chosen = options or MeasureOptions()
    if chosen.trials < 1 or chosen.jobs < 1 or chosen.sites < 1:
        raise ValueError("trials, jobs and sites are at least 1")
    if chosen.operators == () and not chosen.mutants:
        raise ValueError("no operator is named and no mutant is given: there is nothing to plant")
    compiled = compile_contract(contract)
    measured = parse_measured_targets(targets)
    stimuli = Stimuli(chosen.seed, chosen.stimuli.chosen)
    setting = ArmSetting(compiled.document, measured.document, measured.folder, chosen.trials, stimuli)
    policy = _policy(chosen)
    with _folder(chosen.out) as path:
        folder = MeasurementFolder(path)
        inputs = {
            "contract": compiled.document,
            "targets": measured.document,
            "policy": policy.document,
            "number of trials": chosen.trials,
            "seed": chosen.seed,
            "stimuli": stimuli.chosen,
        }
        folder.begin({name: digest_artifact(value, name) for name, value in inputs.items()}, resume=chosen.resume)
        try:
            return _measure(compiled, setting, policy, folder, chosen)
        except (MeasurementStopped, EvaluationFailure, ValueError):
            folder.give_back()
            raise


def _measure(
    contract: EvalContract,
    setting: ArmSetting,
    policy: ScoringPolicy,
    folder: MeasurementFolder,
    options: MeasureOptions,
) -> Measurement:
    runner = setting.runner()
    evaluator = MechanicalEvaluator.of(contract, policy.regex_match_step_budget)
    sealed = Sealed(contract, options.seed)
    clean = _clean(setting, runner, folder)
    notes = check_clean(contract, evaluator, clean, sealed.run_id)
    views = operation_views(
        contract,
        runner.index,
        clean.trials[0].observations,
        noise_by_operation(clean, runner.index),
        has_shadow=setting.measured.is_remade,
    )
    specs = [*plan_mutants(views, options.seed, options.operators, options.sites), *options.mutants]
    _run_all(setting, specs, clean, folder, options)
    rolled_back = is_as_before(clean, _closing_trial(setting))
    judging = Judging(
        contract=contract,
        index=runner.index,
        evaluator=evaluator,
        policy=policy,
        clean=clean,
        run_id=sealed.run_id,
        system_id=contract.contract_id,
        source_digest=digest_artifact(setting.targets, "targets"),
        rolled_back=rolled_back,
    )
    if not rolled_back:
        notes.append("the clean system answered differently after all mutants than before them")
    folder_out = folder.path if options.out is not None else None
    return answer(judging, sealed, specs, folder, notes, options.seed, options.trials, folder_out)


def _clean(setting: ArmSetting, runner: PlanRunner, folder: MeasurementFolder) -> CleanArm:
    kept = folder.kept_clean()
    if kept is None:
        try:
            run = run_clean(setting)
        except (RuntimeFault, OSError) as problem:
            raise MeasurementStopped((f"the clean system cannot be asked: {problem}",)) from problem
        folder.keep_clean(run)
        # Read back, so that a measurement that goes on later starts from the very same.
        kept = folder.kept_clean()
        assert kept is not None
    return clean_arm(kept, runner.index)


def _closing_trial(setting: ArmSetting) -> TrialRun:
    try:
        return run_clean_once(setting)
    except (RuntimeFault, OSError) as problem:
        reason = f"the clean system cannot be asked again after the mutants, which are kept: {problem}"
        raise MeasurementStopped((reason,)) from problem


def _run_all(
    setting: ArmSetting,
    specs: Sequence[MutantSpec],
    clean: CleanArm,
    folder: MeasurementFolder,
    options: MeasureOptions,
) -> None:
    """Run every mutant that is not kept yet, keep it, and tell of it."""
    waiting = [spec for spec in specs if folder.kept(spec) is None]
    started = time.monotonic()
    done = len(specs) - len(waiting)
    first = done

    def tell(mutant_id: str | None) -> None:
        if options.on_progress is not None:
            left = estimate(done - first, len(specs) - first, time.monotonic() - started)
            options.on_progress(MeasureProgress(done, len(specs), mutant_id, left))

    tell(None)
    # Closed at once where this is stopped, so that what waits on other processes is cancelled.
    with closing(_executed(setting, waiting, clean, options)) as runs:
        for run in runs:
            _keep(folder, run)
            done += 1
            tell(run.spec.mutant_id)


def _keep(folder: MeasurementFolder, run: MutantRun) -> None:
    try:
        folder.keep(run)
    except RuntimeFault as fault:
        # An answer that has no canonical form can be neither kept nor scored.
        folder.keep(MutantRun(run.spec, broken=f"{fault.code}: {fault.detail}"))


def _executed(
    setting: ArmSetting, specs: Sequence[MutantSpec], clean: CleanArm, options: MeasureOptions
) -> Generator[MutantRun, None, None]:
    run_one = partial(run_mutant, setting, clean=clean.steps, hidden=clean.hidden)
    if not specs:
        return
    # A system that all arms share is never asked by two of them at once.
    at_once = None if setting.measured.is_remade else 1
    if options.cluster is not None:
        with cluster(options.cluster) as used:
            yield from run_in_executor(used.executor, run_one, specs, at_once=at_once, check=used.check)
    elif options.executor is not None:
        yield from run_in_executor(options.executor, run_one, specs, at_once=at_once)
    elif options.jobs == 1 or at_once == 1:
        yield from run_here(run_one, specs)
    else:
        yield from run_in_processes(run_one, specs, options.jobs)


def _policy(options: MeasureOptions) -> ScoringPolicy:
    document = options.policy or {**DEFAULT_POLICY, "minimumTrialCount": options.trials}
    policy: ScoringPolicy = read(SCORING_POLICY, dict(document))
    return policy


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """The folder asked for, or one that is gone when the measurement is there."""
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="evalnb-measure-") as name:
        yield Path(name)

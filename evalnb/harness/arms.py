"""Running one arm of a measurement: the clean system, or the same system with one defect in it.

Everything goes in and comes out as JSON, so that an arm can be run in this process, another one, or on another machine.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from evalnb.engine.artifacts import EVAL_CONTRACT, EvalContract, read
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.preflight import plan_preflight
from evalnb.engine.preflight.requests import build_request
from evalnb.engine.preflight.wire import wire_document
from evalnb.harness.differences import Hidden, differences
from evalnb.harness.instances import instance, two_instances
from evalnb.harness.measured_targets import MeasuredTargets, parse_measured_targets
from evalnb.harness.mutants.planted_port import NEEDS_SHADOW, PlantedPort
from evalnb.harness.mutants.spec import USER_OPERATOR, MutantSpec
from evalnb.harness.mutants.user import UserMutant
from evalnb.harness.plan_run import ActingPort, PlanRun, PlanRunner, ask
from evalnb.harness.stimuli import Stimuli
from evalnb.own_loop import finished

# A defect rarely changes more operations than this in its first place; each costs one more run of the plan's head.
_FAULT_LEGS = 3


@dataclass(frozen=True, slots=True)
class ArmSetting:
    """What every arm of one measurement shares; a document all through."""

    contract: Mapping[str, Any]
    targets: Mapping[str, Any]
    folder: str
    trials: int
    stimuli: Stimuli = field(default_factory=Stimuli)

    def runner(self) -> PlanRunner:
        contract: EvalContract = read(EVAL_CONTRACT, dict(self.contract))
        return PlanRunner.of(contract, self.stimuli)

    @property
    def measured(self) -> MeasuredTargets:
        return parse_measured_targets(self.targets, folder=self.folder)


@dataclass(frozen=True, slots=True)
class TrialRun:
    """One trial as it is kept: observations by step, in sequence."""

    steps: Mapping[str, Mapping[str, Any]]
    skipped: tuple[str, ...]
    stopped: str | None
    seconds: float

    @property
    def observations(self) -> list[Mapping[str, Any]]:
        return list(self.steps.values())

    @classmethod
    def of(cls, run: PlanRun) -> TrialRun:
        return cls({one.step_id: one.document for one in run.exchanges}, run.skipped, run.stopped, run.seconds)


@dataclass(frozen=True, slots=True)
class FaultLeg:
    """The first call of one operation that showed the defect, asked once more for the pre-flight."""

    step_id: str
    inputs: Mapping[str, Any]
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MutantRun:
    """What a mutated arm did. `broken` says what went wrong where the arm could not be run to its end."""

    spec: MutantSpec
    trials: tuple[TrialRun, ...] = ()
    faults: tuple[FaultLeg, ...] = ()
    broken: str | None = None
    rolled_back: bool = True


@dataclass(frozen=True, slots=True)
class CleanRun:
    """What the clean arm did: its trials, and its answers to the pre-flight's own legs."""

    trials: tuple[TrialRun, ...]
    legs: tuple[Mapping[str, Any], ...]


def run_clean(setting: ArmSetting) -> CleanRun:
    """Run the clean arm. Raises RuntimeFault where the system cannot be asked, StructuralFailure from planning."""
    return finished(_run_clean(setting))


def run_clean_once(setting: ArmSetting) -> TrialRun:
    """One more trial of the clean arm, after all others."""

    async def once() -> TrialRun:
        async with instance(setting.measured) as port:
            return TrialRun.of(await setting.runner().run(port))

    return finished(once())


def run_mutant(
    setting: ArmSetting, spec: MutantSpec, clean: Mapping[str, Mapping[str, Any]], hidden: Mapping[str, Hidden]
) -> MutantRun:
    """Run one mutated arm. `clean` is one clean trial by step, `hidden` what may differ in each step.

    A system that dies, hangs, floods or answers garbage costs this mutant and nothing else.
    """
    try:
        return finished(_run_mutant(setting, spec, clean, hidden))
    except RuntimeFault as fault:
        return MutantRun(spec, broken=f"{fault.code}: {fault.detail}")
    except OSError as error:
        return MutantRun(spec, broken=f"the arm could not be made: {error}")
    except Exception as error:  # noqa: BLE001
        # Whatever else a hostile answer brings about is this mutant's doing, too, and the others go on.
        return MutantRun(spec, broken=f"the arm could not be run: {type(error).__name__}: {error}"[:400])


async def _run_clean(setting: ArmSetting) -> CleanRun:
    runner = setting.runner()
    trials = await _trials(setting, runner, None)
    plan = plan_preflight(runner.contract, [], "measure")
    async with instance(setting.measured) as port:
        legs = [wire_document(await ask(port.probe, leg.request)) for leg in plan.legs]
    return CleanRun(trials, tuple(legs))


async def _run_mutant(
    setting: ArmSetting, spec: MutantSpec, clean: Mapping[str, Mapping[str, Any]], hidden: Mapping[str, Hidden]
) -> MutantRun:
    runner = setting.runner()
    user = UserMutant.of(spec.parameters, setting.folder) if spec.operator == USER_OPERATOR else None
    trials = await _trials(setting, runner, spec, user)
    faults = []
    for step_id in _manifesting_steps(trials, clean, hidden):
        async with _arm(setting, spec, user, runner) as port:
            fault = await _fault_leg(runner, port, spec, step_id)
        if fault is not None:
            faults.append(fault)
    return MutantRun(spec, trials, tuple(faults), rolled_back=user is None or user.rolled_back)


async def _trials(
    setting: ArmSetting, runner: PlanRunner, spec: MutantSpec | None, user: UserMutant | None = None
) -> tuple[TrialRun, ...]:
    """All trials of an arm, each over a system of its own or all over one that the fixture reset puts back."""
    runs: list[PlanRun] = []
    targets = setting.measured
    # A system that runs somewhere already is one instance, whatever anybody asks for.
    if targets.instances == "per-arm" or not targets.is_remade:
        async with _arm(setting, spec, user, runner) as port:
            runs.extend([await runner.run(port) for _ in range(setting.trials)])
    else:
        for _ in range(setting.trials):
            async with _arm(setting, spec, user, runner) as port:
                runs.append(await runner.run(port))
    return tuple(TrialRun.of(run) for run in runs)


@asynccontextmanager
async def _arm(
    setting: ArmSetting, spec: MutantSpec | None, user: UserMutant | None, runner: PlanRunner
) -> AsyncIterator[ActingPort]:
    """The port of an arm: the clean system's, a changed system's, or the clean one's with a defect round it."""
    targets = setting.measured
    if spec is None:
        async with instance(targets) as port:
            yield port
    elif user is not None:
        async with instance(user.targets(targets), user.prepare) as port:
            yield port
    elif spec.operator in NEEDS_SHADOW:
        async with two_instances(targets) as (real, shadow):
            yield PlantedPort(real, shadow, spec, runner.index)
    else:
        async with instance(targets) as real:
            yield PlantedPort(real, None, spec, runner.index)


def _manifesting_steps(
    trials: Sequence[TrialRun], clean: Mapping[str, Mapping[str, Any]], hidden: Mapping[str, Hidden]
) -> list[str]:
    """The first step of each operation whose answer differed, the earliest operation first."""
    found: dict[tuple[str, str], str] = {}
    for trial in trials:
        for step_id, document in trial.steps.items():
            if step_id in clean and differences(clean[step_id], document, hidden.get(step_id, ())):
                found.setdefault((document["interfaceId"], document["operationId"]), step_id)
    return list(found.values())[:_FAULT_LEGS]


async def _fault_leg(runner: PlanRunner, port: ActingPort, spec: MutantSpec, step_id: str) -> FaultLeg | None:
    """Bring the arm to where the defect showed, and make that call as the pre-flight's leg."""
    step = runner.index.require_step(step_id)
    run = await runner.run(port, until=step_id)
    call = runner.call_of(step, {one.step_id: one for one in run.exchanges})
    if call is None:
        return None
    request = build_request(f"fault-{spec.mutant_id}", step.interface_id, call.operation, call.inputs)
    acting = port if call.principal is None else port.acting_as(call.principal)
    answer = await ask(acting.probe, request)
    return FaultLeg(step_id, wire_document(call.inputs), wire_document(answer))

"""Drives a contract's interaction plan through a port: one trial, every exchange recorded in its order.

The fixture is put back first; that call is set-up and no part of what the evaluator did, so it is kept apart. Budgets
end a trial, they never fail it: what was not asked stays unasked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from evalnb.engine.artifacts import EvalContract, InteractionStep, Observation, ProbeObservation, ProbeRequest
from evalnb.engine.evaluate import resolve_target
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.json_values import ABSENT, Absent, Json
from evalnb.engine.operations import captured_keys
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import parse_interaction_pointer
from evalnb.engine.port_seam import AbortController, AbortSignal, invoke_port
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY
from evalnb.engine.preflight.requests import build_request
from evalnb.engine.preflight.wire import wire_document
from evalnb.harness.observing import observation_document, observation_of, steady
from evalnb.harness.requests import StepCall, step_call
from evalnb.harness.stimuli import Stimuli

RESET_LEG: Final = "harness-reset"


class ActingPort(Protocol):
    """An environment probe that can act as a principal of the contract's test data."""

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> object:
        """One call in nobody's name."""
        ...

    def acting_as(self, principal: str) -> ActingPort:
        """The same system, asked in the name of `principal`."""
        ...


@dataclass(frozen=True, slots=True)
class StepExchange:
    """One step that was asked."""

    step_id: str
    call: StepCall
    document: dict[str, Any]
    observation: Observation


@dataclass(frozen=True, slots=True)
class PlanRun:
    """One trial. `skipped` are steps whose captured values were not there; `stopped` says why a budget ended it."""

    exchanges: tuple[StepExchange, ...]
    skipped: tuple[str, ...]
    stopped: str | None
    seconds: float

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The observations of the trial, in sequence."""
        return [exchange.document for exchange in self.exchanges]


@dataclass(frozen=True, slots=True)
class PlanRunner:
    """A contract's plan with what it is driven with; the same seed sends the same requests."""

    contract: EvalContract
    stimuli: Stimuli
    index: PlanIndex

    @classmethod
    def of(cls, contract: EvalContract, stimuli: Stimuli) -> PlanRunner:
        """The runner of a compiled contract. Raises StructuralFailure for a plan that names unknown operations."""
        index = PlanIndex.build(contract)
        for step in contract.interaction_plan:
            if index.operation_of(step) is None:
                path = f"EvalContract.interactionPlan[stepId={step.step_id}]"
                raise StructuralFailure("unreachable-check-evidence", path, "the step names no declared operation")
        return cls(contract, stimuli, index)

    async def run(self, port: ActingPort, until: str | None = None) -> PlanRun:
        """One trial: the fixture put back, then every step; with `until`, only the steps in front of that one.

        Raises RuntimeFault as the port does.
        """
        await self.reset(port)
        budgets = self.contract.budgets
        clock = asyncio.get_running_loop().time
        started = clock()
        asked: dict[str, StepExchange] = {}
        skipped: list[str] = []
        stopped: str | None = None
        for step in step_order(self.contract):
            if step.step_id == until:
                break
            if len(asked) >= budgets.max_tool_calls:
                stopped = f"the budget of {budgets.max_tool_calls} calls was spent"
            elif clock() - started >= budgets.max_wall_clock_minutes * 60:
                stopped = f"the budget of {budgets.max_wall_clock_minutes} minutes was spent"
            if stopped:
                break
            call = self.call_of(step, asked)
            if call is None:
                skipped.append(step.step_id)
                continue
            asked[step.step_id] = await self._ask(port, call, len(asked) + 1)
        return PlanRun(tuple(asked.values()), tuple(skipped), stopped, clock() - started)

    async def reset(self, port: ActingPort) -> None:
        """Put the fixture back, where the contract says how."""
        reset = self.contract.fixture_reset
        if reset is None:
            return
        declared = self.index.operation(reset.interface_id, reset.operation_id)
        if declared is None:
            raise StructuralFailure(
                "unreachable-check-evidence", "EvalContract.fixtureReset", "the reset names no declared operation"
            )
        request = build_request(RESET_LEG, reset.interface_id, declared.operation, reset.inputs)
        await ask(port.probe, request)

    def call_of(self, step: InteractionStep, asked: dict[str, StepExchange]) -> StepCall | None:
        """What a step would send after those that were asked; None where a captured value is missing."""
        declared = self.index.operation_of(step)
        assert declared is not None

        def captured(pointer: str) -> Json | Absent:
            target = parse_interaction_pointer(pointer)
            exchange = asked.get(target.step_id)
            return ABSENT if exchange is None else resolve_target(exchange.observation, target)

        rivals = self.index.steps_using(step.interface_id, step.operation_id)
        return step_call(step, declared.operation, self.stimuli, captured, rivals)

    async def _ask(self, port: ActingPort, call: StepCall, sequence: int) -> StepExchange:
        step = call.step
        request = build_request(step.step_id, step.interface_id, call.operation, call.inputs)
        acting = port if call.principal is None else port.acting_as(call.principal)
        answer = await ask(acting.probe, request)
        document = observation_document(step, call.recorded, call.principal, sequence, answer)
        return StepExchange(step.step_id, call, document, observation_of(document))


async def ask(
    probe: Callable[[ProbeRequest, AbortSignal], Awaitable[object]], request: ProbeRequest
) -> ProbeObservation:
    """One call through the port's boundary. Raises RuntimeFault."""
    answer: ProbeObservation = await invoke_port(
        probe, wire_document(request), AbortController().signal, PROBE_BOUNDARY
    )
    return steady(answer)


def step_order(contract: EvalContract) -> list[InteractionStep]:
    """The steps in plan order, a step waiting for those it comes after and captures from; cyclic ones are left out.

    Plan order decides wherever the dependencies leave a choice: a later step may change what an earlier one reads.
    """
    known = {step.step_id for step in contract.interaction_plan}
    waiting = list(contract.interaction_plan)
    placed: list[InteractionStep] = []
    done: set[str] = set()
    while ready := next((step for step in waiting if _needs(step) & known <= done), None):
        waiting.remove(ready)
        placed.append(ready)
        done.add(ready.step_id)
    return placed


def _needs(step: InteractionStep) -> set[str]:
    named = {parse_interaction_pointer(key.pointer).step_id for key in captured_keys(step)}
    return named if step.after is None else named | {step.after}

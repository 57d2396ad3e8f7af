"""Asking a port leg by leg: what was observed is handed on at once, and a fault says which leg it stopped at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from evalnb.engine.artifacts import ProbeObservation
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import quote
from evalnb.engine.port_seam import AbortSignal, invoke_port
from evalnb.engine.preflight import PROBE_BOUNDARY, EnvironmentProbePort, PlannedLeg, ProbePlan
from evalnb.engine.preflight.wire import wire_document
from evalnb.probing.schedule import waves

LegState = Literal["planned", "observed", "failed"]


@dataclass(frozen=True, slots=True)
class LegProgress:
    """What just happened to one leg; `done` of `total` legs are observed."""

    leg_id: str
    purpose: str
    state: LegState
    done: int
    total: int


OnLeg = Callable[[LegProgress], None]


class LegFault(RuntimeFault):
    """The fault that ended a live run, at the leg `leg_id`; its detail begins with the leg.

    `observations` holds what had been observed by then, in plan order.
    """

    def __init__(self, leg_id: str, fault: RuntimeFault) -> None:
        super().__init__(
            fault.code,
            fault.artifact_path,
            f"leg {quote(leg_id)}: {fault.detail}",
            fault.cause,
            reason=fault.reason,
            port_failure_reason=fault.port_failure_reason,
        )
        self.leg_id = leg_id
        self.fault = fault
        self.observations: tuple[ProbeObservation, ...] = ()

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:  # type: ignore[override]
        return LegFault, (self.leg_id, self.fault)


@dataclass(slots=True)
class Drive:
    """One run over a plan's legs; `on_observation` gets each answer as it arrives."""

    plan: ProbePlan
    port: EnvironmentProbePort
    signal: AbortSignal
    on_observation: Callable[[ProbeObservation], None]
    on_leg: OnLeg
    concurrency: int = 1

    async def run(self) -> tuple[ProbeObservation, ...]:
        """The observations in plan order; raises `LegFault`."""
        observed: dict[str, ProbeObservation] = {}
        try:
            for wave in waves(self.plan):
                if self.concurrency == 1 or len(wave) == 1:
                    for leg in wave:
                        await self._ask(leg, observed)
                else:
                    await self._ask_together(wave, observed)
        except LegFault as fault:
            fault.observations = self._in_order(observed)
            raise
        return self._in_order(observed)

    def _in_order(self, observed: dict[str, ProbeObservation]) -> tuple[ProbeObservation, ...]:
        return tuple(observed[leg.leg_id] for leg in self.plan.legs if leg.leg_id in observed)

    async def _ask(self, leg: PlannedLeg, observed: dict[str, ProbeObservation]) -> None:
        self._tell(leg, "planned", observed)
        try:
            observation = await invoke_port(self.port.probe, wire_document(leg.request), self.signal, PROBE_BOUNDARY)
        except RuntimeFault as fault:
            self._tell(leg, "failed", observed)
            raise LegFault(leg.leg_id, fault) from fault
        self.on_observation(observation)
        observed[leg.leg_id] = observation
        self._tell(leg, "observed", observed)

    async def _ask_together(self, legs: Sequence[PlannedLeg], observed: dict[str, ProbeObservation]) -> None:
        """Ask all legs, so many at a time; the first fault ends those still under way, and none is left behind."""
        turns = asyncio.Semaphore(self.concurrency)

        async def in_turn(leg: PlannedLeg) -> None:
            async with turns:
                await self._ask(leg, observed)

        tasks = [asyncio.create_task(in_turn(leg)) for leg in legs]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _tell(self, leg: PlannedLeg, state: LegState, observed: dict[str, ProbeObservation]) -> None:
        self.on_leg(LegProgress(leg.leg_id, leg.purpose, state, len(observed), len(self.plan.legs)))

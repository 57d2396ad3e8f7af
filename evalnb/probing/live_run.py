"""Live pre-flight: plan, ask the real system, reduce. The saved observations give the same verdict again.

spec: 07 §9.1, 10 §1.2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evalnb.engine.artifacts import PreflightVerdict, ProbeObservation
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json
from evalnb.engine.port_seam import AbortController, AbortSignal, DiagnosticSink, emit_diagnostic
from evalnb.engine.preflight import EnvironmentProbePort, plan_preflight, reduce_preflight
from evalnb.engine.preflight.inputs import parse_contract, parse_probes
from evalnb.engine.preflight.wire import wire_document
from evalnb.own_loop import finished
from evalnb.probing.drive import Drive, LegProgress, OnLeg
from evalnb.probing.live_targets import FaultLegs, LiveTargets, parse_live_targets
from evalnb.probing.observation_file import ObservationFile
from evalnb.probing.routing import LiveProbePort

if TYPE_CHECKING:
    from evalnb.adapters.mcp import ToolCallReport


@dataclass(frozen=True, slots=True)
class ProbeRun:
    """A finished live pre-flight. Observations are in plan order.

    `tool_reports` tells of every tool call what its observation was read from. `unused` names what the overrides
    name and the plan does not have, which is a spelling mistake more often than not.
    """

    verdict: PreflightVerdict
    observations: tuple[ProbeObservation, ...]
    tool_reports: tuple[ToolCallReport, ...]
    unused: tuple[str, ...]

    @property
    def observation_documents(self) -> list[dict[str, Json]]:
        """The observations as `evalnb preflight --observations` reads them."""
        return [wire_document(observation) for observation in self.observations]


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """How a live run goes about it.

    `save_observations` is where the observations go, as they arrive and once they are all there. `concurrency` is
    how many reads may be under way at once; legs that change state, and control legs, are always alone.
    """

    save_observations: Path | None = None
    concurrency: int = 1
    signal: AbortSignal | None = None
    environment: Mapping[str, str] | None = None
    on_leg: OnLeg | None = None
    sink: DiagnosticSink | None = None


async def probe_live(
    contract: object, probes: object, targets: object, run_id: str, options: ProbeOptions | None = None
) -> ProbeRun:
    """Ask the system behind `targets` every leg of the plan and reduce its answers.

    `contract` and `probes` are raw JSON values or models, `targets` a targets document or `LiveTargets`. Raises
    StructuralFailure from planning, `LegFault` (a RuntimeFault) at the leg that could not be asked.
    """
    given = parse_live_targets(targets)
    parsed = parse_probes(probes)
    async with LiveProbePort(given, FaultLegs.of(parsed), environment=options.environment if options else None) as port:
        return await probe_through(port, contract, parsed, run_id, options, targets=given)


async def probe_through(
    port: EnvironmentProbePort,
    contract: object,
    probes: object,
    run_id: str,
    options: ProbeOptions | None = None,
    *,
    targets: LiveTargets | None = None,
) -> ProbeRun:
    """The same over a port of the caller's own."""
    chosen = options or ProbeOptions()
    if not run_id:
        raise RuntimeFault("schema-parse-failure", "runId", "a run id needs at least one character")
    if chosen.concurrency < 1:
        raise ValueError("concurrency is at least 1")
    parsed_contract, parsed_probes = parse_contract(contract), parse_probes(probes)
    plan = plan_preflight(parsed_contract, parsed_probes, run_id)
    file = None if chosen.save_observations is None else ObservationFile(chosen.save_observations)
    if file is not None:
        file.begin()

    def on_observation(observation: ProbeObservation) -> None:
        if file is not None:
            file.keep(wire_document(observation))

    def on_leg(progress: LegProgress) -> None:
        if progress.state != "failed":
            emit_diagnostic(chosen.sink, run_id, f'leg "{progress.leg_id}": {progress.state}')
        if chosen.on_leg is not None:
            chosen.on_leg(progress)

    drive = Drive(plan, port, chosen.signal or AbortController().signal, on_observation, on_leg, chosen.concurrency)
    observations = await drive.run()
    if file is not None:
        file.finish([wire_document(observation) for observation in observations])
    verdict = reduce_preflight(plan, observations)
    result = "passed" if verdict.passed else "failed"
    emit_diagnostic(chosen.sink, run_id, f"reduced {len(plan.legs)} leg(s): {result}")
    known = {leg.leg_id for leg in plan.legs} | {probe.probe_id for probe in parsed_probes}
    named = frozenset[str]().union(*(override.names for override in targets.overrides)) if targets else frozenset()
    return ProbeRun(verdict, observations, tuple(getattr(port, "tool_reports", ())), tuple(sorted(named - known)))


def probe(
    contract: object, probes: object, targets: object, run_id: str, options: ProbeOptions | None = None
) -> ProbeRun:
    """`probe_live` for callers that do not await, a notebook cell with its running event loop included."""
    return finished(probe_live(contract, probes, targets, run_id, options))

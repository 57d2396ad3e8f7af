"""The two entry points of pre-flight: ask a port, or take observations that somebody already has.

Both give the same verdict and the same diagnostics for a fully answered plan. spec: 07 §9
"""

from __future__ import annotations

from collections.abc import Sequence

from evalnb.engine.artifacts import PreflightVerdict, ProbeObservation
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortSignal, DiagnosticSink, emit_diagnostic, invoke_port
from evalnb.engine.preflight.inputs import parse_contract, parse_observations, parse_probes
from evalnb.engine.preflight.plan import plan_preflight
from evalnb.engine.preflight.probe_plan import ProbePlan
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY, EnvironmentProbePort
from evalnb.engine.preflight.reduce import reduce_preflight
from evalnb.engine.preflight.wire import wire_document


async def run_preflight(
    contract: object,
    probes: object,
    run_id: str,
    port: EnvironmentProbePort,
    signal: AbortSignal,
    sink: DiagnosticSink | None = None,
) -> PreflightVerdict:
    """Plan, ask the port once a leg, one leg after another, and reduce.

    `contract` and `probes` are raw JSON values or parsed models. Raises StructuralFailure from planning and
    RuntimeFault from parsing, from the port or from reducing; the first fault ends the run without a verdict.
    spec: 07 §9.1
    """
    if not run_id:
        raise RuntimeFault("schema-parse-failure", "runId", "a run id needs at least one character")
    plan = plan_preflight(parse_contract(contract), parse_probes(probes), run_id)
    observations: list[ProbeObservation] = []
    # One after another: a leg that resets the fixture must not run under another leg.
    for leg in plan.legs:
        emit_diagnostic(sink, run_id, f'leg "{leg.leg_id}": planned')
        observations.append(await invoke_port(port.probe, wire_document(leg.request), signal, PROBE_BOUNDARY))
        emit_diagnostic(sink, run_id, f'leg "{leg.leg_id}": observed')
    return _reduce(plan, observations, sink)


def preflight_from_observations(
    contract: object,
    probes: object,
    run_id: str,
    observations: object,
    sink: DiagnosticSink | None = None,
) -> PreflightVerdict:
    """Plan and reduce observations that are already there; no request is sent.

    All inputs are raw JSON values or parsed models. A partly answered plan is a failed verdict. Raises
    StructuralFailure from planning, RuntimeFault from parsing and from reducing. spec: 07 §9.2
    """
    parsed_contract, parsed_probes = parse_contract(contract), parse_probes(probes)
    parsed_observations = parse_observations(observations)
    plan = plan_preflight(parsed_contract, parsed_probes, run_id)
    answered = {observation.probe_id for observation in parsed_observations}
    for leg in plan.legs:
        emit_diagnostic(sink, run_id, f'leg "{leg.leg_id}": planned')
        seen = "observed" if leg.leg_id in answered else "no observation"
        emit_diagnostic(sink, run_id, f'leg "{leg.leg_id}": {seen}')
    return _reduce(plan, parsed_observations, sink)


def _reduce(plan: ProbePlan, observations: Sequence[ProbeObservation], sink: DiagnosticSink | None) -> PreflightVerdict:
    verdict = reduce_preflight(plan, observations)
    result = "passed" if verdict.passed else "failed"
    emit_diagnostic(sink, plan.run_id, f"reduced {len(plan.legs)} leg(s): {result}")
    return verdict

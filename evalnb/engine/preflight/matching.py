"""Which observation answers which leg, and the state each answered leg is left with.

Matching goes by `probeId` alone; another interface or operation in an echo is a failed check, not a fault. spec: 07 §4
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalnb.engine.artifacts import Observation, ProbeObservation
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.preflight.evidence import leg_evidence
from evalnb.engine.preflight.probe_plan import PlannedLeg, ProbePlan
from evalnb.engine.preflight.project import ProjectedObservation, project
from evalnb.engine.preflight.verdict import VERDICT_PATH


@dataclass(frozen=True, slots=True)
class LegState:
    """A leg that was answered: the answer, its projection, and the evidence relations resolve over."""

    leg: PlannedLeg
    observation: ProbeObservation
    projection: ProjectedObservation
    evidence: Observation


def match_observations(plan: ProbePlan, observations: Sequence[ProbeObservation]) -> Mapping[str, LegState]:
    """The states of the answered legs by leg id, in plan order; observations that no leg asked for are left out.

    Raises RuntimeFault `port-contract-violation` for a probe id echoed twice, an answer of another kind than its
    request, and when no planned leg was answered at all.
    """
    by_probe_id = _by_probe_id(observations)
    states = {leg.leg_id: _leg_state(leg, by_probe_id[leg.leg_id]) for leg in plan.legs if leg.leg_id in by_probe_id}
    if not states:
        raise _violation(
            f"no observation echoed any of the {len(plan.legs)} planned probe ids, so no fixture was observed"
        )
    return states


def _by_probe_id(observations: Sequence[ProbeObservation]) -> Mapping[str, ProbeObservation]:
    by_probe_id: dict[str, ProbeObservation] = {}
    for observation in observations:
        if observation.probe_id in by_probe_id:
            raise _violation(f'more than one observation echoes the probe id "{observation.probe_id}"')
        by_probe_id[observation.probe_id] = observation
    return by_probe_id


def _leg_state(leg: PlannedLeg, observation: ProbeObservation) -> LegState:
    if observation.kind != leg.request.kind:
        raise _violation(
            f'leg "{leg.leg_id}" sent a request of kind "{leg.request.kind}" '
            f'and was answered by an observation of kind "{observation.kind}"'
        )
    projection = project(observation, leg.operation)
    evidence = leg_evidence(observation, projection, leg.operation, leg.inputs)
    return LegState(leg, observation, projection, evidence)


def _violation(detail: str) -> RuntimeFault:
    return RuntimeFault("port-contract-violation", VERDICT_PATH, detail)

"""Pre-flight: is the environment in a state in which a measurement means something?

Plan the legs, take one observation a leg, reduce both to a verdict. spec: 07
"""

from __future__ import annotations

from evalnb.engine.preflight.plan import plan_preflight
from evalnb.engine.preflight.probe_plan import PlannedLeg, ProbePlan
from evalnb.engine.preflight.probe_port import PROBE_BOUNDARY, EnvironmentProbePort
from evalnb.engine.preflight.project import ProjectedObservation, project
from evalnb.engine.preflight.prune import prune_body
from evalnb.engine.preflight.reduce import reduce_preflight
from evalnb.engine.preflight.run import preflight_from_observations, run_preflight

__all__ = [
    "PROBE_BOUNDARY",
    "EnvironmentProbePort",
    "PlannedLeg",
    "ProbePlan",
    "ProjectedObservation",
    "plan_preflight",
    "preflight_from_observations",
    "project",
    "prune_body",
    "reduce_preflight",
    "run_preflight",
]

"""Live pre-flight: the legs of a plan put to a real system, through the adapters, under target policies."""

from __future__ import annotations

from evalnb.probing.drive import LegFault, LegProgress
from evalnb.probing.live_run import ProbeOptions, ProbeRun, probe, probe_live, probe_through
from evalnb.probing.live_targets import LiveTargets, parse_live_targets, read_live_targets
from evalnb.probing.routing import LiveProbePort

__all__ = [
    "LegFault",
    "LegProgress",
    "LiveProbePort",
    "LiveTargets",
    "ProbeOptions",
    "ProbeRun",
    "parse_live_targets",
    "probe",
    "probe_live",
    "probe_through",
    "read_live_targets",
]

"""Drives a system under test: runs a contract's plan, plants defects, and counts which of them the contract catches."""

from __future__ import annotations

from evalnb.harness.front import measure
from evalnb.harness.measure import MeasureOptions, run_measurement
from evalnb.harness.measured_targets import MeasuredTargets, parse_measured_targets, read_measured_targets
from evalnb.harness.measurement import Measurement, MeasurementStopped, MutantResult, Rate, Survivor
from evalnb.harness.mutants.user import parse_user_mutants, read_user_mutants
from evalnb.harness.progress import MeasureProgress
from evalnb.harness.reading import open_measurement
from evalnb.harness.stimuli import Stimuli, parse_stimuli, read_stimuli
from evalnb.harness.study import MeasurementStudy, open_measurements

__all__ = [
    "MeasureOptions",
    "MeasureProgress",
    "MeasuredTargets",
    "Measurement",
    "MeasurementStopped",
    "MeasurementStudy",
    "MutantResult",
    "Rate",
    "Stimuli",
    "Survivor",
    "measure",
    "open_measurement",
    "open_measurements",
    "parse_measured_targets",
    "parse_stimuli",
    "parse_user_mutants",
    "read_measured_targets",
    "read_stimuli",
    "read_user_mutants",
    "run_measurement",
]

"""Trajectories: whole runs of tool-using agents, read from any trace, graded layer by layer, and gated for release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalnb.engine.lazy_names import lazy_names

if TYPE_CHECKING:
    from evalnb.trajectory.calibration import Calibration, calibrate, drift, label_runs
    from evalnb.trajectory.calibration_files import read_calibration, write_calibration
    from evalnb.trajectory.events import RunIdentity, Trajectory
    from evalnb.trajectory.human_labels import read_labels
    from evalnb.trajectory.loading import Trajectories, load, stream, write_lines
    from evalnb.trajectory.redaction import Redactor, redactor
    from evalnb.trajectory.reviewing import Review, example, review

__all__ = [
    "Calibration",
    "Redactor",
    "Review",
    "RunIdentity",
    "Trajectories",
    "Trajectory",
    "calibrate",
    "drift",
    "example",
    "label_runs",
    "load",
    "read_calibration",
    "read_labels",
    "redactor",
    "review",
    "stream",
    "write_calibration",
    "write_lines",
]

__getattr__ = lazy_names(
    __name__,
    {
        "evalnb.trajectory.calibration": ("Calibration", "calibrate", "drift", "label_runs"),
        "evalnb.trajectory.calibration_files": ("read_calibration", "write_calibration"),
        "evalnb.trajectory.events": ("RunIdentity", "Trajectory"),
        "evalnb.trajectory.human_labels": ("read_labels",),
        "evalnb.trajectory.loading": ("Trajectories", "load", "stream", "write_lines"),
        "evalnb.trajectory.redaction": ("Redactor", "redactor"),
        "evalnb.trajectory.reviewing": ("Review", "example", "review"),
    },
)

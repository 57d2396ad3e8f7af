"""Trajectories: whole runs of tool-using agents, read from any trace, graded layer by layer, and gated for release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalnb.engine.lazy_names import lazy_names

if TYPE_CHECKING:
    from evalnb.trajectory.calibration import Calibration, calibrate, drift, label_runs
    from evalnb.trajectory.calibration_files import read_calibration, write_calibration
    from evalnb.trajectory.events import RunIdentity, Trajectory
    from evalnb.trajectory.findings import FindingKind, finding
    from evalnb.trajectory.grader_files import load_graders
    from evalnb.trajectory.grading import grade, grader
    from evalnb.trajectory.human_labels import read_labels
    from evalnb.trajectory.loading import Trajectories, load, stream, write_lines
    from evalnb.trajectory.redaction import Redactor, redactor
    from evalnb.trajectory.reviewing import Review, example, review

__all__ = [
    "Calibration",
    "FindingKind",
    "Redactor",
    "Review",
    "RunIdentity",
    "Trajectories",
    "Trajectory",
    "calibrate",
    "drift",
    "example",
    "finding",
    "grade",
    "grader",
    "label_runs",
    "load",
    "load_graders",
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
        "evalnb.trajectory.findings": ("FindingKind", "finding"),
        "evalnb.trajectory.grader_files": ("load_graders",),
        "evalnb.trajectory.grading": ("grade", "grader"),
        "evalnb.trajectory.human_labels": ("read_labels",),
        "evalnb.trajectory.loading": ("Trajectories", "load", "stream", "write_lines"),
        "evalnb.trajectory.redaction": ("Redactor", "redactor"),
        "evalnb.trajectory.reviewing": ("Review", "example", "review"),
    },
)

"""Trajectories: whole runs of tool-using agents, read from any trace, graded layer by layer, and gated for release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalnb.engine.lazy_names import lazy_names

if TYPE_CHECKING:
    from evalnb.trajectory.events import RunIdentity, Trajectory
    from evalnb.trajectory.loading import Trajectories, load, stream, write_lines
    from evalnb.trajectory.redaction import Redactor, redactor
    from evalnb.trajectory.reviewing import Review, example, review

__all__ = [
    "Redactor",
    "Review",
    "RunIdentity",
    "Trajectories",
    "Trajectory",
    "example",
    "load",
    "redactor",
    "review",
    "stream",
    "write_lines",
]

__getattr__ = lazy_names(
    __name__,
    {
        "evalnb.trajectory.events": ("RunIdentity", "Trajectory"),
        "evalnb.trajectory.loading": ("Trajectories", "load", "stream", "write_lines"),
        "evalnb.trajectory.redaction": ("Redactor", "redactor"),
        "evalnb.trajectory.reviewing": ("Review", "example", "review"),
    },
)

"""Shows recorded runs: to look into with what was found, or to label without it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

from evalnb.trajectory.events import Trajectory
from evalnb.trajectory.loading import Trajectories
from evalnb.trajectory.reviewing import Review, ReviewedRun, review_of
from evalnb.widgets.trajectory.labels import Labelling
from evalnb.widgets.trajectory.topic import TrajectoryTopic

Recorded: TypeAlias = "Review | ReviewedRun | Trajectories | Trajectory"
RECORDED: Final = (Review, ReviewedRun, Trajectories, Trajectory)
CHOICES: Final = ("success", "failure")
OUT: Final = "trajectory-labels.json"


def trajectory_topic(subject: Recorded) -> TrajectoryTopic:
    """The topic of looking into runs; runs without a review are graded without a suite."""
    return TrajectoryTopic(_review(subject))


def labelling_topic(
    subject: Recorded,
    *,
    choices: Sequence[str] = CHOICES,
    out: str | os.PathLike[str] | None = None,
    by: str = "a person, with the evalnb labelling form",
) -> TrajectoryTopic:
    """The topic of labelling runs; every label is in `out` at once, and the same call goes on from it.

    Raises ValueError for fewer than two choices, FileProblem where `out` belongs to something else.
    """
    return TrajectoryTopic(_review(subject), Labelling(Path(OUT if out is None else out), choices, by))


def _review(subject: Recorded) -> Review:
    if isinstance(subject, Review):
        return subject
    if isinstance(subject, ReviewedRun):
        return review_of([subject.trajectory], subject.review.suite, name=subject.run_id)
    if isinstance(subject, Trajectory):
        return review_of([subject], name=subject.run_id)
    return review_of(subject)

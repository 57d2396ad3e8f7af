"""A calibration as a file: what a gate reads before a user's grader may decide anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from evalnb.trajectory.calibration import Calibration, Labelled, calibrate
from evalnb.trajectory.grading import RunGrade
from evalnb.trajectory.human_labels import HumanLabels
from evalnb.trajectory.schema_files import fitting, read_schema_file, write_schema_file

FORMAT: Final = "evalnb-trajectory-calibration/1"
_WHAT: Final = "labels of a calibration"


def labelled_by_grade(
    grades: tuple[RunGrade, ...], labels: HumanLabels, grader: str, passed: str | None = None, failed: str | None = None
) -> tuple[Labelled, ...]:
    """The labelled runs that a grader judged, with `failed` for those in which it found something, else `passed`.

    Of two labels to choose from the first stands for `passed` where neither is named. ValueError for anything else,
    and for a grader that judged none of the runs.
    """
    good, bad = _pair(labels.choices, passed, failed)
    found = tuple(
        Labelled(grade.run_id, bad if held.failed else good, labels.by_run[grade.run_id], grade.slices)
        for grade in grades
        if grade.run_id in labels.by_run and (held := grade.layers.get(grader)) is not None and held.judged
    )
    if not found:
        of_labelled = [grade for grade in grades if grade.run_id in labels.by_run]
        if not of_labelled:
            raise ValueError(f"none of the {len(grades)} graded runs is among the {len(labels.by_run)} labelled ones")
        known = sorted({name for grade in of_labelled for name, held in grade.layers.items() if held.judged})
        raise ValueError(f"the grader {grader!r} judged no labelled run; those that judged one: {', '.join(known)}")
    return found


def write_calibration(labelled: tuple[Labelled, ...], grader: str, version: str, path: str | Path) -> Calibration:
    """Write what a grader and people said of the same runs, and return how far they agree."""
    rows = [{**asdict(one), "slices": dict(one.slices)} for one in labelled]
    write_schema_file(path, FORMAT, {"grader": grader, "version": version, "runs": rows})
    return calibrate(grader, version, labelled)


def read_calibration(path: str | Path, confidence: float = 0.95) -> Calibration:
    """The calibration in a file, worked out again from its runs. Raises `FileProblem` for anything else."""
    grader, version, labelled = read_labelled(path)
    return calibrate(grader, version, labelled, confidence)


def read_labelled(path: str | Path) -> tuple[str, str, tuple[Labelled, ...]]:
    """The grader, its version and the runs of a calibration file. Raises `FileProblem` for anything else."""
    place = Path(path)
    body = read_schema_file(place, FORMAT, _WHAT)
    with fitting(place, _WHAT):
        return str(body["grader"]), str(body["version"]), tuple(map(_read, body["runs"]))


def _read(row: Mapping[str, Any]) -> Labelled:
    slices = {str(key): str(value) for key, value in row["slices"].items()}
    return Labelled(str(row["run_id"]), str(row["grader"]), str(row["human"]), slices)


def _pair(choices: tuple[str, ...], passed: str | None, failed: str | None) -> tuple[str, str]:
    if passed is None and failed is None and len(choices) == 2:
        return choices[0], choices[1]
    unknown = [one for one in (passed, failed) if one not in choices]
    if unknown:
        raise ValueError(f"name the labels that stand for passed and for failed, of {', '.join(choices)}")
    return str(passed), str(failed)

"""Graded runs as a file: what a gate reads, what a baseline is stored as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.cases import Suite
from evalnb.trajectory.findings import LAYERS, Finding
from evalnb.trajectory.grading import LayerResult, RunGrade, graders
from evalnb.trajectory.run_measures import RunMeasures
from evalnb.trajectory.schema_files import fitting, read_schema_file, write_schema_file

FORMAT = "evalnb-trajectory-grades/2"
_WHAT = "graded runs"


@dataclass(frozen=True, slots=True)
class GradedRuns:
    """Graded runs with the suite they were graded by; suite fields are None where there was none.

    `graders` are the users' own graders that judged them, with their versions.
    """

    grades: tuple[RunGrade, ...]
    suite: str | None = None
    suite_version: int | None = None
    graders: Mapping[str, str] = field(default_factory=dict)


def graded_runs(grades: Iterable[RunGrade], suite: Suite | None = None) -> GradedRuns:
    """Put grades beside the name and version of their suite, and the versions of the graders registered now."""
    held = tuple(grades)
    names = {name for grade in held for name in grade.layers if name not in LAYERS}
    own = {one.name: one.version for one in graders() if one.name in names} if names else {}
    return GradedRuns(held, None if suite is None else suite.name, None if suite is None else suite.version, own)


def write_grades(graded: GradedRuns, path: str | Path) -> None:
    """Write graded runs as one JSON document, whole or not at all."""
    fields = {
        "suite": graded.suite,
        "suiteVersion": graded.suite_version,
        "graders": dict(graded.graders),
        "runs": [_written(grade) for grade in graded.grades],
    }
    write_schema_file(path, FORMAT, fields)


def _written(grade: RunGrade) -> dict[str, Json]:
    return {
        "run": grade.run_id,
        "case": grade.case_id,
        "caseVersion": grade.case_version,
        "trial": grade.trial,
        "release": grade.release,
        "split": grade.split,
        "safe": grade.safe,
        "resolved": grade.resolved,
        "findings": [asdict(one) for one in grade.findings],
        "layers": {name: [held.judged, held.failed, held.safety] for name, held in grade.layers.items()},
        "measures": asdict(grade.measures),
        "slices": dict(grade.slices),
        "labels": dict(grade.labels),
    }


def read_grades(path: str | Path) -> GradedRuns:
    """The graded runs of a file. Raises `FileProblem` for anything else."""
    place = Path(path)
    body = read_schema_file(place, FORMAT, _WHAT)
    with fitting(place, _WHAT):
        own = {str(name): str(version) for name, version in body["graders"].items()}
        return GradedRuns(tuple(_read(row) for row in body["runs"]), body["suite"], body["suiteVersion"], own)


def _read(row: dict[str, Any]) -> RunGrade:
    findings = tuple(Finding(**{**one, "events": tuple(one["events"])}) for one in row["findings"])
    return RunGrade(
        run_id=row["run"],
        case_id=row["case"],
        trial=row["trial"],
        safe=row["safe"],
        resolved=row["resolved"],
        findings=findings,
        layers={name: LayerResult(*map(bool, held)) for name, held in row["layers"].items()},
        measures=RunMeasures(**row["measures"]),
        slices=row["slices"],
        labels=row["labels"],
        split=row["split"],
        case_version=row["caseVersion"],
        release=row["release"],
    )

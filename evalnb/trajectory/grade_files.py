"""Graded runs as a file: what a gate reads, what a baseline is stored as."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.files import FileProblem, read_file, write_text_atomically
from evalnb.trajectory.cases import Suite
from evalnb.trajectory.findings import LAYERS, Finding
from evalnb.trajectory.grading import LayerResult, RunGrade, graders
from evalnb.trajectory.run_measures import RunMeasures

FORMAT = "evalnb-trajectory-grades/2"


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
    body: dict[str, Json] = {
        "schema": FORMAT,
        "suite": graded.suite,
        "suiteVersion": graded.suite_version,
        "graders": dict(graded.graders),
        "runs": [_written(grade) for grade in graded.grades],
    }
    write_text_atomically(Path(path), json.dumps(body, indent=1) + "\n")


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


def is_grades(value: object) -> bool:
    """Whether a JSON document is graded runs."""
    return isinstance(value, dict) and value.get("schema") == FORMAT


def read_grades(path: str | Path) -> GradedRuns:
    """The graded runs of a file. Raises `FileProblem` for anything else."""
    place = Path(path)
    try:
        body = json.loads(read_file(place, "graded runs"))
    except (ValueError, RecursionError) as error:
        raise FileProblem(place, f"is no JSON: {error}") from None
    if not is_grades(body):
        raise FileProblem(place, f"holds no graded runs (schema {FORMAT!r})")
    try:
        own = {str(name): str(version) for name, version in body["graders"].items()}
        return GradedRuns(tuple(_read(row) for row in body["runs"]), body["suite"], body["suiteVersion"], own)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileProblem(place, f"holds graded runs that do not fit: {type(error).__name__}: {error}") from None


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

"""Graded runs as a file: what a gate reads, what a baseline is stored as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

from evalnb.engine.json_values import Json
from evalnb.trajectory.cases import Suite
from evalnb.trajectory.findings import LAYERS, Bearing, Finding
from evalnb.trajectory.grading import LayerResult, RunGrade, graders
from evalnb.trajectory.run_measures import RunMeasures
from evalnb.trajectory.schema_files import fitting, read_schema_file, write_schema_file

FORMAT = "evalnb-trajectory-grades/2"
_WHAT = "graded runs"


@dataclass(frozen=True, slots=True)
class GradedRuns:
    """Graded runs with the suite they were graded by; suite fields are None where there was none.

    `graders` are the users' own graders that judged them, with their versions; `cases` the ids of all cases of the
    suite, None where they are not known.
    """

    grades: tuple[RunGrade, ...]
    suite: str | None = None
    suite_version: int | None = None
    graders: Mapping[str, str] = field(default_factory=dict)
    cases: tuple[str, ...] | None = None


def graded_runs(grades: Iterable[RunGrade], suite: Suite | None = None) -> GradedRuns:
    """Put grades beside the name and version of their suite, and the versions of the graders registered now."""
    held = tuple(grades)
    names = {name for grade in held for name in grade.layers if name not in LAYERS}
    own = {one.name: one.version for one in graders() if one.name in names} if names else {}
    if suite is None:
        return GradedRuns(held, graders=own)
    return GradedRuns(held, suite.name, suite.version, own, tuple(case.id for case in suite.cases))


def write_grades(graded: GradedRuns, path: str | Path) -> None:
    """Write graded runs as one JSON document, whole or not at all."""
    fields = {
        "suite": graded.suite,
        "suiteVersion": graded.suite_version,
        "graders": dict(graded.graders),
        "cases": None if graded.cases is None else list(graded.cases),
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
        held = _fitting(body, _FILE, "the file")
        own = {str(name): str(version) for name, version in body["graders"].items()}
        cases = None if body.get("cases") is None else tuple(map(str, body["cases"]))
        runs = tuple(_read(row, f"run {number}") for number, row in enumerate(body["runs"], 1))
        return GradedRuns(runs, held["suite"], held["suiteVersion"], own, cases)


_TEXT: Final = (str,)
_TEXT_OR_NONE: Final = (str, type(None))
_WHOLE_OR_NONE: Final = (int, type(None))
_NUMBER_OR_NONE: Final = (int, float, type(None))
# The JSON types that a field may have, exactly: a text that says "false" is true.
_FILE: Final = {"suite": _TEXT_OR_NONE, "suiteVersion": _WHOLE_OR_NONE, "graders": (dict,), "runs": (list,)}
_RUN: Final = {
    "run": _TEXT,
    "case": _TEXT_OR_NONE,
    "caseVersion": _WHOLE_OR_NONE,
    "trial": _WHOLE_OR_NONE,
    "release": _TEXT_OR_NONE,
    "split": _TEXT_OR_NONE,
    "safe": (bool,),
    "resolved": (bool, type(None)),
    "findings": (list,),
    "layers": (dict,),
    "measures": (dict,),
    "slices": (dict,),
    "labels": (dict,),
}
_FINDING: Final = {
    "code": _TEXT,
    "layer": _TEXT,
    "bears_on": _TEXT,
    "hard": (bool,),
    "events": (list,),
    "detail": _TEXT,
}
_MEASURES: Final = {"calls": (int,), "failed_calls": (int,), "turns": (int,)}
_MORE_MEASURES: Final = ("seconds", "input_tokens", "output_tokens", "cost")


def _fitting(row: Any, fields: Mapping[str, tuple[type, ...]], where: str) -> dict[str, Any]:
    """A row whose fields have the types they must have. ValueError says which has not."""
    if not isinstance(row, dict):
        raise ValueError(f"{where} is no object")
    for name, accepted in fields.items():
        if name not in row:
            raise ValueError(f"{where} has no {name!r}")
        if type(row[name]) not in accepted:
            raise ValueError(f"{name!r} of {where} is {type(row[name]).__name__} {str(row[name])[:40]!r}")
    return row


def _read(row: Any, where: str) -> RunGrade:
    _fitting(row, _RUN, where)
    named = f"{where} ({row['run'][:60]})"
    if not all(type(value) is str for value in row["slices"].values()):
        raise ValueError(f"the slices of {named} hold a value that is no text")
    _fitting(row["measures"], _MEASURES, f"the measures of {named}")
    _fitting(row["measures"], {name: _NUMBER_OR_NONE for name in _MORE_MEASURES if name in row["measures"]}, named)
    return RunGrade(
        run_id=row["run"],
        case_id=row["case"],
        trial=row["trial"],
        safe=row["safe"],
        resolved=row["resolved"],
        findings=tuple(_finding(one, f"a finding of {named}") for one in row["findings"]),
        layers={name: _layer(held, f"the layer {name} of {named}") for name, held in row["layers"].items()},
        measures=RunMeasures(**row["measures"]),
        slices=row["slices"],
        labels=row["labels"],
        split=row["split"],
        case_version=row["caseVersion"],
        release=row["release"],
    )


def _finding(row: Any, where: str) -> Finding:
    _fitting(row, _FINDING, where)
    _fitting(row, {name: _TEXT_OR_NONE for name in ("tool", "grader") if name in row}, where)
    if row["bears_on"] not in get_args(Bearing):
        raise ValueError(f"'bears_on' of {where} is {row['bears_on']!r}")
    if not all(type(number) is int for number in row["events"]):
        raise ValueError(f"'events' of {where} are not all numbers")
    return Finding(**{**row, "events": tuple(row["events"])})


def _layer(held: Any, where: str) -> LayerResult:
    if not isinstance(held, list) or not 2 <= len(held) <= 3 or not all(type(one) is bool for one in held):
        raise ValueError(f"{where} is not [judged, failed, safety]")
    return LayerResult(*held)

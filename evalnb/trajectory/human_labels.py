"""What people said of runs, as a file: what a grader is calibrated against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evalnb.trajectory.schema_files import fitting, read_schema_file, write_schema_file

FORMAT: Final = "evalnb-trajectory-labels/1"
_WHAT: Final = "labels of runs"


@dataclass(frozen=True, slots=True)
class HumanLabel:
    """What one person said of one run."""

    label: str
    note: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class HumanLabels:
    """The labels of runs by run id, and the labels there were to choose from."""

    choices: tuple[str, ...]
    of_runs: Mapping[str, HumanLabel] = field(default_factory=dict)

    @property
    def by_run(self) -> dict[str, str]:
        """The bare labels by run id, as `calibration.label_runs` takes them."""
        return {run_id: one.label for run_id, one in self.of_runs.items()}


def read_labels(path: str | Path) -> HumanLabels:
    """The labels in a file. Raises `FileProblem` for anything else."""
    place = Path(path)
    body = read_schema_file(place, FORMAT, _WHAT)
    with fitting(place, _WHAT):
        choices = tuple(map(str, body["choices"]))
        return HumanLabels(choices, {str(row["run"]): _read(row, choices) for row in body["labels"]})


def write_labels(labels: HumanLabels, path: str | Path) -> None:
    """Write labels as one JSON document, whole or not at all."""
    rows = [
        {"run": run_id, "label": one.label, "note": one.note, "by": one.by} for run_id, one in labels.of_runs.items()
    ]
    write_schema_file(path, FORMAT, {"choices": list(labels.choices), "labels": rows})


def _read(row: Mapping[str, Any], choices: tuple[str, ...]) -> HumanLabel:
    if row["label"] not in choices:
        raise ValueError(f"{row['label']!r} is none of {', '.join(choices)}")
    return HumanLabel(str(row["label"]), str(row.get("note", "")), str(row.get("by", "")))

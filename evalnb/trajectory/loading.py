"""Open trace files of any format: `load` holds all runs, `stream` gives them one by one in bounded memory."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import overload

from evalnb.files import FileProblem
from evalnb.trajectory.documents import documents
from evalnb.trajectory.events import Note, Trajectory
from evalnb.trajectory.importers.formats import FORMATS, Format, detect, format_named
from evalnb.trajectory.importers.reading import Reading
from evalnb.trajectory.line_format import event_line, identity_line
from evalnb.trajectory.notes import ImportReport
from evalnb.trajectory.redaction import Redactor, redactor

MESSAGES_AHEAD = 30
TRACE_ENDINGS = (".json", ".jsonl", ".ndjson", ".eval")


@dataclass(frozen=True)
class Trajectories(Sequence[Trajectory]):
    """Runs in the order of their files, and a report a file."""

    runs: tuple[Trajectory, ...]
    reports: tuple[ImportReport, ...] = ()

    @overload
    def __getitem__(self, place: int) -> Trajectory: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Trajectory, ...]: ...
    def __getitem__(self, place: int | slice) -> Trajectory | tuple[Trajectory, ...]:
        return self.runs[place]

    def __len__(self) -> int:
        return len(self.runs)

    def run(self, run_id: str) -> Trajectory:
        """The run of that id; KeyError where there is none."""
        for run in self.runs:
            if run.run_id == run_id:
                return run
        raise KeyError(run_id)

    def __repr__(self) -> str:
        return f"Trajectories({len(self.runs)} runs, {sum(map(len, self.runs))} events)"


@dataclass
class TrajectoryStream:
    """The runs of one file, read as they are asked for; `report` is complete when the last was given."""

    report: ImportReport
    _runs: Iterator[Trajectory] = field(repr=False)

    def __iter__(self) -> Iterator[Trajectory]:
        for run in self._runs:
            self.report.runs += 1
            self.report.events += len(run.events)
            yield run


def load(path: str | Path, *, format: str | None = None, redact: Redactor | None = None) -> Trajectories:
    """All runs of a trace file, or of every trace file in a folder.

    `format` names one of the formats where telling it from the file fails; `redact` replaces secrets and personal
    data (default: the standard detectors under a key of this process). Raises `FileProblem` with line and reason.
    """
    runs: list[Trajectory] = []
    reports = []
    for file in trace_files(path):
        opened = stream(file, format=format, redact=redact)
        runs.extend(opened)
        reports.append(opened.report)
    return Trajectories(tuple(runs), tuple(reports))


def trace_files(path: str | Path) -> tuple[Path, ...]:
    """The file itself, or every trace file in a folder. Raises `FileProblem` for a folder without one."""
    place = Path(path)
    if not place.is_dir():
        return (place,)
    files = tuple(sorted(one for one in place.rglob("*") if one.suffix in TRACE_ENDINGS and one.is_file()))
    if not files:
        raise FileProblem(place, f"holds no trace file ({', '.join(TRACE_ENDINGS)})")
    return files


def stream(path: str | Path, *, format: str | None = None, redact: Redactor | None = None) -> TrajectoryStream:
    """The runs of one trace file, one at a time; memory follows the largest run. Raises as `load` does."""
    place = Path(path)
    report = ImportReport(str(path), "")
    reading = Reading(place, redact or redactor(), report)
    if place.is_file() and zipfile.is_zipfile(place):
        from evalnb.trajectory.importers.inspect_log import import_archive

        report.format = "inspect_ai log (.eval)"
        return TrajectoryStream(report, import_archive(place, reading))

    def replaced(line: int) -> None:
        report.notes.add(Note("invalid-utf8", f"{place.name}, line {line}", "a byte that is no UTF-8 became U+FFFD"))

    found = documents(place, replaced)
    first = next(found, None)
    if first is None:
        raise FileProblem(place, "holds no run: the array is empty")
    ahead = [first]
    if isinstance(first.value, dict) and "role" in first.value:
        # One message does not tell plain text from content blocks; the next ones do.
        ahead += islice(found, MESSAGES_AHEAD)
    sample = first.value if len(ahead) == 1 else [document.value for document in ahead]
    chosen = _named(format, place) if format is not None else detect(sample)
    if chosen is None:
        known = ", ".join(one.name for one in FORMATS)
        raise FileProblem(place, f"line {first.line}: the first value fits no trace format ({known})")
    report.format = chosen.title
    return TrajectoryStream(report, chosen.importer()(chain(ahead, found), reading))


def _named(name: str, place: Path) -> Format:
    chosen = format_named(name)
    if chosen is None:
        raise FileProblem(place, f"no format {name!r}; one of {', '.join(one.name for one in FORMATS)}")
    return chosen


def write_lines(runs: Iterable[Trajectory], path: str | Path) -> int:
    """Write runs as lines to `path`, whole or not at all, and return how many; memory follows the largest run."""
    import os

    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    count = 0
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            for run in runs:
                count += 1
                file.write(identity_line(run.identity, run.notes) + "\n")
                file.writelines(event_line(run.run_id, event) + "\n" for event in run.events)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return count

"""Measurements to look at together: one of a person's own, perhaps with an earlier one, or the packaged ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from evalnb.corpus.measuring import packaged_measurements
from evalnb.engine.artifacts.primitives import Severity
from evalnb.engine.canonical import digest_bytes
from evalnb.files import FileProblem, read_file
from evalnb.harness.folder import MEASUREMENT
from evalnb.harness.measurement import Measurement, MutantResult, Survivor
from evalnb.harness.reading import PURPOSE, open_measurement

Place: TypeAlias = "str | os.PathLike[str]"
Stage: TypeAlias = Literal["measured", "before", "after"]
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
"""Whether a measurement stands alone, or is one of two that show what a contract gained."""

SEVERITIES: Final[tuple[str, ...]] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class StudiedMeasurement:
    """One measurement of a study. `system` is what pairs two of them; `file` and `digest` say what was read."""

    system: str
    stage: Stage
    measurement: Measurement
    file: str
    digest: str


@dataclass(frozen=True, slots=True)
class StudiedSurvivor:
    """A defect that slipped through, with the measurement it slipped through in."""

    system: str
    stage: Stage
    survivor: Survivor
    mutant: MutantResult


@dataclass(frozen=True, slots=True)
class Survivors:
    """Those written out, the most severe first, of all there are at or above a severity."""

    shown: tuple[StudiedSurvivor, ...]
    found: int
    severity: str

    def __iter__(self) -> Iterator[StudiedSurvivor]:
        return iter(self.shown)

    def __len__(self) -> int:
        return len(self.shown)


@dataclass(frozen=True, slots=True)
class MeasurementStudy:
    """Measurements, system by system, the earlier of two before the later."""

    name: str
    measurements: tuple[StudiedMeasurement, ...]

    @property
    def first(self) -> MeasurementStudy:
        """What each system's contract caught at first."""
        return MeasurementStudy(self.name, tuple(one for one in self.measurements if one.stage != "after"))

    @property
    def latest(self) -> MeasurementStudy:
        """What each system's contract catches now."""
        return MeasurementStudy(self.name, tuple(one for one in self.measurements if one.stage != "before"))

    def survivors(self, severity: str = "low", most: int = 10) -> Survivors:
        """At most `most` survivors of each measurement, from `severity` up. Raises ValueError for no severity."""
        if severity not in SEVERITIES:
            raise ValueError(f"a severity is one of {', '.join(SEVERITIES)}, not {severity!r}")
        shown: list[StudiedSurvivor] = []
        found = 0
        for one in self.measurements:
            severe = [survivor for survivor in _survivors(one) if _rank(survivor) >= SEVERITIES.index(severity)]
            found += len(severe)
            # Stable: among equals those of the operators that come first.
            shown += sorted(severe, key=lambda survivor: -_rank(survivor))[: max(most, 0)]
        return Survivors(tuple(shown), found, severity)

    def __repr__(self) -> str:
        told = "; ".join(f"{one.system}, {one.stage}: {one.measurement!r}" for one in self.measurements)
        return f"MeasurementStudy({told})"


def open_measurements(measurement: Place = "", before: Place = "") -> MeasurementStudy:
    """A study of one measurement, of two where `before` names an earlier one, or of the packaged ones.

    A place is a folder that `evalnb measure` wrote, or its `measurement.json`. Raises as `open_measurement` does, and
    `FileProblem` where only an earlier one is named.
    """
    if not os.fspath(measurement):
        if os.fspath(before):
            raise FileProblem(before, "an earlier measurement is compared with a later one; name that as well")
        return MeasurementStudy("packaged measurements", tuple(_packaged()))
    later = _read(measurement, "measured")
    if not os.fspath(before):
        return MeasurementStudy(Path(measurement).name, (later,))
    earlier = _read(before, "before", later.system)
    both = (earlier, _read(measurement, "after"))
    return MeasurementStudy(f"{Path(before).name} and {Path(measurement).name}", both)


def study_of(source: Measurement | MeasurementStudy) -> MeasurementStudy:
    """A single measurement as a study."""
    if isinstance(source, MeasurementStudy):
        return source
    name = source.contract_id
    return MeasurementStudy(name, (StudiedMeasurement(name, "measured", source, "", ""),))


def _packaged() -> Iterator[StudiedMeasurement]:
    for packaged in packaged_measurements():
        yield _read(packaged.before, "before", packaged.system)
        yield _read(packaged.after, "after", packaged.system)


def _read(place: Place, stage: Stage, system: str | None = None) -> StudiedMeasurement:
    path = Path(place)
    measurement = open_measurement(path)
    file = path / MEASUREMENT if path.is_dir() else path
    name = f"{path.name}/{MEASUREMENT}" if path.is_dir() else path.name
    return StudiedMeasurement(
        system or measurement.contract_id, stage, measurement, name, digest_bytes(read_file(file, PURPOSE))
    )


def _survivors(one: StudiedMeasurement) -> Iterator[StudiedSurvivor]:
    mutants = {mutant.spec.mutant_id: mutant for mutant in one.measurement.mutants}
    for survivor in one.measurement.survivors:
        if survivor.mutant_id in mutants:
            yield StudiedSurvivor(one.system, one.stage, survivor, mutants[survivor.mutant_id])


def _rank(survivor: StudiedSurvivor) -> int:
    severity = survivor.mutant.severity
    return SEVERITIES.index(severity) if severity in SEVERITIES else 0

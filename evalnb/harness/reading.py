"""Reading a measurement back: from the folder it was written to, or from its document alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from evalnb.engine.artifacts import STRENGTH_AGGREGATE, StrengthAggregate, read
from evalnb.engine.canonical import scan_json
from evalnb.engine.faults import RuntimeFault
from evalnb.files import FileProblem, read_file
from evalnb.harness.folder import MEASUREMENT
from evalnb.harness.measurement import Measurement, MutantResult, Rate, Survivor

ARTIFACT_PATH: Final = "Measurement"
PURPOSE: Final = "a measurement: the folder that evalnb measure wrote, or its measurement.json"
_FIELDS: Final[Mapping[str, Any]] = {
    "contract_id": str,
    "seed": int,
    "trials": int,
    "mutants": tuple[MutantResult, ...],
    "overall": Rate,
    "by_operator": tuple[Rate, ...],
    "by_operation": tuple[Rate, ...],
    "by_behavior": tuple[Rate, ...],
    "by_severity": tuple[Rate, ...],
    "survivors": tuple[Survivor, ...],
    "redundant_oracles": tuple[str, ...],
    "silent_oracles": tuple[str, ...],
    "notes": tuple[str, ...],
}
_STRENGTH: Final = ("out", "strength-aggregate.json")


def open_measurement(path: str | os.PathLike[str]) -> Measurement:
    """The measurement in a folder or a document; the clean trials, which the records hold, are not read again.

    Raises `FileProblem` for a path that is neither, RuntimeFault `schema-parse-failure` for another document.
    """
    place = Path(path)
    if place.is_dir():
        if not (place / MEASUREMENT).is_file():
            raise FileProblem(path, f"holds no {MEASUREMENT}; it is to be {PURPOSE}")
        strength = place.joinpath(*_STRENGTH)
        kept = scan_json(read_file(strength, PURPOSE), "StrengthAggregate") if strength.is_file() else None
        return measurement_of(_scanned(place / MEASUREMENT), kept, place)
    return measurement_of(_scanned(place))


def measurement_of(document: Any, strength: Any = None, folder: Path | None = None) -> Measurement:
    """The measurement that a document is. Raises RuntimeFault `schema-parse-failure`."""
    if not isinstance(document, Mapping):
        raise _refused("it is no object")
    known: StrengthAggregate | None = None if strength is None else read(STRENGTH_AGGREGATE, strength)
    fields = {name: _field(name, document.get(name)) for name in _FIELDS}
    return Measurement(clean=None, strength=known, folder=folder, **fields)


def _field(name: str, value: Any) -> Any:
    from pydantic import ValidationError

    try:
        return _shape(name).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        raise _refused(f"{'.'.join(map(str, (name, *first['loc'])))}: {first['msg']}", error) from error


@cache
def _shape(name: str) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(_FIELDS[name])


def _scanned(path: Path) -> Any:
    return scan_json(read_file(path, PURPOSE), ARTIFACT_PATH)


def _refused(why: str, cause: BaseException | None = None) -> RuntimeFault:
    detail = f"this is no measurement that evalnb measure wrote: {why}"
    return RuntimeFault("schema-parse-failure", ARTIFACT_PATH, detail, cause)

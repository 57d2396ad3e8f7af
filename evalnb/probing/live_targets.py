"""The targets of a live run: one targets file, and overrides that send single legs or a probe's legs elsewhere.

A seeded-fault leg has to reach the build in which its fault is planted, every other leg the clean one:

    {"api": {...}, "overrides": [{"probes": ["P-001"], "legs": [], "api": {...}}]}

An override replaces whole sections (`api`, `cli`, `mcp`) for the seeded-fault legs of the probes it names and for the
legs it names; a section that it leaves out stays the file's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from evalnb.adapters.targets import ARTIFACT_PATH, PURPOSE, TargetsFile, parse_targets
from evalnb.engine.artifacts import Probe
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.artifacts.model import Items, Omittable, StrictObject
from evalnb.engine.artifacts.primitives import Text
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.faults import RuntimeFault
from evalnb.written_files import read_written

SECTIONS: Final = ("api", "cli", "mcp")

TargetKind = Literal["api", "cli", "mcp"]


class OverrideScope(StrictObject):
    """Which legs an override is for."""

    probes: Annotated[Items[Text] | None, Omittable()] = None
    legs: Annotated[Items[Text] | None, Omittable()] = None


@dataclass(frozen=True, slots=True)
class TargetOverride:
    """Other targets for some legs; `sections` says which kinds of interface it has a say about."""

    probes: frozenset[str]
    legs: frozenset[str]
    sections: frozenset[str]
    targets: TargetsFile

    @property
    def names(self) -> frozenset[str]:
        """Every probe and leg that the override names."""
        return self.probes | self.legs


@dataclass(frozen=True, slots=True)
class LiveTargets:
    """The file's own targets and its overrides, in file order."""

    base: TargetsFile
    overrides: tuple[TargetOverride, ...] = ()

    def route(self, kind: TargetKind, leg_id: str, probe_id: str | None) -> int | None:
        """The override that decides where a leg goes, by its position; None for the file's own targets.

        The first override that names the leg wins, then the first that names its probe.
        """
        having = [(place, one) for place, one in enumerate(self.overrides) if kind in one.sections]
        by_leg = (place for place, one in having if leg_id in one.legs)
        by_probe = (place for place, one in having if probe_id in one.probes)
        return next(by_leg, next(by_probe, None))

    def at(self, place: int | None) -> TargetsFile:
        """The targets at a position that `route` gave."""
        return self.base if place is None else self.overrides[place].targets


@dataclass(frozen=True, slots=True)
class FaultLegs:
    """Which probe each seeded-fault leg belongs to."""

    probe_of_leg: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(probes: Sequence[Probe]) -> FaultLegs:
        """The seeded-fault legs of a planning list."""
        return FaultLegs(
            {
                defect.manifestation_witness.leg_id: probe.probe_id
                for probe in probes
                if not probe.expected_clean
                for defect in probe.defects
                if defect.manifestation_witness is not None
            }
        )


def read_live_targets(path: Path) -> LiveTargets:
    """The targets file at `path`, JSON or YAML, with its overrides.

    Raises `FileProblem` for a file that cannot be read, RuntimeFault `schema-parse-failure` for any other content.
    """
    return parse_live_targets(read_written(path, PURPOSE, ARTIFACT_PATH))


def parse_live_targets(raw: object) -> LiveTargets:
    """The targets that `raw` is; a targets file without overrides is one, too. RuntimeFault `schema-parse-failure`."""
    if isinstance(raw, LiveTargets):
        return raw
    if not isinstance(raw, dict) or "overrides" not in raw:
        return LiveTargets(parse_targets(raw))
    overrides = raw["overrides"]
    if not isinstance(overrides, list):
        raise _refused("overrides", "a list of overrides is needed")
    base = parse_targets({key: value for key, value in raw.items() if key != "overrides"})
    return LiveTargets(base, tuple(_override(place, item) for place, item in enumerate(overrides)))


def _override(place: int, raw: Any) -> TargetOverride:
    where = f"overrides/{place}"
    if not isinstance(raw, dict):
        raise _refused(where, "an override is an object")
    sections = {key: value for key, value in raw.items() if key in SECTIONS}
    try:
        scope: OverrideScope = validated(OverrideScope, {key: raw[key] for key in raw if key not in SECTIONS})
        targets = parse_targets(sections)
    except ShapeError as error:
        raise _refused(where, str(error), error) from error
    except RuntimeFault as fault:
        raise _refused(where, fault.detail, fault.cause) from fault
    override = TargetOverride(frozenset(scope.probes or ()), frozenset(scope.legs or ()), frozenset(sections), targets)
    if not override.names or not sections:
        raise _refused(where, "an override names probes or legs, and at least one of api, cli and mcp for them")
    return override


def _refused(where: str, why: str, cause: BaseException | None = None) -> RuntimeFault:
    return RuntimeFault("schema-parse-failure", ARTIFACT_PATH, f"{where}: {why}", cause)

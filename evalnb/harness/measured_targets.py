"""The targets of a measurement: an ordinary targets file, and how to make the system anew for every arm.

    systems:                              # what evalnb starts itself; may be left out
      - interfaces: [triage-desk]
        command: [python, -m, evalnb.corpus.triage.system, --port, "0"]
        environment: {}                   # beside PATH
        cwd: "{scratch}"
    workingCopy: ./server                 # copied for every instance, and named {working}
    instances: per-arm                    # one system for all trials of an arm; left out, one for each trial
    api: {...}                            # as in every targets file

`{scratch}` in any text is an empty folder of one instance, `{working}` its working copy, `{python}` this interpreter.
A relative `cwd` or `workingCopy` begins at the folder of the targets file.
A system with `{port}` in its command is given a free port; any other prints the port it bound on its first line.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import Field

from evalnb.adapters.targets import ARTIFACT_PATH, PURPOSE, TargetsFile, parse_targets
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.artifacts.model import Items, Omittable, StrictObject
from evalnb.engine.artifacts.primitives import Identifier, MapOf, PositiveInt, Text
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.faults import RuntimeFault
from evalnb.written_files import read_written

SECTIONS: Final = ("api", "cli", "mcp")
PORT: Final = "{port}"

InstanceSpan = Literal["per-trial", "per-arm"]
"""How long an instance of the system lasts; one of a whole arm relies on the contract's fixture reset alone."""


class StartedSystem(StrictObject):
    """A process that evalnb starts for every instance; it is ready once it listens."""

    interfaces: Annotated[Items[Identifier], Field(min_length=1)]
    command: Annotated[Items[Text], Field(min_length=1)]
    environment: Annotated[MapOf[Text, str] | None, Omittable()] = None
    cwd: Annotated[Text | None, Omittable()] = None
    start_seconds: Annotated[PositiveInt | None, Omittable()] = None


@dataclass(frozen=True, slots=True)
class MeasuredTargets:
    """The raw sections with their placeholders, and what is started. `folder` is where relative names begin."""

    sections: Mapping[str, Any]
    systems: tuple[StartedSystem, ...] = ()
    working_copy: str | None = None
    instances: InstanceSpan = "per-trial"
    folder: str = "."

    @property
    def is_remade(self) -> bool:
        """Whether each instance is a system of its own; a system that runs somewhere already is shared by all."""
        return bool(self.systems) or not self.sections.get("api")

    @property
    def document(self) -> dict[str, Any]:
        """Everything, as `parse_measured_targets` reads it again."""
        systems = [system.model_dump(mode="json", by_alias=True, exclude_unset=True) for system in self.systems]
        named = {"systems": systems} if systems else {}
        working = {} if self.working_copy is None else {"workingCopy": self.working_copy}
        span = {"instances": self.instances} if self.instances != "per-trial" else {}
        return {**copy.deepcopy(dict(self.sections)), **named, **working, **span}

    def at(self, places: Mapping[str, str], ports: Mapping[str, int]) -> TargetsFile:
        """The targets of one instance: placeholders filled, the ports of started systems put in."""
        sections = filled(self.sections, places)
        for authorization in (sections.get("api") or {}).get("authorizations", ()):
            port = ports.get(authorization.get("interfaceId"))
            if port is not None:
                authorization["port"] = port
        for kind in ("cli", "mcp"):
            for authorization in (sections.get(kind) or {}).get("authorizations", ()):
                if isinstance(authorization.get("cwd"), str):
                    authorization["cwd"] = os.path.abspath(os.path.join(self.folder, authorization["cwd"]))
        return parse_targets(sections)


def read_measured_targets(path: Path) -> MeasuredTargets:
    """The targets file at `path`. Raises `FileProblem`, RuntimeFault `schema-parse-failure` for any other content."""
    raw = read_written(path, PURPOSE, ARTIFACT_PATH)
    return parse_measured_targets(raw, folder=str(path.resolve().parent))


def parse_measured_targets(raw: Any, *, folder: str = ".") -> MeasuredTargets:
    """The targets that `raw` is; an ordinary targets file is one, too. RuntimeFault `schema-parse-failure`."""
    if isinstance(raw, MeasuredTargets):
        return raw
    if not isinstance(raw, Mapping):
        raise _refused("a targets file is an object")
    sections = {key: raw[key] for key in raw if key in SECTIONS}
    unknown = sorted(set(raw) - {*SECTIONS, "systems", "workingCopy", "instances"})
    if unknown:
        raise _refused(f"unknown key: {', '.join(unknown)}")
    listed = raw.get("systems", [])
    try:
        systems = tuple(validated(StartedSystem, one) for one in listed) if isinstance(listed, list | tuple) else None
    except ShapeError as error:
        raise _refused(f"systems: {error}", error) from error
    working_copy = raw.get("workingCopy")
    instances = raw.get("instances", "per-trial")
    if systems is None or not isinstance(working_copy, str | None) or instances not in get_args(InstanceSpan):
        raise _refused("systems is a list, workingCopy a folder, and instances per-trial or per-arm")
    targets = MeasuredTargets(copy.deepcopy(sections), systems, working_copy, instances, folder)
    # Read once as it stands, so that a wrong file is refused before anything is started.
    targets.at({}, {})
    return targets


def filled(value: Any, places: Mapping[str, str]) -> Any:
    """`value` with every placeholder in its texts replaced, deeply copied."""
    if isinstance(value, str):
        for name, text in {"python": sys.executable, **places}.items():
            value = value.replace("{" + name + "}", text)
        return value
    if isinstance(value, Mapping):
        return {key: filled(item, places) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [filled(item, places) for item in value]
    return value


def _refused(why: str, cause: BaseException | None = None) -> RuntimeFault:
    return RuntimeFault("schema-parse-failure", ARTIFACT_PATH, why, cause)

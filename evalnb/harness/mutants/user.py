"""Mutants that a person wrote: the system started differently, or edited in its working copy.

mutants:
  - id: late-hazard
    summary: a danger late in a message is not seen
    flags: ["--defect", "late-hazard"]      # added to every started system's command
    environment: {MODE: broken}             # beside what it has
    command: [python, other.py]             # in place of the command
    edits: [{file: desk.py, find: "<=", replace: "<"}]
    patch: fix.patch                        # a unified diff, applied to the working copy
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.artifacts.model import Items, Omittable, StrictObject
from evalnb.engine.artifacts.primitives import Identifier, MapOf, Text
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.canonical import digest_bytes, digest_directory
from evalnb.engine.faults import RuntimeFault
from evalnb.harness.measured_targets import MeasuredTargets
from evalnb.harness.mutants.spec import USER_OPERATOR, MutantSpec
from evalnb.written_files import read_written

ARTIFACT_PATH: Final = "UserMutants"


class Edit(StrictObject):
    """One text of one file that becomes another; it stands there exactly once."""

    file: Text
    find: Text
    replace: str


class UserMutantDocument(StrictObject):
    """What a person writes about one mutant; at least one of the changes is given."""

    id: Identifier
    summary: Text
    flags: Annotated[Items[str] | None, Omittable()] = None
    environment: Annotated[MapOf[Text, str] | None, Omittable()] = None
    command: Annotated[Items[Text] | None, Omittable()] = None
    edits: Annotated[Items[Edit] | None, Omittable()] = None
    patch: Annotated[Text | None, Omittable()] = None


class UserMutantFile(StrictObject):
    """The whole file."""

    mutants: Annotated[Items[UserMutantDocument], Field(min_length=1)]


def read_user_mutants(path: Path) -> list[MutantSpec]:
    """The mutants of a file, JSON or YAML. Raises `FileProblem`, RuntimeFault `schema-parse-failure` otherwise."""
    purpose = "the user mutants: defects that a person planted in the system"
    return parse_user_mutants(read_written(path, purpose, ARTIFACT_PATH))


def parse_user_mutants(raw: object) -> list[MutantSpec]:
    """The mutants that `raw` holds. Raises RuntimeFault `schema-parse-failure`."""
    try:
        file: UserMutantFile = validated(UserMutantFile, raw)
    except ShapeError as error:
        raise RuntimeFault("schema-parse-failure", ARTIFACT_PATH, f"no file of user mutants: {error}", error) from error
    ids = [mutant.id for mutant in file.mutants]
    if len(set(ids)) < len(ids):
        raise RuntimeFault("schema-parse-failure", ARTIFACT_PATH, "two user mutants share an id")
    specs = []
    for mutant in file.mutants:
        document = mutant.model_dump(mode="json", by_alias=True, exclude_unset=True)
        if not set(document) - {"id", "summary"}:
            raise RuntimeFault("schema-parse-failure", ARTIFACT_PATH, f"the mutant {mutant.id} changes nothing")
        specs.append(MutantSpec(f"user-{mutant.id}", USER_OPERATOR, None, None, mutant.summary, document))
    return specs


@dataclass(slots=True)
class UserMutant:
    """One user mutant at work; `rolled_back` turns false where an edit could not be taken back byte for byte."""

    document: UserMutantDocument
    folder: str
    rolled_back: bool = True

    @classmethod
    def of(cls, document: Mapping[str, Any], folder: str) -> UserMutant:
        return cls(validated(UserMutantDocument, dict(document)), folder)

    def targets(self, targets: MeasuredTargets) -> MeasuredTargets:
        """The targets of the changed system. RuntimeFault `port-failure` for a change that finds no place."""
        document = self.document
        starts_otherwise = bool(document.flags or document.environment or document.command)
        sections = dict(targets.sections)
        if not targets.systems and starts_otherwise:
            sections["mcp"] = self._servers(sections.get("mcp"))
        if (document.edits or document.patch) and targets.working_copy is None:
            raise _unplanted("edits and patches need a workingCopy in the targets file")
        systems = tuple(
            system.model_copy(
                update={
                    "command": (*(document.command or system.command), *(document.flags or ())),
                    "environment": {**(system.environment or {}), **(document.environment or {})},
                }
            )
            for system in targets.systems
        )
        return replace(targets, sections=sections, systems=systems)

    def prepare(self, working: Path) -> None:
        """Edit a working copy: planted, taken back, compared by digest, and planted again for the run."""
        if not (self.document.edits or self.document.patch):
            return
        before = tree_digest(working)
        originals = {edit.file: _inside(working, edit.file).read_bytes() for edit in self.document.edits or ()}
        self._plant(working)
        if tree_digest(working) == before:
            raise _unplanted("the edit changes no byte of the working copy")
        self._take_back(working, originals)
        self.rolled_back = self.rolled_back and tree_digest(working) == before
        self._plant(working)

    def _servers(self, section: Any) -> Any:
        """The tool servers started with other flags, environment or command."""
        if not section:
            raise _unplanted("flags, environment and command change systems and tool servers; there are none")
        document = self.document
        changed = []
        for authorization in section["authorizations"]:
            command = list(document.command or (authorization["target"], *authorization["targetArgs"]))
            changed.append(
                {
                    **authorization,
                    "target": command[0],
                    "targetArgs": [*command[1:], *(document.flags or ())],
                    "serverEnvironment": {**authorization["serverEnvironment"], **(document.environment or {})},
                }
            )
        return {**section, "authorizations": changed}

    def _plant(self, working: Path) -> None:
        for edit in self.document.edits or ():
            _replace(_inside(working, edit.file), edit.find.encode(), edit.replace.encode())
        if self.document.patch is not None:
            _apply(Path(self.folder) / self.document.patch, working, reverse=False)

    def _take_back(self, working: Path, originals: Mapping[str, bytes]) -> None:
        if self.document.patch is not None:
            _apply(Path(self.folder) / self.document.patch, working, reverse=True)
        for name, data in originals.items():
            (working / name).write_bytes(data)


def tree_digest(folder: Path) -> str:
    """One digest over every file of a folder."""
    files = {
        path.relative_to(folder).as_posix(): digest_bytes(path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
    return digest_directory(files, "working copy")


def _inside(working: Path, name: str) -> Path:
    """A file of the working copy; one that a name or a link leads out of it belongs to somebody else."""
    path = (working / name).resolve()
    if not path.is_relative_to(working.resolve()):
        raise _unplanted(f"{name} is not in the working copy")
    if not path.is_file():
        raise _unplanted(f"the working copy has no file {name}")
    return path


def _replace(path: Path, find: bytes, replace: bytes) -> None:
    held = path.read_bytes()
    if held.count(find) != 1:
        raise _unplanted(f"{path.name} holds the text to be edited {held.count(find)} times; it must be once")
    path.write_bytes(held.replace(find, replace))


def _apply(patch: Path, working: Path, *, reverse: bool) -> None:
    """Apply a unified diff; its names are relative to the working copy, with or without a first component."""
    try:
        text = patch.read_bytes()
    except OSError as error:
        raise _unplanted(f"the patch {patch.name} cannot be read ({(error.strerror or 'error').lower()})") from None
    strip = 1 if re.search(rb"^--- a/", text, re.MULTILINE) else 0
    command = ["git", "apply", f"-p{strip}", *(["-R"] if reverse else []), str(patch.resolve())]
    # Outside any repository, so that git takes the names as they are.
    environment = {"PATH": os.environ.get("PATH", ""), "GIT_CEILING_DIRECTORIES": str(working.parent)}
    done = subprocess.run(command, cwd=working, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise _unplanted(f"the patch does not apply: {done.stderr.strip()[:300]}")


def _unplanted(detail: str) -> RuntimeFault:
    return RuntimeFault("port-failure", ARTIFACT_PATH, detail)

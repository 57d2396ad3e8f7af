"""The folder of a measurement: an ordinary evaluation folder, and what a stopped measurement goes on from.

Finished mutants are kept one file each under `mutants`, in a form that the same inputs give again; recordings leave
out what the contract declares volatile, so that probes have the same digests on every run.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from evalnb.engine.canonical import canonical_text, digest_bytes, digest_directory, scan_json
from evalnb.files import FileProblem, read_file, write_text_atomically
from evalnb.harness.arms import CleanRun, FaultLeg, MutantRun, TrialRun
from evalnb.harness.differences import Hidden, answer_tree, is_hidden
from evalnb.harness.mutants.spec import MutantSpec

STATE: Final = ".measure"
PLAN: Final = "plan.json"
CLEAN: Final = "clean.json"
MEASUREMENT: Final = "measurement.json"
STRENGTHENED: Final = "strengthened-contract.json"


class MeasurementFolder:
    """A folder being written, which knows the digest of what it wrote."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.digests: dict[str, str] = {}

    def begin(self, inputs: Mapping[str, str], *, resume: bool) -> None:
        """Take the folder for `inputs`, digests by name.

        Raises `FileProblem` where it holds something else, or a measurement of other inputs.
        """
        if self.path.exists() and not self.path.is_dir():
            raise FileProblem(self.path, "is no folder; name another one")
        plan = self.path / STATE / PLAN
        if plan.exists():
            known = json.loads(read_file(plan, "the inputs of a measurement"))
            if not resume:
                raise FileProblem(self.path, "holds a measurement; go on with --resume or name another folder")
            changed = [name for name in inputs if known.get("inputs", {}).get(name) != inputs[name]]
            if changed:
                other = ", another ".join(changed)
                raise FileProblem(self.path, f"holds a measurement of another {other}; name another folder")
        elif self.path.is_dir() and any(self.path.iterdir()):
            raise FileProblem(self.path, "is not empty and holds no measurement; name another folder")
        for name in (MEASUREMENT, STRENGTHENED):
            (self.path / name).unlink(missing_ok=True)
        for name in ("probes", "records", "recordings", "out"):
            shutil.rmtree(self.path / name, ignore_errors=True)
        write_text_atomically(plan, json.dumps({"inputs": dict(inputs)}) + "\n")

    def give_back(self) -> None:
        """Leave nothing of a measurement that ended before a mutant was kept; one that has some can go on later."""
        state = self.path / STATE
        if any(path.name not in (PLAN, CLEAN) for path in state.iterdir()):
            return
        shutil.rmtree(state)
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def write(self, name: str, text: str) -> dict[str, Any]:
        """Write one file and return the artifact reference to it."""
        write_text_atomically(self.path / name, text)
        self.digests[name] = digest_bytes(text.encode("utf-8"))
        return self.reference(name)

    def write_json(self, name: str, value: Any) -> dict[str, Any]:
        """Write one document in its canonical form."""
        return self.write(name, canonical_text(plain(value), name) + "\n")

    def write_list(self, name: str, values: Iterable[Any]) -> dict[str, Any]:
        """Write documents as one list in its canonical form, one of them in memory at a time."""
        return self.write(name, "[" + ",".join(canonical_text(plain(value), name) for value in values) + "]\n")

    def reference(self, name: str) -> dict[str, Any]:
        """The artifact reference to a file that was written."""
        return {"storage": "public", "path": name, "privateRef": None, "digest": self.digests[name]}

    def digest_of(self, folder: str) -> str:
        """One digest over the files written into a folder."""
        members = {name: digest for name, digest in self.digests.items() if name.startswith(f"{folder}/")}
        return digest_directory(members, "corpus digest")

    def keep_clean(self, run: CleanRun) -> None:
        """Keep the clean arm."""
        self._keep(CLEAN.removesuffix(".json"), asdict(run))

    def kept_clean(self) -> CleanRun | None:
        """The clean arm of a stopped measurement."""
        document = self._kept(CLEAN.removesuffix(".json"))
        if document is None:
            return None
        return CleanRun(tuple(map(_trial, document["trials"])), tuple(document["legs"]))

    def keep(self, run: MutantRun) -> None:
        """Keep a finished mutant."""
        self._keep(run.spec.mutant_id, asdict(run))

    def kept(self, spec: MutantSpec) -> MutantRun | None:
        """A mutant that was finished before; None for one that was not, or that is another one by now."""
        document = self._kept(spec.mutant_id)
        if document is None or document["spec"] != spec.document:
            return None
        return MutantRun(
            spec,
            tuple(map(_trial, document["trials"])),
            tuple(FaultLeg(**fault) for fault in document["faults"]),
            document["broken"],
            document["rolled_back"],
        )

    def _keep(self, name: str, document: Any) -> None:
        write_text_atomically(self.path / STATE / f"{name}.json", canonical_text(plain(document), name) + "\n")

    def _kept(self, name: str) -> Any:
        path = self.path / STATE / f"{name}.json"
        return scan_json(path.read_bytes(), name) if path.exists() else None


def recording_text(trials: Sequence[TrialRun], volatile: Mapping[str, Hidden]) -> str:
    """One JSON line for every call of an arm, what the contract declares volatile left out."""
    lines = [
        canonical_text(
            {
                "trial": number,
                "sequence": document["sequence"],
                "stepId": step_id,
                "operationId": document["operationId"],
                "callInputs": document["callInputs"],
                "answer": _without((), answer_tree(document), volatile.get(step_id, ())),
            },
            "recording",
        )
        for number, trial in enumerate(trials, 1)
        for step_id, document in trial.steps.items()
    ]
    return "".join(f"{line}\n" for line in lines)


def plain(value: Any) -> Any:
    """`value` with tuples as lists and mappings as dicts, as JSON has them."""
    if isinstance(value, Mapping):
        return {key: plain(member) for key, member in value.items()}
    return [plain(member) for member in value] if isinstance(value, list | tuple) else value


def _without(path: tuple[str, ...], value: Any, hidden: Hidden) -> Any:
    if isinstance(value, dict):
        return {key: _without((*path, key), member, hidden) for key, member in _kept_members(path, value, hidden)}
    if isinstance(value, list):
        members = {str(position): item for position, item in enumerate(value)}
        return [_without((*path, key), member, hidden) for key, member in _kept_members(path, members, hidden)]
    return value


def _kept_members(path: tuple[str, ...], members: Mapping[str, Any], hidden: Hidden) -> Iterator[tuple[str, Any]]:
    for key, member in members.items():
        if not is_hidden((*path, key), hidden):
            yield key, member


def _trial(document: Mapping[str, Any]) -> TrialRun:
    steps = dict(sorted(document["steps"].items(), key=lambda item: item[1]["sequence"]))
    return TrialRun(steps, tuple(document["skipped"]), document["stopped"], document["seconds"])

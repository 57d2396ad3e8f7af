"""An evaluation folder, read and checked for shape: the value that a run, a notebook and a report start from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalnb.engine.artifacts import (
    EVALUATOR_CONFIGURATION,
    ISOLATION_MANIFEST,
    PROBE,
    SCORING_POLICY,
    SEALED_RUN_RECORD,
    EvaluatorConfiguration,
    IsolationManifest,
    Probe,
    ScoringPolicy,
    SealedRunRecord,
    read,
)
from evalnb.engine.artifacts.reading import ArtifactKind
from evalnb.engine.canonical import DIGEST_PATTERN, digest_bytes, digest_directory, scan_json
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json
from evalnb.evaluation import layout
from evalnb.evaluation.layout import FolderEntry
from evalnb.files import FileProblem, read_file


@dataclass(frozen=True, slots=True)
class Arm:
    """One probe and the trials that were run against it, in trial order."""

    probe: Probe
    records: tuple[SealedRunRecord, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything a run reads. `contract` and `observations` are kept raw: their stages judge them.

    `digests` maps each file read, by its name inside the folder, to the digest of its bytes.
    """

    folder: Path
    contract: Json
    arms: tuple[Arm, ...]
    planning: tuple[Json, ...]
    observations: Json
    policy: ScoringPolicy
    manifest: IsolationManifest
    configuration: EvaluatorConfiguration
    corpus_digest: str
    corpus_digest_computed: bool
    floors: Json
    digests: Mapping[str, str]

    @property
    def run_id(self) -> str:
        """The run the folder records: the isolation manifest names it."""
        return self.manifest.run_id

    def __repr__(self) -> str:
        trials = sum(len(arm.records) for arm in self.arms)
        return f"Evaluation({str(self.folder)!r}: {len(self.arms)} probes, {trials} sealed run records)"


def open_evaluation(folder: str | os.PathLike[str], *, policy: str | os.PathLike[str] | None = None) -> Evaluation:
    """Read an evaluation folder.

    `policy` names a scoring policy to use in place of the folder's own. Raises `FileProblem` for a missing or
    unreadable file and for a record that belongs to no probe, `RuntimeFault` for a file whose content is not the
    artifact it should be; both name the file.
    """
    reader = _FolderReader(Path(folder))
    probes = {path: reader.artifact(path, PROBE) for path in reader.require(layout.PROBES)}
    planning = reader.optional_json(layout.PLANNING)
    if planning is not None and not isinstance(planning, list):
        raise FileProblem(reader.folder / layout.PLANNING.name, f"must be a list; it holds {layout.PLANNING.purpose}")
    given_digest = reader.optional_text(layout.CORPUS_DIGEST)
    floors = reader.optional_json(layout.FLOORS)
    return Evaluation(
        folder=reader.folder,
        contract=reader.json(layout.CONTRACT),
        arms=_arms(reader, tuple(probes.values())),
        planning=tuple(planning) if planning is not None else tuple(probe.document for probe in probes.values()),
        observations=reader.json(layout.OBSERVATIONS),
        policy=reader.policy(policy),
        manifest=reader.artifact(reader.require(layout.MANIFEST)[0], ISOLATION_MANIFEST),
        configuration=reader.artifact(reader.require(layout.CONFIGURATION)[0], EVALUATOR_CONFIGURATION),
        corpus_digest=given_digest or reader.probe_digest(probes),
        corpus_digest_computed=given_digest is None,
        floors={} if floors is None else floors,
        digests=dict(sorted(reader.digests.items())),
    )


def _arms(reader: _FolderReader, probes: tuple[Probe, ...]) -> tuple[Arm, ...]:
    records: dict[str, list[SealedRunRecord]] = {}
    for probe in probes:
        if probe.probe_id in records:
            raise FileProblem(reader.folder, f"two probe files declare {probe.probe_id}; one probe is one arm")
        records[probe.probe_id] = []
    for path in reader.require(layout.RECORDS):
        record = reader.artifact(path, SEALED_RUN_RECORD)
        if record.isolation_manifest_artifact.storage == "private":
            raise FileProblem(
                path, "names a private isolation manifest; score it with evalnb score and its --corpus-root"
            )
        records[_probe_of(record, path, tuple(records))].append(record)
    for probe_id, found in records.items():
        if not found:
            raise FileProblem(
                reader.folder, f"no sealed run record names probe {probe_id}; an arm needs at least one trial"
            )
        found.sort(key=lambda record: record.trial_index)
    return tuple(Arm(probe, tuple(records[probe.probe_id])) for probe in probes)


def _probe_of(record: SealedRunRecord, path: Path, probe_ids: tuple[str, ...]) -> str:
    """The probe a record was made against.

    Its findings name it. A record without findings is placed by its file name or its condition arm, and in a
    folder with one probe it can only belong to that one.
    """
    named = {finding.probe_id for finding in record.findings}
    if not named:
        words = {*_words(path.stem), *_words(record.condition_arm)}
        named = {probe_id for probe_id in probe_ids if probe_id in words}
    if not named and len(probe_ids) == 1:
        return probe_ids[0]
    if len(named) == 1 and named <= set(probe_ids):
        return named.pop()
    if not named:
        problem = "names no probe: it has no findings, and neither its file name nor its condition arm holds one"
    elif len(named) > 1:
        problem = f"names several probes ({', '.join(sorted(named))}); one record is one trial of one probe"
    else:
        problem = f"names probe {named.pop()}, which no probe file of this folder declares"
    raise FileProblem(path, f"{problem} (known here: {', '.join(probe_ids)})")


def _words(text: str) -> Iterator[str]:
    for word in text.replace(":", " ").replace(".", " ").replace("/", " ").replace("_", " ").split():
        yield word
        head, _, tail = word.partition("-")
        yield f"{head}-{tail.split('-')[0]}"


class _FolderReader:
    """Reads the entries of the layout, once each, remembering the digest of every file."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            what = "is not a folder" if folder.exists() else "not found"
            raise FileProblem(folder, f"{what}; an evaluation folder holds {layout.CONTRACT.name} and its runs")
        self.folder = folder
        self.digests: dict[str, str] = {}

    def find(self, entry: FolderEntry) -> list[Path]:
        for pattern in entry.patterns:
            found = sorted(self.folder.glob(pattern)) if "*" in pattern else [self.folder / pattern]
            if ("*" in pattern or os.path.lexists(found[0])) and found:
                return found
        return []

    def require(self, entry: FolderEntry) -> list[Path]:
        found = self.find(entry)
        if not found:
            raise FileProblem(self.folder / entry.name, f"not found; it holds {entry.purpose}")
        return found

    def bytes_of(self, path: Path, purpose: str) -> bytes:
        data = read_file(path, purpose)
        self.digests[self.name(path)] = digest_bytes(data)
        return data

    def name(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else path.name

    def value(self, path: Path, purpose: str, artifact_path: str) -> Json:
        with naming_file(self.name(path)):
            return scan_json(self.bytes_of(path, purpose), artifact_path)

    def json(self, entry: FolderEntry) -> Json:
        return self.value(self.require(entry)[0], entry.purpose, entry.artifact_path)

    def optional_json(self, entry: FolderEntry) -> Json:
        found = self.find(entry)
        return self.value(found[0], entry.purpose, entry.artifact_path) if found else None

    def optional_text(self, entry: FolderEntry) -> str | None:
        found = self.find(entry)
        if not found:
            return None
        text = self.bytes_of(found[0], entry.purpose).decode("utf-8", "replace").strip()
        if DIGEST_PATTERN.fullmatch(text) is None:
            raise FileProblem(found[0], f"must hold one sha256 digest and nothing else; it holds {entry.purpose}")
        return text

    def artifact(self, path: Path, kind: ArtifactKind) -> Any:
        raw = self.value(path, f"the {kind.name}", kind.name)
        with naming_file(self.name(path)):
            return read(kind, raw)

    def policy(self, given: str | os.PathLike[str] | None) -> ScoringPolicy:
        path = self.require(layout.POLICY)[0] if given is None else Path(given)
        policy: ScoringPolicy = self.artifact(path, SCORING_POLICY)
        return policy

    def probe_digest(self, probes: Mapping[Path, Probe]) -> str:
        return digest_directory({self.name(path): self.digests[self.name(path)] for path in probes}, "corpus digest")


@contextmanager
def naming_file(name: str, artifact_path: str | None = None) -> Iterator[None]:
    """Put the file's name into the detail of a fault from the code below; with `artifact_path`, of those at it."""
    try:
        yield
    except RuntimeFault as fault:
        if artifact_path is not None and not fault.artifact_path.startswith(artifact_path):
            raise
        detail = f"{name}: {fault.detail}"
        raise RuntimeFault(fault.code, fault.artifact_path, detail, fault.cause) from fault

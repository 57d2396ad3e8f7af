"""What an evaluation folder holds: one table of names, what each file is for and whether it may be missing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One kind of file. `patterns` are tried in order, relative to the folder; the first that matches wins."""

    name: str
    patterns: tuple[str, ...]
    purpose: str
    artifact_path: str
    missing: str | None = None
    """What happens without the file; `None` means the evaluation cannot run."""


CONTRACT = FolderEntry(
    "contract.json",
    ("contract.json",),
    "the evaluation contract: behaviors, oracles, interfaces and the interaction plan",
    "EvalContract",
)
PROBES = FolderEntry(
    "probe.json or probes/*.json",
    ("probe.json", "probes/*.json"),
    "the probes, one for each evaluation arm: what was planted, or that nothing was",
    "Probe",
)
PLANNING = FolderEntry(
    "probes.json",
    ("probes.json",),
    "the list of probes the pre-flight plans for",
    "Probe",
    missing="the pre-flight plans for every probe of the folder",
)
OBSERVATIONS = FolderEntry(
    "observations.json",
    ("observations.json",),
    "what the system answered to each leg of the pre-flight plan",
    "ProbeObservation",
)
RECORDS = FolderEntry(
    "sealed-run-record*.json or records/*.json",
    ("sealed-run-record*.json", "records/*.json"),
    "the sealed run records, one for each probe and trial: what the evaluator did, saw and reported",
    "SealedRunRecord",
)
POLICY = FolderEntry(
    "scoring-policy.json",
    ("scoring-policy.json",),
    "the scoring policy: severity floor, thresholds, trial counts and budgets",
    "ScoringPolicy",
)
MANIFEST = FolderEntry(
    "isolation-manifest.json",
    ("isolation-manifest.json",),
    "the isolation manifest: what the evaluator could reach, and what was withheld from it",
    "IsolationManifest",
)
CONFIGURATION = FolderEntry(
    "evaluator-configuration.json",
    ("evaluator-configuration.json",),
    "the evaluator configuration: which evaluator ran, and how it was set up",
    "EvaluatorConfiguration",
)
CORPUS_DIGEST = FolderEntry(
    "corpus-digest.txt",
    ("corpus-digest.txt",),
    "the digest of the probe corpus",
    "ScoringVersionInputs.corpusDigest",
    missing="computed over the probe files of the folder",
)
FLOORS = FolderEntry(
    "floors.json",
    ("floors.json",),
    "the catch rate each probe class must reach",
    "StrengthFloors",
    missing="no floors are declared",
)

LAYOUT = (
    CONTRACT,
    PROBES,
    PLANNING,
    OBSERVATIONS,
    RECORDS,
    POLICY,
    MANIFEST,
    CONFIGURATION,
    CORPUS_DIGEST,
    FLOORS,
)

"""A corpus: everything that was found in a folder, and the scorings of contracts that its evidence belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from evalnb.corpora.entries import ContractFacts, CorpusEntry
from evalnb.corpora.judging import judged
from evalnb.corpora.scored import ScoredProbe
from evalnb.engine.artifacts import EvidenceArtifact
from evalnb.evaluation import EvaluationRun


@dataclass(frozen=True, slots=True)
class Scoring:
    """One contract as it was scored in one place: a row of the corpus summary.

    Evidence does not name its contract. Artifacts that lie loose are one scoring where they share a folder, a run and
    a scoring version; `contract` is then None. A contract that was never scored has no evidence.
    """

    label: str
    path: str
    contract: ContractFacts | None
    scored: tuple[ScoredProbe, ...]
    invalid_probe_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Corpus:
    """Entries in path order. `name` is what the corpus is called in a comparison."""

    name: str
    entries: tuple[CorpusEntry, ...]

    @classmethod
    def of(cls, name: str, evidence: Iterable[EvidenceArtifact]) -> Corpus:
        """A corpus of evidence artifacts at hand, numbered in place of a path."""
        return cls(name, tuple(judged(artifact, f"{number:06}") for number, artifact in enumerate(evidence, start=1)))

    @classmethod
    def of_run(cls, name: str, run: EvaluationRun) -> Corpus:
        """A corpus of one finished run."""
        return cls(name, entries_of_run(".", run))

    @property
    def scored(self) -> tuple[ScoredProbe, ...]:
        """A scored probe for each evidence artifact that counts."""
        return tuple(one for entry in self.entries for one in entry.scored)

    @property
    def evidence(self) -> Iterator[EvidenceArtifact]:
        """All evidence that counts, whole, one artifact at a time: a large corpus is read again from what it keeps."""
        return (one.artifact for one in self.scored)

    @property
    def problems(self) -> tuple[CorpusEntry, ...]:
        """What could not be read or run; what is merely of no use is left out."""
        return tuple(entry for entry in self.entries if not entry.is_good and entry.status != "ignored")

    @property
    def scorings(self) -> tuple[Scoring, ...]:
        """The contracts, each as it was scored in one place, in path order."""
        scored = {entry.contract.digest for entry in self.entries if entry.contract is not None and entry.scored}
        loose: dict[tuple[str, str, str], list[ScoredProbe]] = {}
        found: list[Scoring] = []
        for entry in self.entries:
            if entry.kind == "evidence":
                folder = str(PurePosixPath(entry.path).parent)
                for one in entry.scored:
                    loose.setdefault((folder, one.run_id, one.scoring_version), []).append(one)
            elif entry.contract is not None and (entry.kind == "evaluation" or entry.contract.digest not in scored):
                found.append(
                    Scoring(
                        entry.contract.contract_id, entry.path, entry.contract, entry.scored, entry.invalid_probe_ids
                    )
                )
            elif entry.scored:
                found.append(Scoring(entry.path, entry.path, None, entry.scored))
        found += (Scoring(run_id, folder, None, tuple(members)) for (folder, run_id, _), members in loose.items())
        return tuple(sorted(found, key=lambda scoring: (scoring.path, scoring.label)))

    def __repr__(self) -> str:
        kinds = Counter(entry.kind for entry in self.entries if entry.is_good)
        counted = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "nothing that can be read"
        problems = f"; {len(self.problems)} could not be read" if self.problems else ""
        return f"Corpus({self.name!r}: {counted}; {len(self.scored)} evidence artifacts{problems})"


def entries_of_run(path: str, run: EvaluationRun) -> tuple[CorpusEntry, ...]:
    """The entry of an evaluation that was run, after one for each arm whose evidence does not count."""
    inside = "" if path == "." else f"{path}/"
    arms = [judged(arm.evidence, f"{inside}{arm.arm.probe.probe_id}") for arm in run.arms if arm.evidence is not None]
    evaluation = CorpusEntry(
        path,
        "evaluation",
        "run",
        contract=ContractFacts.of(run.contract),
        scored=tuple(one for arm in arms for one in arm.scored),
        invalid_probe_ids=tuple(arm.arm.probe.probe_id for arm in run.arms if arm.evidence is None),
    )
    return (*(arm for arm in arms if not arm.is_good), evaluation)

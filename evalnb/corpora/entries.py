"""What a corpus is made of: one entry for everything found in its folder, read or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from evalnb.corpora.scored import ScoredProbe
from evalnb.engine.artifacts import EvalContract
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.coverage import coverage

EntryKind: TypeAlias = Literal["evaluation", "contract", "evidence", "other"]
EntryStatus: TypeAlias = Literal["read", "run", "refused", "inconsistent", "unreadable", "ignored"]

ENTRY_KINDS: Final[tuple[EntryKind, ...]] = get_args(EntryKind)
ENTRY_STATUSES: Final[tuple[EntryStatus, ...]] = get_args(EntryStatus)
GOOD_STATUSES: Final[tuple[EntryStatus, ...]] = ("read", "run")


@dataclass(frozen=True, slots=True)
class ContractFacts:
    """A compiled contract in a few numbers; `digest` is the one that its run records name."""

    contract_id: str
    digest: str
    behaviors: int
    oracles: int
    coverage_gaps: int

    @classmethod
    def of(cls, contract: EvalContract) -> ContractFacts:
        return cls(
            contract_id=contract.contract_id,
            digest=digest_artifact(contract.document, "EvalContract"),
            behaviors=len(contract.behaviors),
            oracles=len(contract.oracles),
            coverage_gaps=len(coverage(contract).gaps),
        )


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """One thing found, at `path` inside the corpus folder (`.` for the folder itself).

    `read`: taken as it lies there. `run`: an evaluation that had left no evidence and was run. `refused`: a contract
    or an evaluation that the engine refuses. `inconsistent`: an evidence artifact that contradicts itself; it is not
    counted. `unreadable`: not what it should be. `ignored`: JSON that a corpus has no use for.
    All but the first two have a `reason`, and a `code` where the registry has one. `scored` holds a probe for each
    evidence artifact that counts.
    """

    path: str
    kind: EntryKind
    status: EntryStatus
    reason: str | None = None
    code: str | None = None
    artifact_path: str | None = None
    contract: ContractFacts | None = None
    scored: tuple[ScoredProbe, ...] = ()
    invalid_probe_ids: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Whether it could be read or run."""
        return self.status in GOOD_STATUSES

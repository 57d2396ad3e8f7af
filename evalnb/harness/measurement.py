"""What a measurement came to: the clean arm, every mutant with its status, and the rates over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from evalnb.engine.artifacts import Oracle, StrengthAggregate
from evalnb.engine.artifacts.reading import validated
from evalnb.harness.arms import TrialRun
from evalnb.harness.differences import Hidden, TreePath
from evalnb.harness.mutants.spec import MutantSpec

Status: TypeAlias = Literal["caught", "missed", "equivalent", "unqualified", "unreached", "broken"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)


class MeasurementStopped(Exception):
    """The clean system does not let anything be measured; `reasons` say why, one line each."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


@dataclass(frozen=True, slots=True)
class CleanArm:
    """The clean system's trials. `hidden` is, by step, what may differ without meaning anything."""

    trials: tuple[TrialRun, ...]
    legs: tuple[Mapping[str, Any], ...]
    hidden: Mapping[str, Hidden]
    noise: Mapping[str, tuple[TreePath, ...]]

    @property
    def steps(self) -> Mapping[str, Mapping[str, Any]]:
        """The first trial's observations by step."""
        return self.trials[0].steps


@dataclass(frozen=True, slots=True)
class MutantResult:
    """One mutant and what became of it. `reasons` say why, for every status that is not decided by scoring.

    `caught_by` are the oracles with a witnessed citation in more trials than not; `votes` the states scored.
    """

    spec: MutantSpec
    probe_id: str
    status: Status
    reasons: tuple[str, ...] = ()
    step_id: str | None = None
    interface_id: str | None = None
    operation_id: str | None = None
    behavior_id: str | None = None
    severity: str | None = None
    oracle_id: str | None = None
    caught_by: tuple[str, ...] = ()
    votes: tuple[str, ...] = ()

    @property
    def is_scored(self) -> bool:
        return self.status in ("caught", "missed")


@dataclass(frozen=True, slots=True)
class Rate:
    """Caught of scored, with a Wilson interval at 95 per cent; no rate where nothing was scored."""

    group: str
    caught: int
    scored: int
    low: float | None
    high: float | None

    @property
    def rate(self) -> float | None:
        return self.caught / self.scored if self.scored else None


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no oracle caught: the call that showed it, both answers, and what would have caught it.

    `unread` are the differing places that no oracle reads. `suggestion` is an oracle in contract JSON that compiles and
    was scored to catch the mutant, `suggested_for` the behavior it belongs to; None where none was found.
    """

    mutant_id: str
    step_id: str
    request: Mapping[str, Any]
    clean: Mapping[str, Any]
    mutated: Mapping[str, Any]
    differing: tuple[str, ...]
    unread: tuple[str, ...]
    rule: str | None
    rule_satisfied: bool | None
    suggestion: Mapping[str, Any] | None
    suggested_for: str | None

    @property
    def suggested_oracle(self) -> Oracle | None:
        """The suggestion as the oracle that it is."""
        return None if self.suggestion is None else validated(Oracle, dict(self.suggestion))


@dataclass(frozen=True, slots=True)
class Measurement:
    """The answer. `folder` is an ordinary evaluation folder; `strength` is None where nothing was scored.

    `clean` is None in a measurement that was read back.
    """

    contract_id: str
    seed: int
    trials: int
    folder: Path | None
    clean: CleanArm | None
    mutants: tuple[MutantResult, ...]
    strength: StrengthAggregate | None
    overall: Rate
    by_operator: tuple[Rate, ...]
    by_operation: tuple[Rate, ...]
    by_behavior: tuple[Rate, ...]
    by_severity: tuple[Rate, ...]
    survivors: tuple[Survivor, ...]
    redundant_oracles: tuple[str, ...]
    silent_oracles: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def counts(self) -> Mapping[Status, int]:
        """How many mutants came to each status."""
        counted = Counter(mutant.status for mutant in self.mutants)
        return {status: counted[status] for status in STATUSES}

    def __repr__(self) -> str:
        counted = ", ".join(f"{count} {status}" for status, count in self.counts.items() if count) or "no mutants"
        rate = "no rate" if self.overall.rate is None else f"catch rate {self.overall.rate:.0%}"
        return f"Measurement({self.contract_id}: {rate}; {counted})"

"""What a corpus says of each probe, so that corpora can be laid side by side probe by probe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evalnb.corpora.scored import ScoredProbe
from evalnb.corpora.version_inputs import version_left
from evalnb.engine.artifacts.aggregate import StrengthClass


class ProbeKey(NamedTuple):
    """A probe as it was scored: an identifier means the same probe only under one scoring version.

    Where some inputs of the version may differ, `scoring_version` is made of the others.
    """

    scoring_version: str
    probe_id: str


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One probe in one corpus.

    A probe that a corpus scored more than once counts as caught only where every scoring that exercised it caught it,
    and as comparable only where every scoring is; `deciding` is the scoring that decides, an uncaught one first.
    """

    key: ProbeKey
    deciding: ScoredProbe
    comparable: bool
    scorings: int

    @property
    def probe_class(self) -> StrengthClass | None:
        """None for clean controls and canaries."""
        return self.deciding.probe_class

    @property
    def severity(self) -> str:
        return self.deciding.severity

    @property
    def exercised(self) -> bool:
        return self.deciding.exercised

    @property
    def caught(self) -> bool:
        return self.deciding.caught

    @property
    def caught_by(self) -> tuple[str, ...]:
        """The oracles that caught it; none where it does not count as caught."""
        return self.deciding.caught_by if self.caught else ()


def key_of(scored: ScoredProbe, accepted: tuple[str, ...] = ()) -> ProbeKey:
    """What a probe is looked up by; the scoring version inputs in `accepted` do not count."""
    return ProbeKey(version_left(scored, accepted), scored.probe_id)


def probe_results(scored: Iterable[ScoredProbe], accepted: tuple[str, ...] = ()) -> dict[ProbeKey, ProbeResult]:
    """The result of every probe, in the order the probes first occur."""
    scorings: dict[ProbeKey, list[ScoredProbe]] = {}
    for one in scored:
        scorings.setdefault(key_of(one, accepted), []).append(one)
    return {key: _result(key, members) for key, members in scorings.items()}


def _result(key: ProbeKey, members: Sequence[ScoredProbe]) -> ProbeResult:
    exercised = [one for one in members if one.exercised]
    return ProbeResult(
        key=key,
        deciding=min(exercised, key=lambda one: one.caught, default=members[0]),
        comparable=all(one.comparable for one in members),
        scorings=len(members),
    )

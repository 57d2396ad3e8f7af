"""Which of two corpora shows the stronger contract: the engine's relation, carried from probes to corpora.

The engine compares two artifacts over one probe. Its relations over all shared probes are reduced by its own rule for
classes: one side is ahead in some class and behind in none, and does not miss what the other caught at or above the
severity floor. With one artifact a side that is the engine's own answer. spec: 09 §9.3
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from evalnb.corpora.enumeration import enumerated
from evalnb.corpora.probe_results import ProbeKey, ProbeResult
from evalnb.engine.artifacts.aggregate import StrengthClass
from evalnb.engine.score.dominance import Dominance, DominanceSide, compare_dominance
from evalnb.engine.score.severity import at_or_above


@dataclass(frozen=True, slots=True)
class CorpusRelation:
    """How corpus `a` stands to corpus `b`, and why."""

    corpus_a: str
    corpus_b: str
    relation: Dominance
    reason: str

    @property
    def turned(self) -> CorpusRelation:
        """The same from the other side."""
        return CorpusRelation(self.corpus_b, self.corpus_a, _TURNED.get(self.relation, self.relation), self.reason)


_TURNED: Final[dict[Dominance, Dominance]] = {"a-dominates-b": "b-dominates-a", "b-dominates-a": "a-dominates-b"}


@dataclass(frozen=True, slots=True)
class _Decided:
    """A shared probe whose relation the engine could decide."""

    probe_id: str
    probe_class: StrengthClass
    severity: str
    relation: Dominance

    @property
    def score(self) -> int:
        """1 where only `a` caught it, -1 where only `b` did."""
        return {"a-dominates-b": 1, "b-dominates-a": -1}.get(self.relation, 0)


def relations(
    results: Mapping[str, Mapping[ProbeKey, ProbeResult]], severity_floor: str, *, across_policies: bool = False
) -> tuple[CorpusRelation, ...]:
    """Every corpus against every other, both ways.

    The engine leaves artifacts under different scoring policies unrelated; `across_policies` relates them.
    """
    found = [
        _relate(a, results[a], b, results[b], severity_floor, across_policies) for a, b in combinations(results, 2)
    ]
    return tuple(found + [one.turned for one in found])


def _relate(
    a: str,
    in_a: Mapping[ProbeKey, ProbeResult],
    b: str,
    in_b: Mapping[ProbeKey, ProbeResult],
    floor: str,
    across_policies: bool,
) -> CorpusRelation:
    decided: list[_Decided] = []
    for key in in_a:
        left, right = in_a[key], in_b.get(key)
        if right is None or left.probe_class is None or not (left.exercised and right.exercised):
            continue
        side_a, side_b = DominanceSide.of(left.deciding.artifact), DominanceSide.of(right.deciding.artifact)
        if across_policies:
            # The key is made of the policy and the probe, and the probe is the same.
            side_b = replace(side_b, comparability_key=side_a.comparability_key)
        relation = compare_dominance(side_a, side_b, floor)
        if relation == "incomparable" or not (left.comparable and right.comparable):
            return CorpusRelation(a, b, "incomparable", f"probe {key.probe_id} was not scored comparably in both")
        decided.append(_Decided(key.probe_id, left.probe_class, left.severity, relation))
    if not decided:
        return CorpusRelation(a, b, "incomparable", "they share no probe that both exercised")
    return _reduce(a, b, decided, floor)


def _reduce(a: str, b: str, decided: list[_Decided], floor: str) -> CorpusRelation:
    net: dict[StrengthClass, int] = {}
    for one in decided:
        net[one.probe_class] = net.get(one.probe_class, 0) + one.score
    ahead = [name for name, balance in net.items() if balance > 0]
    behind = [name for name, balance in net.items() if balance < 0]
    if ahead and behind:
        reason = f"{a} is ahead in {', '.join(ahead)} and {b} in {', '.join(behind)}"
        return CorpusRelation(a, b, "incomparable", reason)
    if not ahead and not behind:
        return CorpusRelation(
            a, b, "equivalent", f"both caught as many of the {len(decided)} shared probes in each class"
        )
    favored, other, lost = (a, b, -1) if ahead else (b, a, 1)
    missed = [one for one in decided if one.score == lost and at_or_above(one.severity, floor)]
    if missed:
        probes = enumerated([one.probe_id for one in missed])
        reason = f"{favored} catches more, but misses {probes}, which {other} caught at or above {floor}"
        return CorpusRelation(a, b, "incomparable", reason)
    reason = f"{favored} catches more in {', '.join(ahead or behind)} and no less in any class"
    return CorpusRelation(a, b, "a-dominates-b" if ahead else "b-dominates-a", reason)

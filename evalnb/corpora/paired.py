"""Whether one corpus catches more of the probes that both exercised: McNemar's exact test, Holm over all tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from evalnb.corpora.probe_results import ProbeKey, ProbeResult
from evalnb.engine.artifacts.aggregate import StrengthClass
from evalnb.engine.score.strength import STRENGTH_CLASSES


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One pair of corpora on one class: how many shared probes both, one or neither caught.

    A probe is counted where both corpora exercised it and both results are comparable; `passed_over` counts the other
    shared probes of the class. `p_value` is two-sided, `adjusted` is Holm's over every test of the comparison; both
    are None where no probe was counted. `significant` is at the confidence of the comparison.
    """

    corpus_a: str
    corpus_b: str
    probe_class: StrengthClass
    both: int
    only_a: int
    only_b: int
    neither: int
    passed_over: int
    p_value: float | None = None
    adjusted: float | None = None
    significant: bool = False

    @property
    def pairs(self) -> int:
        """How many probes were counted."""
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def difference(self) -> float | None:
        """The catch rate of `corpus_a` less that of `corpus_b` over the counted probes; None without any."""
        return (self.only_a - self.only_b) / self.pairs if self.pairs else None


def paired_tests(results: Mapping[str, Mapping[ProbeKey, ProbeResult]], confidence: float) -> tuple[PairedTest, ...]:
    """Every pair of corpora on every class of which they share a probe."""
    counted = [
        test
        for a, b in combinations(results, 2)
        for name in STRENGTH_CLASSES
        for test in _count(a, results[a], b, results[b], name)
    ]
    tested = [test for test in counted if test.pairs]
    decided = iter(_decide(tested, confidence) if tested else ())
    return tuple(next(decided) if test.pairs else test for test in counted)


def _count(
    a: str,
    in_a: Mapping[ProbeKey, ProbeResult],
    b: str,
    in_b: Mapping[ProbeKey, ProbeResult],
    name: StrengthClass,
) -> list[PairedTest]:
    shared = [(in_a[key], in_b[key]) for key in in_a if key in in_b and in_a[key].probe_class == name]
    if not shared:
        return []
    usable = [(x.caught, y.caught) for x, y in shared if x.exercised and y.exercised and x.comparable and y.comparable]
    return [
        PairedTest(
            a,
            b,
            name,
            both=usable.count((True, True)),
            only_a=usable.count((True, False)),
            only_b=usable.count((False, True)),
            neither=usable.count((False, False)),
            passed_over=len(shared) - len(usable),
        )
    ]


def _decide(tests: Sequence[PairedTest], confidence: float) -> list[PairedTest]:
    # Loaded here: statsmodels takes longer to load than most comparisons take without it.
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.multitest import multipletests

    raw = [float(mcnemar([[t.both, t.only_a], [t.only_b, t.neither]], exact=True).pvalue) for t in tests]
    rejected, adjusted, *_ = multipletests(raw, alpha=1 - confidence, method="holm")
    return [
        replace(test, p_value=p_value, adjusted=float(holm), significant=bool(decision))
        for test, p_value, holm, decision in zip(tests, raw, adjusted, rejected, strict=True)
    ]

"""Several corpora side by side: strength by class, paired tests, dominance, and what only one of them catches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from evalnb.corpora.class_counts import ClassCounts, count_probes
from evalnb.corpora.corpus import Corpus
from evalnb.corpora.dominance import CorpusRelation, relations
from evalnb.corpora.intervals import check_confidence
from evalnb.corpora.opening import Progress, open_corpus
from evalnb.corpora.paired import PairedTest, paired_tests
from evalnb.corpora.probe_results import ProbeKey, ProbeResult, key_of, probe_results
from evalnb.corpora.refusal import Caveat, Refusal, caveats, refusals
from evalnb.corpora.version_inputs import checked_inputs
from evalnb.engine.coverage.report import SEVERITY_ORDER
from evalnb.evaluation import EvaluationRun

CorpusSource: TypeAlias = "Corpus | EvaluationRun | str | os.PathLike[str]"
CorpusSources: TypeAlias = "Mapping[str, CorpusSource] | Iterable[CorpusSource]"
"""Corpora, finished runs or folders: by the name to show them under, or in a row under their own names."""


@dataclass(frozen=True, slots=True)
class CorpusStrength:
    """One class in one corpus, each probe counted once."""

    corpus: str
    counts: ClassCounts


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing came to.

    A comparison that is refused has no numbers at all: `refusals` says what differs, and every other part is empty.
    `caveats` are the differences that were accepted beforehand; whoever reads the numbers has to know them.
    `results` holds, by corpus, the result of every compared probe, for whoever wants to see what is behind a number.
    """

    names: tuple[str, ...]
    severity_floor: str
    confidence: float
    refusals: tuple[Refusal, ...]
    strength: tuple[CorpusStrength, ...] = ()
    paired: tuple[PairedTest, ...] = ()
    dominance: tuple[CorpusRelation, ...] = ()
    results: Mapping[str, Mapping[ProbeKey, ProbeResult]] = field(default_factory=dict)
    corpora: Mapping[str, Corpus] = field(default_factory=dict)
    only_shared: bool = False
    accept_differing: tuple[str, ...] = ()
    caveats: tuple[Caveat, ...] = ()

    @property
    def state(self) -> Literal["compared", "refused"]:
        return "refused" if self.refusals else "compared"

    @property
    def accepted_inputs(self) -> tuple[str, ...]:
        """The inputs that differ and were accepted, each once."""
        return tuple(dict.fromkeys(caveat.input for caveat in self.caveats))

    @property
    def only_caught_by(self) -> tuple[OnlyCaught, ...]:
        """The probes that exactly one corpus caught, corpus by corpus; another may not even have exercised them."""
        return tuple(
            OnlyCaught(name, result)
            for name in self.results
            for key, result in self.results[name].items()
            if result.caught and not any(o[key].caught for n, o in self.results.items() if n != name and key in o)
        )

    def again(
        self,
        *,
        names: Iterable[str] | None = None,
        severity_floor: str | None = None,
        confidence: float | None = None,
        only_shared: bool | None = None,
        accept_differing: Iterable[str] | None = None,
    ) -> Comparison:
        """The same corpora, or some of them, compared under other options; what is None stays as it is.

        Raises `KeyError` for an unknown name and `ValueError` as `compare` does.
        """
        return compare(
            {name: self.corpora[name] for name in (self.names if names is None else names)},
            severity_floor=self.severity_floor if severity_floor is None else severity_floor,
            confidence=self.confidence if confidence is None else confidence,
            only_shared=self.only_shared if only_shared is None else only_shared,
            accept_differing=self.accept_differing if accept_differing is None else accept_differing,
        )

    def __repr__(self) -> str:
        told = self.refusals[0].reason if self.refusals else f"{len(self.paired)} paired tests"
        if self.caveats:
            told += f"; accepted: {', '.join(self.accepted_inputs)}"
        return f"Comparison({' / '.join(self.names)}: {self.state}; {told})"


@dataclass(frozen=True, slots=True)
class OnlyCaught:
    """A probe that one corpus caught and no other did."""

    corpus: str
    result: ProbeResult


def compare(
    corpora: CorpusSources,
    *,
    severity_floor: str = "material",
    confidence: float = 0.95,
    only_shared: bool = False,
    accept_differing: Iterable[str] = (),
    progress: Progress | None = None,
) -> Comparison:
    """Lay two or more corpora side by side.

    Only scorings that share every scoring version input and cover the same probes are compared; otherwise the
    comparison is refused, and says which input differs. `accept_differing` names scoring version inputs that may
    differ; two contracts over the same probes always differ in `evaluatorConfigurationDigest`. What does differ is then
    a caveat of the comparison. `only_shared` leaves out the probes and scorings that not all corpora have.
    `severity_floor` is the severity from which a missed probe costs dominance, `confidence` (between 0 and 1) that of
    the intervals and tests.
    Raises `ValueError` for other values and for fewer than two corpora, `FileProblem` for a folder that is none.
    """
    if severity_floor not in SEVERITY_ORDER:
        raise ValueError(f"severity_floor must be one of {', '.join(SEVERITY_ORDER)}; it is {severity_floor!r}")
    check_confidence(confidence)
    accepted = checked_inputs(accept_differing)
    opened = _opened(corpora, progress)
    if len(opened) < 2:
        raise ValueError("comparing takes at least two corpora")
    scored = {name: corpus.scored for name, corpus in opened.items()}
    results = {name: probe_results(found, accepted) for name, found in scored.items()}
    if only_shared:
        shared = set.intersection(*(set(found) for found in results.values()))
        if shared:
            scored = {
                name: tuple(one for one in found if key_of(one, accepted) in shared) for name, found in scored.items()
            }
            results = {name: probe_results(found, accepted) for name, found in scored.items()}
    compared = Comparison(
        names=tuple(opened),
        severity_floor=severity_floor,
        confidence=confidence,
        refusals=tuple(refusals(scored, results, accepted)),
        corpora=opened,
        only_shared=only_shared,
        accept_differing=accepted,
        caveats=tuple(caveats(scored, accepted)),
    )
    return compared if compared.refusals else _with_numbers(compared, results)


def _with_numbers(compared: Comparison, results: Mapping[str, Mapping[ProbeKey, ProbeResult]]) -> Comparison:
    return replace(
        compared,
        strength=tuple(
            CorpusStrength(n, counts) for n, found in results.items() for counts in count_probes(found.values())
        ),
        paired=paired_tests(results, compared.confidence),
        dominance=relations(
            results, compared.severity_floor, across_policies="scoringPolicyDigest" in compared.accept_differing
        ),
        results=results,
    )


def _opened(corpora: CorpusSources, progress: Progress | None) -> dict[str, Corpus]:
    """The corpora by name, in the given order; a name that repeats is numbered."""
    if isinstance(corpora, Mapping):
        return {name: _open(source, name, progress) for name, source in corpora.items()}
    if isinstance(corpora, str | os.PathLike):
        raise ValueError("comparing takes at least two corpora")
    opened: dict[str, Corpus] = {}
    for source in corpora:
        corpus = _open(source, None, progress)
        name, count = corpus.name, 1
        while name in opened:
            count += 1
            name = f"{corpus.name} ({count})"
        opened[name] = corpus
    return opened


def _open(source: CorpusSource, name: str | None, progress: Progress | None) -> Corpus:
    if isinstance(source, Corpus):
        return source
    if isinstance(source, EvaluationRun):
        return Corpus.of_run(name or source.contract.contract_id, source)
    return open_corpus(Path(source), name=name, progress=progress)

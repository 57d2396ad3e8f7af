"""Why two corpora may not be compared: which input of their scoring differs, and between whom.

Two scorings can be laid side by side only where they share every scoring version input and, by their comparability
keys, the policy and the probes. spec: 09 §9.3, §12.1
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from evalnb.corpora.enumeration import enumerated
from evalnb.corpora.probe_results import ProbeKey
from evalnb.corpora.scored import ScoredProbe


@dataclass(frozen=True, slots=True)
class Refusal:
    """One input that differs, or that is missing: its JSON name, the corpora, their values, and why in words."""

    input: str
    corpus_a: str
    corpus_b: str | None
    values_a: tuple[str, ...]
    values_b: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class SharedInput:
    """An input that compared corpora must share, by its JSON name, in a form that compares and prints."""

    name: str
    value: Callable[[ScoredProbe], str]


SHARED_INPUTS: Final = (
    SharedInput("contractSchemaVersion", lambda one: str(one.version_inputs.contract_schema_version)),
    SharedInput("corpusDigest", lambda one: one.version_inputs.corpus_digest),
    SharedInput("fixtureDigest", lambda one: one.version_inputs.fixture_digest),
    SharedInput("evaluatorConfigurationDigest", lambda one: one.version_inputs.evaluator_configuration_digest),
    SharedInput("scoringPolicyDigest", lambda one: one.version_inputs.scoring_policy_digest),
    SharedInput("mode", lambda one: one.version_inputs.mode),
    SharedInput("strength.basis", lambda one: one.basis),
    SharedInput("callerAttestedInputs", lambda one: ", ".join(one.attested_inputs) or "none"),
)
SCORING_VERSION: Final = SharedInput("scoringVersion", lambda one: one.scoring_version)


def refusals(
    scored: Mapping[str, Collection[ScoredProbe]], probes: Mapping[str, Collection[ProbeKey]]
) -> Iterator[Refusal]:
    """Everything that stands against comparing the corpora of `scored`, each with the first of them.

    What every corpus shares with the first, all of them share.
    """
    names = list(scored)
    empty = [name for name in names if not scored[name]]
    for name in empty:
        yield Refusal("evidence", name, None, (), (), f"{name} holds no evidence artifact that counts")
    if empty:
        return
    for other in names[1:]:
        differing = list(_differing(names[0], scored[names[0]], other, scored[other]))
        yield from differing or _differing_probes(names[0], probes[names[0]], other, probes[other])


def _differing(a: str, in_a: Collection[ScoredProbe], b: str, in_b: Collection[ScoredProbe]) -> Iterator[Refusal]:
    found = False
    for shared in SHARED_INPUTS:
        for refusal in _compare(shared, a, in_a, b, in_b):
            found = True
            yield refusal
    if not found:
        # The same values everywhere, yet put together differently.
        yield from _compare(SCORING_VERSION, a, in_a, b, in_b)


def _compare(
    shared: SharedInput, a: str, in_a: Collection[ScoredProbe], b: str, in_b: Collection[ScoredProbe]
) -> Iterator[Refusal]:
    values_a = tuple(sorted({shared.value(one) for one in in_a}))
    values_b = tuple(sorted({shared.value(one) for one in in_b}))
    if values_a != values_b:
        only_a, only_b = [v for v in values_a if v not in values_b], [v for v in values_b if v not in values_a]
        reason = f"{shared.name} differs: {_only(a, only_a)}; {_only(b, only_b)}"
        yield Refusal(shared.name, a, b, values_a, values_b, reason)


def _differing_probes(a: str, in_a: Collection[ProbeKey], b: str, in_b: Collection[ProbeKey]) -> Iterator[Refusal]:
    only_a = tuple(sorted(key.probe_id for key in set(in_a) - set(in_b)))
    only_b = tuple(sorted(key.probe_id for key in set(in_b) - set(in_a)))
    if only_a or only_b:
        shared = len(set(in_a) & set(in_b))
        yield Refusal(
            "comparabilityKey",
            a,
            b,
            only_a,
            only_b,
            f"comparabilityKey differs, the scored probes are not the same: {_only(a, only_a)}; {_only(b, only_b)}; "
            f"{shared} shared (only_shared=True compares those)",
        )


def _only(name: str, values: Collection[str]) -> str:
    if not values:
        return f"{name} has nothing of its own"
    return f"only {name} has {enumerated(list(values))}"

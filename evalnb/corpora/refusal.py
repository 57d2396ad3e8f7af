"""Why two corpora may not be compared: which input of their scoring differs, and between whom.

Two scorings can be laid side by side only where they share every scoring version input and, by their comparability
keys, the policy and the probes. spec: 09 §9.3, §12.1
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from evalnb.corpora.probe_results import ProbeKey
from evalnb.engine.artifacts import EvidenceArtifact


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
    value: Callable[[EvidenceArtifact], str]


SHARED_INPUTS: Final = (
    SharedInput("contractSchemaVersion", lambda one: str(one.scoring_version_inputs.contract_schema_version)),
    SharedInput("corpusDigest", lambda one: one.scoring_version_inputs.corpus_digest),
    SharedInput("fixtureDigest", lambda one: one.scoring_version_inputs.fixture_digest),
    SharedInput("evaluatorConfigurationDigest", lambda one: one.scoring_version_inputs.evaluator_configuration_digest),
    SharedInput("scoringPolicyDigest", lambda one: one.scoring_version_inputs.scoring_policy_digest),
    SharedInput("mode", lambda one: one.scoring_version_inputs.mode),
    SharedInput("strength.basis", lambda one: one.strength.basis),
    SharedInput("callerAttestedInputs", lambda one: ", ".join(sorted(one.caller_attested_inputs)) or "none"),
)
SCORING_VERSION: Final = SharedInput("scoringVersion", lambda one: one.scoring_version)

_SHOWN = 3


def refusals(
    evidence: Mapping[str, Collection[EvidenceArtifact]], probes: Mapping[str, Collection[ProbeKey]]
) -> Iterator[Refusal]:
    """Everything that stands against comparing the corpora of `evidence`, each with the first of them.

    What every corpus shares with the first, all of them share.
    """
    names = list(evidence)
    empty = [name for name in names if not evidence[name]]
    for name in empty:
        yield Refusal("evidence", name, None, (), (), f"{name} holds no evidence artifact that counts")
    if empty:
        return
    for other in names[1:]:
        differing = list(_differing(names[0], evidence[names[0]], other, evidence[other]))
        yield from differing or _differing_probes(names[0], probes[names[0]], other, probes[other])


def _differing(
    a: str, in_a: Collection[EvidenceArtifact], b: str, in_b: Collection[EvidenceArtifact]
) -> Iterator[Refusal]:
    found = False
    for shared in SHARED_INPUTS:
        for refusal in _compare(shared, a, in_a, b, in_b):
            found = True
            yield refusal
    if not found:
        # The same values everywhere, yet put together differently.
        yield from _compare(SCORING_VERSION, a, in_a, b, in_b)


def _compare(
    shared: SharedInput, a: str, in_a: Collection[EvidenceArtifact], b: str, in_b: Collection[EvidenceArtifact]
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
    shown = ", ".join(list(values)[:_SHOWN])
    more = len(values) - _SHOWN
    return f"only {name} has {shown}{f' and {more} more' if more > 0 else ''}"

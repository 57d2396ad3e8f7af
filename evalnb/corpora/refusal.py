"""Why two corpora may not be compared: which input of their scoring differs, and between whom.

Two scorings can be laid side by side only where they share every scoring version input and, by their comparability
keys, the policy and the probes. spec: 09 §9.3, §12.1
A person may accept that an input differs. It then refuses nothing, and is told as a caveat.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from evalnb.corpora.enumeration import enumerated
from evalnb.corpora.probe_results import ProbeKey
from evalnb.corpora.scored import ScoredProbe
from evalnb.corpora.version_inputs import VERSION_INPUTS, version_left

Scorings = Mapping[str, Collection[ScoredProbe]]
"""What was scored, by corpus."""


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
class Caveat:
    """One scoring version input that differs and may: its JSON name, the corpora, their values, and it all in words."""

    input: str
    corpus_a: str
    corpus_b: str
    values_a: tuple[str, ...]
    values_b: tuple[str, ...]
    text: str


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

_MEANING: Final = {
    "evaluatorConfigurationDigest": "it always differs between two contracts, since a configuration names the brief"
}
"""What a reader should know of an input before accepting that it differs."""


def refusals(
    scored: Scorings, probes: Mapping[str, Collection[ProbeKey]], accepted: tuple[str, ...]
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
        differing = list(_refusing_inputs(scored, names[0], other, accepted))
        yield from differing or _differing_probes(names[0], probes[names[0]], other, probes[other])


def caveats(scored: Scorings, accepted: tuple[str, ...]) -> Iterator[Caveat]:
    """The inputs in `accepted` in which a corpus really differs from the first."""
    first, *others = scored
    for other in others:
        for shared in SHARED_INPUTS:
            if shared.name in accepted and scored[first] and scored[other]:
                for one in _differing(shared, scored, first, other):
                    yield Caveat(shared.name, first, other, one.values_a, one.values_b, one.told)


@dataclass(frozen=True, slots=True)
class _Difference:
    """The values of one input on both sides, and the difference in words."""

    values_a: tuple[str, ...]
    values_b: tuple[str, ...]
    told: str


def _refusing_inputs(scored: Scorings, a: str, b: str, accepted: tuple[str, ...]) -> list[Refusal]:
    found = [
        (shared.name, one)
        for shared in SHARED_INPUTS
        if shared.name not in accepted
        for one in _differing(shared, scored, a, b)
    ]
    if not found:
        # The same values everywhere, yet put together differently.
        version = SharedInput("scoringVersion", lambda one: version_left(one, accepted))
        found = [(version.name, one) for one in _differing(version, scored, a, b)]
    names = [name for name, _ in found]
    wanted = tuple(name for name in VERSION_INPUTS if name in accepted or name in names)
    return [
        Refusal(name, a, b, one.values_a, one.values_b, one.told + (_way_out(name, wanted) if name in wanted else ""))
        for name, one in found
    ]


def _way_out(name: str, wanted: tuple[str, ...]) -> str:
    known = f"{_MEANING[name]}; " if name in _MEANING else ""
    return f" ({known}accept_differing={wanted!r} compares them all the same)"


def _differing(shared: SharedInput, scored: Scorings, a: str, b: str) -> Iterator[_Difference]:
    values_a = tuple(sorted({shared.value(one) for one in scored[a]}))
    values_b = tuple(sorted({shared.value(one) for one in scored[b]}))
    if values_a != values_b:
        only_a, only_b = [v for v in values_a if v not in values_b], [v for v in values_b if v not in values_a]
        yield _Difference(values_a, values_b, f"{shared.name} differs: {_only(a, only_a)}; {_only(b, only_b)}")


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

"""What a set of evidence artifacts must share to be read as one scoring of one contract. spec: 09 §13.3"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from evalnb.engine.aggregate.self_check import artifact_path
from evalnb.engine.artifacts import ScoringPolicy
from evalnb.engine.artifacts.evidence import EvidenceArtifact, ScoringVersionInputName
from evalnb.engine.faults import AggregationRefusal
from evalnb.engine.json_values import number_text, utf16_key


@dataclass(frozen=True, slots=True)
class SharedField:
    """A field that every artifact must hold as the first one does, `value` in a form that compares and prints."""

    name: str
    value: Callable[[EvidenceArtifact], str]


SHARED_FIELDS: Final = (
    SharedField("scoringVersion", lambda artifact: artifact.scoring_version),
    SharedField("strength.basis", lambda artifact: artifact.strength.basis),
    SharedField("callerAttestedInputs", lambda artifact: ", ".join(attested_inputs(artifact))),
)


def check_agreement(evidence: Sequence[EvidenceArtifact], policy: ScoringPolicy, policy_digest: str) -> None:
    """Refuse a set that is not one scoring under `policy`: the policy first, then repeated probes, then the fields.

    Raises `AggregationRefusal`, `strength-inputs-disagree`, at the path of the offending artifact.
    """
    for position, artifact in enumerate(evidence):
        _check_policy(position, artifact, policy, policy_digest)
    _check_unique(evidence)
    for field in SHARED_FIELDS:
        _check_shared(evidence, field)


def attested_inputs(artifact: EvidenceArtifact) -> list[ScoringVersionInputName]:
    """What the caller attested, ascending."""
    return sorted(artifact.caller_attested_inputs, key=utf16_key)


def _check_policy(position: int, artifact: EvidenceArtifact, policy: ScoringPolicy, policy_digest: str) -> None:
    probe = artifact.scored_probe_id
    scored_under = artifact.scoring_version_inputs.scoring_policy_digest
    if scored_under != policy_digest:
        _refuse(
            position,
            f"scoringPolicyDigest of probe {probe} is {scored_under} and the supplied policy has {policy_digest}",
        )
    minimum = artifact.trials.declared_minimum
    if minimum != policy.minimum_trial_count:
        _refuse(
            position,
            f"trials.declaredMinimum of probe {probe} is {number_text(minimum)} and the policy's minimumTrialCount "
            f"is {number_text(policy.minimum_trial_count)}",
        )
    for reduction in artifact.reduced_probe_outcomes:
        if reduction.catch_threshold != policy.catch_threshold:
            _refuse(
                position,
                f"catchThreshold of probe {probe} is {number_text(reduction.catch_threshold)} and the policy's is "
                f"{number_text(policy.catch_threshold)}",
            )


def _check_unique(evidence: Sequence[EvidenceArtifact]) -> None:
    first_at: dict[str | None, int] = {}
    for position, artifact in enumerate(evidence):
        probe = artifact.scored_probe_id
        if probe in first_at:
            _refuse(position, f"probe {probe} is already read from {artifact_path(first_at[probe])}")
        first_at[probe] = position


def _check_shared(evidence: Sequence[EvidenceArtifact], field: SharedField) -> None:
    first = evidence[0]
    expected = field.value(first)
    for position, artifact in enumerate(evidence):
        value = field.value(artifact)
        if value != expected:
            _refuse(
                position,
                f"{field.name} of probe {artifact.scored_probe_id} is [{value}] and of probe "
                f"{first.scored_probe_id} [{expected}]",
            )


def _refuse(position: int, detail: str) -> NoReturn:
    raise AggregationRefusal("strength-inputs-disagree", artifact_path(position), detail)

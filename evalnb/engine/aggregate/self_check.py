"""What one evidence artifact must show of itself before it is counted: that its claims follow from its details.

A vector that was nulled or moved to another class cannot be told from an honest one. spec: 09 §13.2
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from evalnb.engine.artifacts.aggregate import StrengthClass
from evalnb.engine.artifacts.evidence import ClassStrength, EvidenceArtifact
from evalnb.engine.canonical import canonical_text
from evalnb.engine.faults import AggregationRefusal
from evalnb.engine.json_values import number_text
from evalnb.engine.score.comparability import comparability_key, scoring_version
from evalnb.engine.score.consistency import reduction_consistency_issues
from evalnb.engine.score.strength import STRENGTH_CLASSES, class_of, class_strength, is_comparable

CONTROL_STATES: Final = ("passed-clean-control", "false-positive")


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """A check of one artifact: its name, and what is wrong with the artifact, or None."""

    name: str
    refusal: Callable[[EvidenceArtifact], str | None]


def artifact_path(position: int) -> str:
    """Where an artifact stands in the presented list."""
    return f"EvidenceArtifact[{position}]"


def check_itself(evidence: Sequence[EvidenceArtifact]) -> None:
    """Refuse the first artifact that contradicts itself; raises `AggregationRefusal`, `strength-input-inconsistent`."""
    for position, artifact in enumerate(evidence):
        for check in SELF_CHECKS:
            detail = check.refusal(artifact)
            if detail is not None:
                raise AggregationRefusal("strength-input-inconsistent", artifact_path(position), detail)


def class_named(artifact: EvidenceArtifact) -> StrengthClass | None:
    """The one class of the artifact's vector that is there; None for a clean control or a canary."""
    return next((name for name in STRENGTH_CLASSES if _class(artifact, name) is not None), None)


def class_in(artifact: EvidenceArtifact) -> ClassStrength | None:
    """What the artifact's vector says of its one class."""
    name = class_named(artifact)
    return None if name is None else _class(artifact, name)


def _class(artifact: EvidenceArtifact, name: StrengthClass) -> ClassStrength | None:
    return class_of(artifact.strength.vector, name)


def _reduction(artifact: EvidenceArtifact) -> str | None:
    issues = reduction_consistency_issues(
        artifact.scored_probe_id, artifact.outcomes, artifact.reduced_probe_outcomes, artifact.trials
    )
    if not issues:
        return None
    return f"{'.'.join(str(step) for step in issues[0].path)}: {issues[0].message}"


def _scoring_version(artifact: EvidenceArtifact) -> str | None:
    computed = scoring_version(artifact.document["scoringVersionInputs"])
    if artifact.scoring_version == computed:
        return None
    return (
        f"scoringVersion of probe {artifact.scored_probe_id} is {artifact.scoring_version} and its "
        f"scoringVersionInputs have the digest {computed}"
    )


def _excluded(artifact: EvidenceArtifact) -> str | None:
    if not artifact.excluded_probe_ids:
        return None
    excluded = ", ".join(artifact.excluded_probe_ids)
    return f"excludedProbeIds names {excluded}: the run of probe {artifact.scored_probe_id} rejected a probe"


def _comparability_key(artifact: EvidenceArtifact) -> str | None:
    probe = artifact.scored_probe_id
    if probe is None:
        # No run mints an artifact without a probe, and an aggregate could not name it.
        return "comparabilityKey can cover no probe: scoredProbeId is null"
    computed = comparability_key(artifact.scoring_version_inputs.scoring_policy_digest, [probe])
    if artifact.comparability_key == computed:
        return None
    return (
        f"comparabilityKey is {artifact.comparability_key} and probe {probe} under the artifact's own scoring "
        f"policy gives {computed}"
    )


def _comparable(artifact: EvidenceArtifact) -> str | None:
    unreached = sum(outcome.state == "unreached" for outcome in artifact.outcomes)
    trials = artifact.trials
    follows = is_comparable(trials.completed, trials.declared_minimum, unreached)
    if artifact.strength.comparable == follows:
        return None
    return (
        f"strength.comparable of probe {artifact.scored_probe_id} is {_json(artifact.strength.comparable)}, and "
        f"{trials.completed} completed trials for a minimum of {trials.declared_minimum} with {unreached} unreached "
        f"outcomes give {_json(follows)}"
    )


def _one_class(artifact: EvidenceArtifact) -> str | None:
    present = [name for name in STRENGTH_CLASSES if _class(artifact, name) is not None]
    if len(present) <= 1:
        return None
    return f"strength.vector fills {', '.join(present)} where it reads one probe, {artifact.scored_probe_id}"


def _no_control(artifact: EvidenceArtifact) -> str | None:
    name = class_named(artifact)
    control = next((outcome.state for outcome in artifact.outcomes if outcome.state in CONTROL_STATES), None)
    if name is None or control is None:
        return None
    return (
        f"strength.vector.{name} is filled for probe {artifact.scored_probe_id}, whose outcome {control} only a "
        "clean control has"
    )


def _vector(artifact: EvidenceArtifact) -> str | None:
    name, stated = class_named(artifact), class_in(artifact)
    if name is None or stated is None:
        return None
    follows = class_strength(artifact.reduced_probe_outcomes)
    if (stated.caught, stated.exercised, stated.rate) == (follows.caught, follows.exercised, follows.rate):
        return None
    return (
        f"strength.vector.{name} of probe {artifact.scored_probe_id} is {_counts(stated)} and its reduction gives "
        f"{_counts(follows)}"
    )


def _counts(strength: ClassStrength) -> str:
    rate = "null" if strength.rate is None else number_text(strength.rate)
    return f"{strength.caught} caught of {strength.exercised} exercised, rate {rate}"


def _json(value: bool) -> str:
    return canonical_text(value, "EvidenceArtifact")


SELF_CHECKS: Final = (
    SelfCheck("reduction", _reduction),
    SelfCheck("scoring-version", _scoring_version),
    SelfCheck("excluded-probes", _excluded),
    SelfCheck("comparability-key", _comparability_key),
    SelfCheck("comparable", _comparable),
    SelfCheck("one-class", _one_class),
    SelfCheck("no-clean-control", _no_control),
    SelfCheck("vector", _vector),
)

"""The aggregate itself: stamps and shapes first, then every artifact for itself, then the set, then the sums.

spec: 09 §13
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evalnb.engine.aggregate.agreement import attested_inputs, check_agreement
from evalnb.engine.aggregate.floors import decide_floor
from evalnb.engine.aggregate.inputs import read_evidence, read_floors
from evalnb.engine.aggregate.self_check import artifact_path, check_itself, class_in, class_named
from evalnb.engine.artifacts import SCORING_POLICY, ScoringPolicy, read
from evalnb.engine.artifacts.aggregate import (
    AggregatedClass,
    AggregatedClasses,
    AggregatedInput,
    FloorDecisions,
    StrengthAggregate,
    StrengthClass,
    StrengthFloors,
)
from evalnb.engine.artifacts.evidence import EvidenceArtifact
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.json_values import utf16_key
from evalnb.engine.score.comparability import comparability_key, scoring_policy_digest
from evalnb.engine.version import ENGINE_VERSION

AGGREGATE_VERSION: Final = 1


def aggregate_strength(evidence: Any, floors: Any, policy: Any) -> StrengthAggregate:
    """Read evidence artifacts, class floors and a scoring policy, and aggregate them.

    `evidence` is a list of raw documents or models, at least one. Raises `RuntimeFault` (`schema-version-mismatch`,
    `schema-parse-failure`) for what does not read, in the order evidence, floors, policy, and then as
    `aggregate_artifacts`. spec: 09 §13.1
    """
    artifacts = read_evidence(evidence)
    declared = read_floors(floors)
    under: ScoringPolicy = read(SCORING_POLICY, policy)
    return aggregate_artifacts(artifacts, declared, under)


def aggregate_artifacts(
    evidence: Sequence[EvidenceArtifact], floors: StrengthFloors, policy: ScoringPolicy
) -> StrengthAggregate:
    """The strength over `evidence`, the same whatever the order it is given in.

    Raises `AggregationRefusal` for an artifact that contradicts itself (`strength-input-inconsistent`) or a set that is
    not one scoring under `policy` (`strength-inputs-disagree`), and `TypeError` for an empty set. spec: 09 §13.2-§13.5
    """
    if not evidence:
        raise TypeError("aggregate_artifacts(): no evidence artifact to read")
    policy_digest = scoring_policy_digest(policy.document)
    check_itself(evidence)
    check_agreement(evidence, policy, policy_digest)
    inputs = sorted(
        (_input(position, artifact) for position, artifact in enumerate(evidence)),
        key=lambda entry: utf16_key(entry.probe_id),
    )
    classes = AggregatedClasses(
        defect=_class(evidence, "defect"),
        gameability=_class(evidence, "gameability"),
        zero_action=_class(evidence, "zero-action"),
    )
    return StrengthAggregate(
        schema_version=AGGREGATE_VERSION,
        parent_digest=None,
        revision_count=0,
        engine_version=ENGINE_VERSION,
        mode=evidence[0].mode,
        scoring_version=evidence[0].scoring_version,
        scoring_policy_digest=policy_digest,
        comparability_key=comparability_key(policy_digest, [entry.probe_id for entry in inputs]),
        basis=evidence[0].strength.basis,
        minimum_trial_count=policy.minimum_trial_count,
        caller_attested_inputs=tuple(attested_inputs(evidence[0])),
        aggregate_attested_inputs=("evidenceSetCompleteness", "probeClass"),
        inputs=tuple(inputs),
        classes=classes,
        floor_decisions=FloorDecisions(
            defect=decide_floor(classes.defect, floors.defect),
            gameability=decide_floor(classes.gameability, floors.gameability),
            zero_action=decide_floor(classes.zero_action, floors.zero_action),
        ),
    )


def _input(position: int, artifact: EvidenceArtifact) -> AggregatedInput:
    return AggregatedInput(
        probe_id=artifact.reduced_probe_outcomes[0].probe_id,
        probe_class=class_named(artifact),
        run_id=artifact.run_id,
        artifact_digest=digest_artifact(artifact.document, artifact_path(position)),
    )


def _class(evidence: Sequence[EvidenceArtifact], name: StrengthClass) -> AggregatedClass | None:
    """The sums over the artifacts of one class; None where there are none."""
    members = [artifact for artifact in evidence if class_named(artifact) == name]
    strengths = [strength for strength in map(class_in, members) if strength is not None]
    if not strengths:
        return None
    exercised = sum(strength.exercised for strength in strengths)
    caught = sum(strength.caught for strength in strengths)
    return AggregatedClass(
        caught=caught,
        exercised=exercised,
        rate=caught / exercised if exercised else None,
        eligible=len(members),
        comparable=all(artifact.strength.comparable for artifact in members),
    )

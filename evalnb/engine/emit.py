"""The evidence artifact: what a scored trial set proved, under digests that say which inputs it came from.

A result that would not read back, or whose reduction does not follow from its votes, is never handed out.
spec: 09 §12
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, EvidenceArtifact, read
from evalnb.engine.artifacts.evidence import CheckResolution, Outcome
from evalnb.engine.artifacts.issues import ShapeError, dotted_path
from evalnb.engine.artifacts.model import StrictObject
from evalnb.engine.faults import EvaluationFailure
from evalnb.engine.score.comparability import comparability_key, scoring_policy_digest, scoring_version
from evalnb.engine.score.consistency import reduction_consistency_issues
from evalnb.engine.score.ladder import LadderResult, climb_ladder
from evalnb.engine.score.reduce import TrialVote, reduce_trials
from evalnb.engine.score.scored import ScoredTrialSet
from evalnb.engine.score.strength import state_strength, strength_vector

EVIDENCE_VERSION: Final = 4
CALLER_ATTESTED_INPUTS: Final = ("corpusDigest", "fixtureDigest", "evaluatorConfigurationDigest", "mode")


class HasMode(Protocol):
    """A record or an artifact: anything that states its run mode."""

    @property
    def mode(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ModeAgreement:
    """The modes of a record and an artifact, side by side."""

    record_mode: str
    artifact_mode: str

    @property
    def agrees(self) -> bool:
        return self.record_mode == self.artifact_mode


def check_mode_agreement(record: HasMode, artifact: HasMode) -> ModeAgreement:
    """Whether an artifact states the mode its record was run in. spec: 09 §11"""
    return ModeAgreement(record.mode, artifact.mode)


def emit(
    scored: ScoredTrialSet, corpus_digest: str, fixture_digest: str, evaluator_configuration_digest: str
) -> EvidenceArtifact:
    """The evidence artifact of `scored`; its `document` is what to write.

    Only for a set whose ladder gives a verdict. Raises `TypeError`, naming the first path, where the artifact would
    not read back or its reduction does not follow from its votes: no scored input leads there. spec: 09 §12
    """
    ladder = climb_ladder(scored.assessment)
    policy_digest = scoring_policy_digest(scored.policy.document)
    version_inputs = {
        # The stamp the author wrote: an older contract is scored in the newest shape and still named by its own.
        "contractSchemaVersion": scored.contract.document["schemaVersion"],
        "corpusDigest": corpus_digest,
        "fixtureDigest": fixture_digest,
        "evaluatorConfigurationDigest": evaluator_configuration_digest,
        "scoringPolicyDigest": policy_digest,
        "mode": scored.mode,
    }
    artifact = _read_back(
        {
            "schemaVersion": EVIDENCE_VERSION,
            "parentDigest": None,
            "revisionCount": 0,
            "runId": scored.run_id,
            "scoredProbeId": scored.probe.probe_id,
            "scoringVersion": scoring_version(version_inputs),
            "scoringVersionInputs": version_inputs,
            "comparabilityKey": comparability_key(policy_digest, scored.admitted_probe_ids),
            "excludedProbeIds": list(scored.excluded_probe_ids),
            "exitCode": ladder.exit_code,
            "verdictBasis": list(ladder.basis),
            "callerAttestedInputs": list(CALLER_ATTESTED_INPUTS),
            "trials": _written(scored.trials),
            "outcomes": [_outcome(outcome) for outcome in scored.outcomes],
            "reducedProbeOutcomes": [_written(reduction) for reduction in scored.reduced_probe_outcomes],
            "uncitedFindings": list(scored.uncited_findings),
            "coverageGaps": [_written(gap) for gap in scored.assessment.coverage_gaps],
            "strength": _strength(scored),
            "remediation": _remediation(scored),
            **_mode_fields(scored, ladder),
        }
    )
    _check_follows(scored, artifact)
    return artifact


def _mode_fields(scored: ScoredTrialSet, ladder: LadderResult) -> dict[str, Any]:
    """The mode and the fields that only its branch carries. spec: 09 §11"""
    if scored.mode == "production":
        return {"mode": scored.mode, "productionVerdict": ladder.verdict}
    return {
        "mode": scored.mode,
        "contractVerdict": ladder.verdict,
        "uncitedFindingGaps": [_written(gap) for gap in scored.assessment.uncited_defect_findings],
        "systemRecommendationRecorded": scored.assessment.evaluator_recommendation,
        "systemRecommendationNote": None,
    }


def _strength(scored: ScoredTrialSet) -> dict[str, Any]:
    admitted = [scored.probe] if scored.probe.probe_id in scored.admitted_probe_ids else []
    vector = strength_vector(admitted, {r.probe_id: r for r in scored.reduced_probe_outcomes})
    statement = state_strength(
        admitted_count=len(scored.admitted_probe_ids),
        completed=scored.trials.completed,
        declared_minimum=scored.trials.declared_minimum,
        unreached_oracle_ids=[o.oracle_id for o in scored.outcomes if o.state == "unreached"],
    )
    return {
        "denominator": statement.denominator,
        "basis": "measured",
        "vector": _written(vector),
        "comparable": statement.comparable,
        "note": statement.note,
    }


def _remediation(scored: ScoredTrialSet) -> dict[str, Any]:
    chain = scored.assessment.lineage_chain
    return {
        "revisionCount": scored.contract.revision_count,
        "cap": scored.policy.remediation_cap,
        "capSource": "caller-attested",
        "lineageChain": {
            "lengthConsistent": chain.length_consistent,
            "noRepeatedDigest": chain.no_repeated_digest,
            "noGap": chain.no_gap,
        },
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    document = outcome.model_dump(mode="json", by_alias=True, exclude={"check_resolution"})
    return {**document, "checkResolution": _tree(outcome.check_resolution)}


def _tree(root: CheckResolution | None) -> dict[str, Any] | None:
    """A check resolution as JSON, without recursion: a check may nest deeper than any stack."""
    if root is None:
        return None
    document = _node(root)
    pending = [(root, document)]
    while pending:
        node, written = pending.pop()
        written["children"] = [_node(child) for child in node.children]
        pending.extend(zip(node.children, written["children"], strict=True))
    return document


def _node(resolution: CheckResolution) -> dict[str, Any]:
    return {
        "resolution": resolution.resolution,
        "introductionCondition": resolution.introduction_condition,
        "children": [],
    }


def _written(part: StrictObject) -> dict[str, Any]:
    return part.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _read_back(document: dict[str, Any]) -> EvidenceArtifact:
    try:
        artifact: EvidenceArtifact = read(EVIDENCE_ARTIFACT, document)
    except EvaluationFailure as failure:
        if not isinstance(failure.cause, ShapeError):
            raise
        issues = failure.cause.issues
        raise TypeError(
            f"emit(): the artifact does not read back, {len(issues)} issue(s), first at {dotted_path(issues[0].path)}"
        ) from failure
    return artifact


def _check_follows(scored: ScoredTrialSet, artifact: EvidenceArtifact) -> None:
    """The artifact states its record's mode, and its reduction is the one its votes give. spec: 09 §12.5"""
    modes = check_mode_agreement(scored, artifact)
    if not modes.agrees:
        raise TypeError(f"emit(): record mode {modes.record_mode} and artifact mode {modes.artifact_mode} differ")
    issues = reduction_consistency_issues(
        artifact.scored_probe_id, artifact.outcomes, artifact.reduced_probe_outcomes, artifact.trials
    )
    if issues:
        raise TypeError(f"emit(): inconsistent reduction at {dotted_path(issues[0].path)}: {issues[0].message}")
    for stated in artifact.reduced_probe_outcomes:
        votes = [TrialVote(vote.trial_index, vote.state) for vote in stated.trial_votes]
        follows = reduce_trials(votes, scored.policy.catch_threshold)
        # Values and counts follow from the stated threshold by now; the policy's threshold and the order are left.
        same_order = [(a.attempt, a.reason) for a in stated.invalidated_attempts] == [
            (a.attempt, a.reason) for a in follows.invalidated_attempts
        ]
        if stated.catch_threshold != scored.policy.catch_threshold or not same_order:
            raise TypeError("emit(): the reduction at reducedProbeOutcomes is not the one its votes give")

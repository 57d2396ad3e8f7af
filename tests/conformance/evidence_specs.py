"""Evidence artifacts built from the short specs of the aggregate table, as its data section describes them."""

from __future__ import annotations

from typing import Any

from evalnb.engine.canonical import digest_artifact
from evalnb.engine.score.reduce import TrialVote, reduce_trials

STANDARD_POLICY = {
    "schemaVersion": 2,
    "parentDigest": None,
    "revisionCount": 0,
    "policyId": "aggregate-test-policy",
    "severityFloor": "material",
    "confidenceThreshold": 0.5,
    "catchThreshold": 0.5,
    "minimumTrialCount": 3,
    "reExecutionCap": 2,
    "remediationCap": 3,
    "regexMatchStepBudget": 1000000,
}
ATTESTED = ["corpusDigest", "fixtureDigest", "evaluatorConfigurationDigest", "mode"]
DISPOSITIONS = {"passed-clean-control": "held", "not-applicable": "not-attempted", "oracle-error": "not-attempted"}


def numbered_digest(number: int) -> str:
    return f"sha256:{number:064x}"


def build_evidence(spec: dict[str, Any]) -> dict[str, Any]:
    """The evidence document of `spec`, its `tamper` entries applied in order."""
    document = _document(spec)
    for edit in spec.get("tamper", ()):
        holder: Any = document
        *steps, last = edit["path"]
        for step in steps:
            holder = holder[step]
        holder[last] = edit["value"]
    return document


def _document(spec: dict[str, Any]) -> dict[str, Any]:
    probe, states = spec["probeId"], spec["states"]
    mode = spec.get("mode", "contract-scoring")
    minimum, threshold = spec.get("declaredMinimum", 3), spec.get("catchThreshold", 0.5)
    policy_digest = spec.get("scoringPolicyDigest") or digest_artifact(STANDARD_POLICY, "ScoringPolicy")
    inputs = {
        "contractSchemaVersion": 5,
        "corpusDigest": spec.get("corpusDigest", numbered_digest(901)),
        "fixtureDigest": numbered_digest(902),
        "evaluatorConfigurationDigest": numbered_digest(903),
        "scoringPolicyDigest": policy_digest,
        "mode": mode,
    }
    key = {"scoringPolicyDigest": policy_digest, "probeIds": [probe]}
    reduction = reduced(states, threshold)
    return {
        "schemaVersion": 4,
        "parentDigest": None,
        "revisionCount": 0,
        "runId": spec.get("runId", f"run-{probe.lower()}"),
        "scoredProbeId": probe,
        "scoringVersion": digest_artifact(inputs, "ScoringVersionInputs"),
        "scoringVersionInputs": inputs,
        "comparabilityKey": digest_artifact(key, "ComparabilityKey"),
        "excludedProbeIds": [],
        "exitCode": 0,
        "verdictBasis": [],
        "callerAttestedInputs": spec.get("callerAttestedInputs", ATTESTED),
        "trials": {
            "declaredMinimum": minimum,
            "completed": len(states),
            "completedAttempts": list(range(1, len(states) + 1)),
            "invalidatedAttempts": list(reduction["invalidatedAttempts"]),
        },
        "outcomes": [_outcome(probe, index, state) for index, state in enumerate(states, 1)],
        "reducedProbeOutcomes": [
            {
                "probeId": probe,
                "severity": "critical",
                "catchThreshold": threshold,
                "trialVotes": [{"trialIndex": i, "state": state} for i, state in enumerate(states, 1)],
                **reduction,
            }
        ],
        "uncitedFindings": [],
        "coverageGaps": [],
        "strength": {
            "denominator": "unique qualified probe identifiers exercised per class",
            "basis": spec.get("basis", "measured"),
            "vector": _vector(spec["kind"], reduction),
            "comparable": len(states) >= minimum and "unreached" not in states,
            "note": None,
        },
        "remediation": {
            "revisionCount": 0,
            "cap": 2,
            "capSource": "caller-attested",
            "lineageChain": {"lengthConsistent": True, "noRepeatedDigest": True, "noGap": True},
        },
        "mode": mode,
        **_branch(mode),
    }


def reduced(states: list[Any], threshold: float) -> dict[str, Any]:
    votes = [TrialVote(index, state) for index, state in enumerate(states, 1)]
    reduction = reduce_trials(votes, threshold)
    return {
        "exercised": reduction.exercised,
        "caught": reduction.caught,
        "validCount": reduction.valid_count,
        "caughtCount": reduction.caught_count,
        "invalidatedAttempts": [{"attempt": a.attempt, "reason": a.reason} for a in reduction.invalidated_attempts],
    }


def _outcome(probe: str, index: int, state: str) -> dict[str, Any]:
    return {
        "oracleId": "O-001",
        "trialIndex": index,
        "probeId": probe,
        "state": state,
        "severity": "critical",
        "disposition": DISPOSITIONS.get(state, "violated"),
        "resolvedFrom": "F-001" if state == "caught" else None,
        "corroboration": "agrees",
        "selectedObservationIds": [],
        "checkResolution": {"resolution": "false", "introductionCondition": None, "children": []},
    }


def _vector(kind: str, reduction: dict[str, Any]) -> dict[str, Any]:
    vector: dict[str, Any] = {"defect": None, "gameability": None, "zero-action": None}
    if kind in vector:
        exercised = int(reduction["exercised"])
        caught = int(reduction["caught"])
        vector[kind] = {"caught": caught, "exercised": exercised, "rate": caught / exercised if exercised else None}
    return vector


def _branch(mode: str) -> dict[str, Any]:
    if mode == "production":
        return {"productionVerdict": "PASS"}
    return {
        "contractVerdict": "PASS",
        "uncitedFindingGaps": [],
        "systemRecommendationRecorded": "PASS",
        "systemRecommendationNote": None,
    }

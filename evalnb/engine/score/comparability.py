"""The three digests that say which scorings may be laid side by side. spec: 09 §12.1"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evalnb.engine.canonical import digest_artifact
from evalnb.engine.json_values import utf16_key


def scoring_policy_digest(policy_document: dict[str, Any]) -> str:
    """The digest of a scoring policy as written."""
    return digest_artifact(policy_document, "ScoringPolicy")


def comparability_key(policy_digest: str, probe_ids: Iterable[str]) -> str:
    """The digest that runs over one policy and one set of admitted probes share, in whatever order they come."""
    named = {"scoringPolicyDigest": policy_digest, "probeIds": sorted(probe_ids, key=utf16_key)}
    return digest_artifact(named, "ComparabilityKey")


def scoring_version(version_inputs: dict[str, Any]) -> str:
    """The digest of the inputs that two comparable scorings share."""
    return digest_artifact(version_inputs, "ScoringVersionInputs")

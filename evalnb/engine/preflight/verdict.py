"""Minting the pre-flight verdict from the results of its checks.

spec: 07 §8
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evalnb.engine.artifacts import PREFLIGHT_VERDICT, PreflightCheck, PreflightVerdict, read
from evalnb.engine.preflight.wire import wire_document

VERDICT_PATH: Final = "PreflightVerdict"
"""The artifact path of everything that goes wrong while observations are reduced."""


def mint_verdict(run_id: str, fixture_digest: str, checks: Sequence[PreflightCheck]) -> PreflightVerdict:
    """An origin verdict over `checks`, passed when none of them failed.

    Raises RuntimeFault `schema-parse-failure` at `PreflightVerdict` for an empty run id.
    """
    document = {
        "schemaVersion": PREFLIGHT_VERDICT.writes,
        "parentDigest": None,
        "revisionCount": 0,
        "runId": run_id,
        "fixtureDigest": fixture_digest,
        "passed": all(check.outcome != "failed" for check in checks),
        "checks": [wire_document(check) for check in checks],
    }
    verdict: PreflightVerdict = read(PREFLIGHT_VERDICT, document, parse_path=VERDICT_PATH)
    return verdict

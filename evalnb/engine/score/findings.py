"""What a trial's findings are about: the scored probe, another one, or nothing an oracle asked for.

spec: 09 §5.2, §6.8
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evalnb.engine.artifacts import DefectFinding, Finding, Observation, Probe, UncitedFindingGap
from evalnb.engine.plan_index import DeclaredOperation
from evalnb.engine.score.outcome import CitationBucket
from evalnb.engine.score.qualify.gate import signature_of
from evalnb.engine.score.witness import is_on_home


def finding_bucket(
    finding: DefectFinding, probe: Probe, home: DeclaredOperation | None, observations: Mapping[str, Observation]
) -> CitationBucket:
    """How a defect finding bears on the one scored probe.

    `observations` is keyed by identifier; a repeated identifier means its last observation.
    """
    if finding.probe_id != probe.probe_id:
        return "dangling"
    if signature_of(probe) is None:
        return "signatureless"
    if home is None:
        return "unmapped"
    cited = (observations.get(identifier) for identifier in finding.observation_ids)
    on_home = any(observation is not None and is_on_home(observation, home) for observation in cited)
    return "mapped" if on_home else "unmapped"


def uncited_finding_ids(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The findings of any type that cite no oracle, ascending."""
    return tuple(sorted(finding.finding_id for finding in findings if finding.oracle_id is None))


def uncited_defect_gaps(findings: Iterable[Finding]) -> tuple[UncitedFindingGap, ...]:
    """The defect findings that cite no oracle, ascending by identifier, as an evidence artifact lists them."""
    uncited = (f for f in findings if isinstance(f, DefectFinding) and f.oracle_id is None)
    return tuple(
        UncitedFindingGap(
            finding_id=finding.finding_id,
            observation_ids=finding.observation_ids,
            quoted_evidence=finding.quoted_evidence,
            severity=finding.severity,
        )
        for finding in sorted(uncited, key=lambda finding: finding.finding_id)
    )

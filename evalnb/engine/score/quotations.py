"""Whether every quotation of a defect finding stands word for word in an observation the finding cites.

spec: 09 §5.3, §5.4
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalnb.engine.artifacts import (
    DefectFinding,
    Observation,
    ProbeObservedBody,
    QuotedEvidence,
    SealedRunRecord,
)
from evalnb.engine.canonical import canonical_text
from evalnb.engine.json_values import Json, utf16_key
from evalnb.engine.score.conditions import UnwitnessedQuotation


@dataclass(frozen=True, slots=True)
class _Recorded:
    """An observation, and its call inputs as the record spells them: a quotation quotes what was written."""

    observation: Observation
    call_inputs: Mapping[str, Any]


Projection = Callable[[_Recorded, QuotedEvidence, str], str | None]


def audit_quotations(record: SealedRunRecord) -> tuple[UnwitnessedQuotation, ...]:
    """Every quotation that no cited observation contains, by finding, position, channel and text.

    Matching is verbatim: no case folding, no white-space change. Raises `RuntimeFault`
    `non-canonicalizable-value` at `SealedRunRecord.findings[findingId=<id>]` where a cited value has no canonical
    form.
    """
    recorded = _recorded(record)
    found = [
        unwitnessed
        for finding in record.findings
        if isinstance(finding, DefectFinding)
        for unwitnessed in _unwitnessed(finding, recorded)
    ]
    return tuple(sorted(found, key=_order))


def project_channel(recorded: _Recorded, quoted: QuotedEvidence, artifact_path: str) -> str | None:
    """The text of the quoted channel in one observation, or None where it holds nothing. spec: 09 §5.3"""
    return _PROJECTIONS[quoted.channel](recorded, quoted, artifact_path)


def _recorded(record: SealedRunRecord) -> dict[str, list[_Recorded]]:
    """The observations by identifier; a repeated identifier keeps them all, for the audit considers all."""
    by_id: dict[str, list[_Recorded]] = {}
    for observation, written in zip(record.observations, record.document["observations"], strict=True):
        by_id.setdefault(observation.observation_id, []).append(_Recorded(observation, written["callInputs"]))
    return by_id


def _unwitnessed(finding: DefectFinding, recorded: Mapping[str, list[_Recorded]]) -> Iterator[UnwitnessedQuotation]:
    path = f"SealedRunRecord.findings[findingId={finding.finding_id}]"
    cited = tuple(sorted({identifier for identifier in finding.observation_ids if identifier in recorded}))
    candidates = [entry for identifier in cited for entry in recorded[identifier]]
    for index, quoted in enumerate(finding.quoted_evidence):
        texts = (project_channel(entry, quoted, path) for entry in candidates)
        if not any(text is not None and quoted.quote in text for text in texts):
            yield UnwitnessedQuotation(finding.finding_id, index, quoted.channel, quoted.quote, cited)


def _order(entry: UnwitnessedQuotation) -> tuple[str, int, str, bytes, tuple[str, ...]]:
    return (
        entry.finding_id,
        entry.quote_index,
        entry.channel,
        utf16_key(entry.quote),
        entry.cited_observation_ids,
    )


def _tagged(body: ProbeObservedBody | None, path: str) -> str | None:
    if body is None or body.kind == "absent":
        return None
    return body.value if body.kind == "text" else canonical_text(body.value, path)


def _canonical(value: Json, path: str) -> str | None:
    return None if value is None else canonical_text(value, path)


def _decimal(value: int | None) -> str | None:
    return None if value is None else str(value)


def _artifact(recorded: _Recorded, quoted: QuotedEvidence, path: str) -> str | None:
    if quoted.artifact_id is None:
        return None
    return _tagged(recorded.observation.artifacts.get(quoted.artifact_id), path)


_PROJECTIONS: Final[dict[str, Projection]] = {
    "stdout": lambda r, q, path: _tagged(r.observation.stdout, path),
    "stderr": lambda r, q, path: _tagged(r.observation.stderr, path),
    "artifact": _artifact,
    "response-status": lambda r, q, path: _decimal(r.observation.response_status),
    "exit-code": lambda r, q, path: _decimal(r.observation.exit_code),
    "response-body": lambda r, q, path: _canonical(r.observation.response_body, path),
    "response-headers": lambda r, q, path: _canonical(r.observation.response_headers, path),
    "call-inputs": lambda r, q, path: canonical_text(r.call_inputs, path),
}

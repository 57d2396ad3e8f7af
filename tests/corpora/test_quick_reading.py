"""The quick reading of evidence accepts nothing that the strict reading would refuse, and reads it the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from evalnb.corpora.quick_evidence import read_quickly
from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, EvidenceArtifact, read
from evalnb.engine.canonical import digest_artifact, scan_json
from evalnb.engine.faults import RuntimeFault


def strictly(data: bytes) -> EvidenceArtifact | None:
    try:
        artifact: EvidenceArtifact = read(EVIDENCE_ARTIFACT, scan_json(data, "EvidenceArtifact"))
    except RuntimeFault:
        return None
    return artifact


def test_it_reads_what_the_strict_reading_reads(evidence: dict[str, EvidenceArtifact]) -> None:
    for artifact in evidence.values():
        data = json.dumps(artifact.document, indent=2).encode()
        quick, strict = read_quickly(data), strictly(data)
        assert quick is not None
        assert quick == strict
        assert digest_artifact(quick.document, "E") == digest_artifact(artifact.document, "E")


@pytest.mark.parametrize(
    "once, twice",
    [
        ('"runId":', '"runId": "other", "runId":'),
        ('"trialIndex":', '"trialIndex": 1, "trialIndex" :'),
        ('"caught":', '"caught"\n: true, "caught":'),
        ('"mode":', '"mode": "production", "mode":'),
    ],
)
def test_a_key_given_twice_is_left_to_the_strict_reading(
    evidence: dict[str, EvidenceArtifact], once: str, twice: str
) -> None:
    text = json.dumps(evidence["P-001"].document)
    assert once in text
    assert read_quickly(text.replace(once, twice, 1).encode()) is None


def test_a_string_that_looks_like_keys_hides_no_key(evidence: dict[str, EvidenceArtifact]) -> None:
    document = {**evidence["P-001"].document, "runId": 'say ":": and "x":'}
    text = json.dumps(document)
    assert read_quickly(text.encode()) == strictly(text.encode())
    doubled = text.replace('"exitCode":', '"exitCode": 0, "exitCode":', 1)
    assert read_quickly(doubled.encode()) is None
    # Escaped as a code point, a quote is not counted in the text, so that it could make up for a lost key.
    escaped = json.dumps({**document, "runId": "@"}).replace("@", "\\u0022:")
    assert read_quickly(escaped.replace('"exitCode":', '"exitCode": 0, "exitCode":', 1).encode()) is None


SPOILED: list[Any] = [None, -0.0, 1.5, 2**60, 1e400, float("nan"), "", "\ud800", True, [], {}, {"__proto__": 1}]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_it_accepts_the_strict_reading_accepts(evidence: dict[str, EvidenceArtifact], data: st.DataObject) -> None:
    document = json.loads(json.dumps(evidence["P-001"].document))
    place: Any = document
    for _ in range(data.draw(st.integers(0, 4))):
        inner = [
            child
            for child in (place.values() if isinstance(place, dict) else place)
            if isinstance(child, (dict, list)) and child
        ]
        if not inner:
            break
        place = data.draw(st.sampled_from(inner))
    key = data.draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
    place[key] = data.draw(st.sampled_from(SPOILED))
    text = json.dumps(document).encode()
    quick = read_quickly(text)
    if quick is not None:
        assert quick == strictly(text)

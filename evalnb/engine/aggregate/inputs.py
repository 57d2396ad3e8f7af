"""The raw inputs of an aggregate: a list of evidence artifacts and the class floors. spec: 09 §13.1"""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError

from evalnb.engine.aggregate.self_check import artifact_path
from evalnb.engine.artifacts import EVIDENCE_ARTIFACT
from evalnb.engine.artifacts.aggregate import StrengthFloors
from evalnb.engine.artifacts.evidence import EvidenceArtifact
from evalnb.engine.artifacts.issues import Issue, issues_of
from evalnb.engine.artifacts.presented import parse_each, parse_failure
from evalnb.engine.artifacts.reading import check_stamp, parse_shape, validate

EVIDENCE_LIST: Final = "EvidenceArtifact[]"
FLOORS: Final = "StrengthFloors"


def read_evidence(raw: Any) -> tuple[EvidenceArtifact, ...]:
    """The evidence artifacts of a list: the stamp of every one before the shape of any.

    Raises `RuntimeFault`: `schema-version-mismatch` at the position in the list, `schema-parse-failure` at
    `EvidenceArtifact[]`, also for what is no list or an empty one.
    """
    if not isinstance(raw, list | tuple):
        raise parse_failure(EVIDENCE_LIST, Issue((), "invalid_type", "expected a list of evidence artifacts"))
    for position, artifact in enumerate(raw):
        check_stamp(EVIDENCE_ARTIFACT, artifact, f"{artifact_path(position)}.schemaVersion")
    if not raw:
        raise parse_failure(EVIDENCE_LIST, Issue((), "too_small", "expected at least one evidence artifact"))
    return parse_each(lambda artifact: parse_shape(EVIDENCE_ARTIFACT, artifact), raw, EVIDENCE_LIST)


def read_floors(raw: Any) -> StrengthFloors:
    """The class floors; raises `RuntimeFault` `schema-parse-failure` for any other key or value."""
    if isinstance(raw, StrengthFloors):
        return raw
    try:
        floors: StrengthFloors = validate(StrengthFloors, raw)
    except ValidationError as error:
        # A key `__proto__` is refused here, where artifacts drop it: it can only be a misspelled class.
        issues = issues_of(StrengthFloors, raw) or (Issue((), "unrecognized_keys", "unrecognized class"),)
        raise parse_failure(FLOORS, *issues) from error
    return floors

"""The raw inputs of an aggregate: a list of evidence artifacts and the class floors. spec: 09 §13.1"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from evalnb.engine.aggregate.self_check import artifact_path
from evalnb.engine.artifacts import EVIDENCE_ARTIFACT
from evalnb.engine.artifacts.aggregate import StrengthFloors
from evalnb.engine.artifacts.evidence import EvidenceArtifact
from evalnb.engine.artifacts.issues import Issue, ShapeError, issues_of
from evalnb.engine.artifacts.reading import check_stamp, parse_shape, validate
from evalnb.engine.faults import RuntimeFault

EVIDENCE_LIST: Final = "EvidenceArtifact[]"
FLOORS: Final = "StrengthFloors"


def read_evidence(raw: Any) -> tuple[EvidenceArtifact, ...]:
    """The evidence artifacts of a list: the stamp of every one before the shape of any.

    Raises `RuntimeFault`: `schema-version-mismatch` at the position in the list, `schema-parse-failure` at
    `EvidenceArtifact[]`, also for what is no list or an empty one.
    """
    if not isinstance(raw, list | tuple):
        raise _unreadable(EVIDENCE_LIST, (Issue((), "invalid_type", "expected a list of evidence artifacts"),))
    for position, artifact in enumerate(raw):
        check_stamp(EVIDENCE_ARTIFACT, artifact, f"{artifact_path(position)}.schemaVersion")
    if not raw:
        raise _unreadable(EVIDENCE_LIST, (Issue((), "too_small", "expected at least one evidence artifact"),))
    return _parse_evidence(raw)


def _parse_evidence(presented: Sequence[Any]) -> tuple[EvidenceArtifact, ...]:
    """All artifacts, or one fault that carries the issues of every one of them under its position."""
    artifacts: list[EvidenceArtifact] = []
    issues: list[Issue] = []
    for position, artifact in enumerate(presented):
        try:
            artifacts.append(parse_shape(EVIDENCE_ARTIFACT, artifact, EVIDENCE_LIST))
        except RuntimeFault as fault:
            if not isinstance(fault.cause, ShapeError):
                raise
            issues += (Issue((position, *i.path), i.code, i.message) for i in fault.cause.issues)
    if issues:
        raise _unreadable(EVIDENCE_LIST, tuple(issues))
    return tuple(artifacts)


def read_floors(raw: Any) -> StrengthFloors:
    """The class floors; raises `RuntimeFault` `schema-parse-failure` for any other key or value."""
    if isinstance(raw, StrengthFloors):
        return raw
    try:
        floors: StrengthFloors = validate(StrengthFloors, raw)
    except ValidationError as error:
        # A key `__proto__` is refused here, where artifacts drop it: it can only be a misspelled class.
        issues = issues_of(StrengthFloors, raw) or (Issue((), "unrecognized_keys", "unrecognized class"),)
        raise _unreadable(FLOORS, issues) from error
    return floors


def _unreadable(path: str, issues: tuple[Issue, ...]) -> RuntimeFault:
    detail = f"input does not conform to the {path} schema"
    return RuntimeFault("schema-parse-failure", path, detail, cause=ShapeError(issues))

"""What a served tool answers: a document that says whether it worked, and if not, the coded failure with its issues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.faults import AggregationRefusal, EvaluationFailure, StructuralFailure

Answer = dict[str, Any]

_MOST_ISSUES: Final = 50
_TEXT: Final = {"type": "string"}
_ISSUE: Final = {
    "type": "object",
    "properties": {"path": _TEXT, "code": _TEXT, "message": _TEXT},
    "required": ["path", "code", "message"],
    "additionalProperties": False,
}
FAILURE_SCHEMA: Final = {
    "type": "object",
    "description": "Why there is no result. kind structural: the document is wrong, mend it at artifactPath; "
    "kind fault: this run could not be done; kind request: the call itself cannot be answered.",
    "properties": {
        "kind": {"enum": ["structural", "fault", "request"]},
        "code": {"type": ["string", "null"], "description": "What the explain tool takes."},
        "artifactPath": {"type": ["string", "null"]},
        "detail": _TEXT,
        "issues": {"type": "array", "items": _ISSUE},
    },
    "required": ["kind", "code", "artifactPath", "detail", "issues"],
    "additionalProperties": False,
}


def answer_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The output schema of a tool whose result has `properties`, all of them when ok is true."""
    return {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}, "failure": FAILURE_SCHEMA, **properties},
        "required": ["ok"],
        "additionalProperties": False,
        "if": {"properties": {"ok": {"const": True}}},
        "then": {"required": list(properties)},
        "else": {"required": ["failure"]},
    }


def failed(failure: EvaluationFailure) -> Answer:
    """The answer of a coded failure."""
    structural = isinstance(failure, StructuralFailure | AggregationRefusal)
    issues = failure.cause.issues if isinstance(failure.cause, ShapeError) else ()
    return {
        "ok": False,
        "failure": {
            "kind": "structural" if structural else "fault",
            "code": failure.code,
            "artifactPath": failure.artifact_path,
            "detail": failure.detail,
            "issues": [
                {"path": "".join(f"/{step}" for step in issue.path), "code": issue.code, "message": issue.message}
                for issue in issues[:_MOST_ISSUES]
            ],
        },
    }


def refused(detail: str) -> Answer:
    """The answer to a call that cannot be answered."""
    return {
        "ok": False,
        "failure": {"kind": "request", "code": None, "artifactPath": None, "detail": detail, "issues": []},
    }

"""One line that says what is wrong with a document, its first issues included."""

from __future__ import annotations

from evalnb.corpora.enumeration import enumerated
from evalnb.engine.artifacts.issues import ShapeError, pointer_text
from evalnb.engine.faults import EvaluationFailure


def failure_detail(failure: EvaluationFailure) -> str:
    """The failure's detail; where a document has the wrong shape, also where and why."""
    if not isinstance(failure.cause, ShapeError):
        return failure.detail
    told = enumerated([f"{pointer_text(issue.path)}: {issue.message}" for issue in failure.cause.issues], "; ")
    return f"{failure.detail}: {told}"

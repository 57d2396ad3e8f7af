"""One line that says what is wrong with a document, its first issues included."""

from __future__ import annotations

from evalnb.engine.artifacts.issues import ShapeError, pointer_text
from evalnb.engine.faults import EvaluationFailure

_SHOWN = 3


def failure_detail(failure: EvaluationFailure) -> str:
    """The failure's detail; where a document has the wrong shape, also where and why."""
    if not isinstance(failure.cause, ShapeError):
        return failure.detail
    issues = failure.cause.issues
    told = [f"{pointer_text(issue.path)}: {issue.message}" for issue in issues[:_SHOWN]]
    more = len(issues) - len(told)
    return f"{failure.detail}: {'; '.join(told)}{f'; and {more} more' if more else ''}"

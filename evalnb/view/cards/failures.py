"""The cards of failures: the code, the place in the document, what is wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Final

from evalnb.engine.artifacts.issues import Issue, ShapeError, pointer_text
from evalnb.engine.artifacts.model import Artifact
from evalnb.engine.faults import AggregationRefusal, EvaluationFailure, RuntimeFault
from evalnb.files import FileProblem
from evalnb.view.cards.parts import bullets, code, fold, frame, section
from evalnb.view.fragments import Place, fragment_html, locate, place_words
from evalnb.view.html import Child, Html, join, tag, visible
from evalnb.view.json_view import text_html

MOST_ISSUES: Final = 20

_ROOT_KEYS: Final[Mapping[str, str]] = {
    "EvalContract": "interactionPlan",
    "SealedEvaluatorBrief": "directions",
    "SealedRunRecord": "oracleDispositions",
    "Probe": "expectedClean",
    "PreflightVerdict": "fixtureDigest",
    "ScoringPolicy": "severityFloor",
    "EvidenceArtifact": "verdictBasis",
    "StrengthAggregate": "floorDecisions",
}
"""A key that tells a document of each kind, as long as little is wrong with it."""


def failure_card(failure: EvaluationFailure) -> Html:
    """What failed, where in which document, and what to do."""
    document = document_of(failure)
    issues = failure.cause.issues if isinstance(failure.cause, ShapeError) else ()
    reason = None
    if isinstance(failure, RuntimeFault):
        reason = failure.reason or failure.port_failure_reason
    return frame(
        _kind(failure),
        failure.code,
        tag("span", _meaning(failure), class_="enb-quiet"),
        tag("p", text_html(failure.detail, 600), class_="enb-detail"),
        tag("p", "in ", code(failure.artifact_path), None if reason is None else [", because of ", code(reason)]),
        _issues(issues) if issues else None,
        _fragment(document, failure.artifact_path, issues) if document is not None else None,
        _remedy(failure.code),
        tone="fault" if isinstance(failure, RuntimeFault) else "bad",
    )


def file_problem_card(problem: FileProblem) -> Html:
    """A file or folder that cannot be used."""
    return frame(
        "File problem",
        problem.path,
        tag("span", "nothing was run", class_="enb-quiet"),
        tag("p", text_html(problem.problem, 600), class_="enb-detail"),
        tone="bad",
    )


def failure_text(failure: BaseException) -> str:
    """The failure as the command line prints it: a line, and its schema issues; safe for a terminal."""
    if isinstance(failure, EvaluationFailure):
        lines = [f"evalnb: {failure.code}: {failure.artifact_path}: {failure.detail}"]
        if isinstance(failure.cause, ShapeError):
            issues = failure.cause.issues
            lines += [f"  {pointer_text(issue.path)}: {issue.message}" for issue in issues[:MOST_ISSUES]]
            if len(issues) > MOST_ISSUES:
                lines.append(f"  ... and {len(issues) - MOST_ISSUES} more")
        return visible("\n".join(lines))
    return visible(f"evalnb: {failure}")


def document_of(failure: EvaluationFailure) -> Any:
    """The document the failure is about: the one attached to it, else the one the failing stage was given.

    None where it is not at hand. The stage's own variables are looked at, from the innermost call outwards.
    """
    attached = getattr(failure, "document", None)
    if attached is not None:
        return attached
    root = failure.artifact_path.split(".")[0].split("[")[0]
    found = None
    for value in _locals(failure.__traceback__):
        document = _as_document(value, root)
        if document is not None and (found is None or len(document) >= len(found)):
            found = document
    return found


def _locals(traceback: TracebackType | None) -> Iterator[Any]:
    while traceback is not None:
        frame_of_call = traceback.tb_frame
        if str(frame_of_call.f_globals.get("__name__", "")).startswith("evalnb."):
            yield from list(frame_of_call.f_locals.values())
        traceback = traceback.tb_next


def _as_document(value: Any, root: str) -> dict[str, Any] | None:
    if isinstance(value, Artifact) and type(value).__name__ == root:
        return value.document
    if isinstance(value, dict) and _ROOT_KEYS.get(root, "") in value:
        return value
    return None


def _kind(failure: EvaluationFailure) -> str:
    if isinstance(failure, RuntimeFault):
        return "Runtime fault"
    return "Aggregation refused" if isinstance(failure, AggregationRefusal) else "Structural failure"


def _meaning(failure: EvaluationFailure) -> str:
    if isinstance(failure, RuntimeFault):
        return "this run could not be done (exit 5)"
    if isinstance(failure, AggregationRefusal):
        return "the evidence cannot be read as one run (exit 4)"
    return "the author's artifact is wrong (exit 4)"


def _issues(issues: tuple[Issue, ...]) -> Html:
    listed: list[Child] = [join([code(pointer_text(issue.path)), " ", issue.message]) for issue in issues]
    return section("What does not fit", bullets(listed, most=MOST_ISSUES))


def _fragment(document: Any, artifact_path: str, issues: tuple[Issue, ...]) -> Html:
    found = locate(document, artifact_path)
    place: Place = found.place
    if issues:
        place = (*place, *_existing(document, place, issues[0].path))
    where = place_words(document, place)
    note = "" if found.complete else ", as far as the path leads"
    return section(f"In the document: {where}{note}", fragment_html(document, place))


def _existing(document: Any, base: Place, path: Place) -> Place:
    """As much of the issue's path as the document has."""
    current = document
    for step in base:
        current = current[step]
    taken: list[str | int] = []
    for step in path:
        try:
            current = current[step]
        except (KeyError, IndexError, TypeError):
            break
        taken.append(step)
    return tuple(taken)


def _remedy(failure_code: str) -> Html | None:
    """What to do about the code and what it means, from the explanations; nothing where they do not know it."""
    from evalnb.explain import explain

    try:
        explained = explain(failure_code)
    except LookupError:
        return None
    return section(
        "What to do",
        tag("p", text_html(explained.remedy, 1000)),
        fold(
            "What the code means",
            tag("p", text_html(explained.meaning, 1000)),
            tag("p", text_html(explained.why, 1000)),
        ),
    )

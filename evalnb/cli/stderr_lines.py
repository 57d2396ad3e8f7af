"""The shapes of what goes to standard error, one function a shape (spec: 08 §5)."""

from __future__ import annotations

from collections.abc import Iterable

from evalnb.engine.artifacts.issues import Issue, ShapeError
from evalnb.engine.faults import EvaluationFailure
from evalnb.engine.json_values import utf16_key

PROGRAM = "evalnb"
MOST_ISSUES = 20


def usage_line(message: str) -> str:
    """A usage error, a collision or a path error."""
    return _one_line(f"{PROGRAM}: usage: {message}")


def diagnostic_line(stage: str, run_id: str, message: str) -> str:
    """One diagnostic of a running stage."""
    return _one_line(f"{PROGRAM}: {stage}: {run_id}: {message}")


def finding_line(code: str, artifact_path: str, detail: str) -> str:
    """A coded statement about an artifact, such as one qualification failure."""
    return _one_line(f"{PROGRAM}: {code}: {artifact_path}: {detail}")


def invalid_line(reason: str) -> str:
    """One reason why a scored run is invalid."""
    return _one_line(f"{PROGRAM}: invalid: {reason}")


def unexpected_line(error: BaseException) -> str:
    """Any other error, by its name and text."""
    return _one_line(f"{PROGRAM}: {type(error).__name__}: {error}")


def failure_text(failure: EvaluationFailure) -> str:
    """A failure's line, followed by at most twenty of the schema issues it was made from."""
    first = finding_line(failure.code, failure.artifact_path, failure.detail)
    if not isinstance(failure.cause, ShapeError):
        return first
    return "\n".join([first, *issue_lines(failure.cause.issues)])


def issue_lines(issues: Iterable[Issue]) -> list[str]:
    """The issues as sorted, indented lines; those past the twentieth are only counted."""
    lines = sorted((_one_line(f"  {_location(issue)}: {issue.message}") for issue in issues), key=utf16_key)
    left_out = len(lines) - MOST_ISSUES
    return lines if left_out <= 0 else [*lines[:MOST_ISSUES], f"  ... and {left_out} more"]


def _location(issue: Issue) -> str:
    if not issue.path:
        return "(root)"
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in issue.path)


def _one_line(text: str) -> str:
    # A line feed out of an input would let the input write lines of its own.
    return text.replace("\n", "\\n")


def printable(text: str) -> str:
    """`text` without anything a terminal would act on: control and direction characters are shown escaped."""
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character == "\n":
        return character
    if character.isprintable() or character == " ":
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

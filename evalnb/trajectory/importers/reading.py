"""What every importer shares: the file, the redactor, the report, and checks that name line and reason."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from evalnb.engine.json_values import Json
from evalnb.files import FileProblem
from evalnb.trajectory.events import Note, ResultStatus, RunIdentity
from evalnb.trajectory.notes import ImportReport
from evalnb.trajectory.redaction import Redactor
from evalnb.trajectory.run_builder import RunBuilder

KINDS_COUNTED = 500


@dataclass(slots=True)
class Reading:
    """One file being read."""

    path: Path
    redact: Redactor
    report: ImportReport
    _run_ids: Counter[str] = field(default_factory=Counter)

    def builder(self, identity: RunIdentity) -> RunBuilder:
        """A builder for a run; a run id used before gets a number behind it."""
        self._run_ids[identity.run_id] += 1
        seen = self._run_ids[identity.run_id]
        if seen > 1:
            renamed = replace(identity, run_id=f"{identity.run_id}#{seen}")
            self.report.notes.add(
                Note(
                    "duplicated-run-id",
                    *map(self.redact.text, (identity.run_id, f"the run is kept as {renamed.run_id}")),
                )
            )
            identity = renamed
        return RunBuilder(identity, self.redact, self.report.notes)

    def drop(self, what: str, count: int = 1) -> None:
        """Count something that becomes no event; what the trace calls it is redacted as all else."""
        kind = self.redact.text(what)
        if kind not in self.report.dropped and len(self.report.dropped) >= KINDS_COUNTED:
            kind = "things of further kinds"
        self.report.dropped[kind] += count

    def rest(self, body: Mapping[str, Any], taken: frozenset[str], what: str) -> None:
        """Count the keys of `body` that say something and are not `taken`, as keys of `what`."""
        if not body.keys() <= taken:
            for key in body.keys() - taken:
                if body[key] is not None:
                    self.drop(f"{what} key {key[:60]!r}")

    def fail(self, line: int, reason: str) -> NoReturn:
        """The file does not fit its format."""
        raise FileProblem(self.path, self.redact.text(f"line {line}: {reason}"))

    def object_of(self, value: Json, line: int, what: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(line, f"{what} is no object")
        return value

    def list_of(self, value: Json, line: int, what: str) -> list[Any]:
        if not isinstance(value, list):
            self.fail(line, f"{what} is no array")
        return value

    @property
    def stem(self) -> str:
        """The file's name without its ending: the run id where a trace has none."""
        return self.path.name.split(".", 1)[0] or self.path.name


def consumed(items: list[Any]) -> Iterator[Any]:
    """The items in order, each let go of as it is taken: a huge run is never held twice, as JSON and as events."""
    for place, item in enumerate(items):
        items[place] = None
        yield item


def text_or_none(value: Json) -> str | None:
    """A text as it is, a number as text, anything else as None."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


_WHOLE = re.compile(r"-?[0-9]{1,18}")


def whole_or_none(value: Json) -> int | None:
    """A whole number, or None; text of one counts, as OTLP writes it, and so does `1.0`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else None


def number_or_none(value: Json) -> float | None:
    """A number that is one, or None; an integer larger than any such number is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


_ERROR_STARTS = (
    "error:", "error ", "error executing", "exception:", "traceback (most recent", "unknown action", "unknown function",
    "unknown tool",
)  # fmt: skip


def status_of_text(text: str | None) -> ResultStatus:
    """The status of a result that has nothing but its text: an error says so at its start, or as the member `error`."""
    if not text:
        return "ok"
    start = text[:200].lstrip().lower()
    if start.startswith(_ERROR_STARTS):
        return status_of_error(start)
    if start.startswith("{") and '"error"' in text:
        return _status_of_member(text)
    return "ok"


def _status_of_member(text: str) -> ResultStatus:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return status_of_error(text) if re.match(r'\s*\{\s*"error"\s*:', text) else "ok"
    error = held.get("error")
    if not error or any(held.get(name) is True for name in ("success", "ok")):
        return "ok"
    return status_of_error(error if isinstance(error, str) else json.dumps(error))


_RATE_LIMIT = re.compile(
    r"rate[ -]?limit|too many requests|\b(?:http|status(?:[ _-]?code)?|code|error)\W{0,3}429\b", re.IGNORECASE
)


def status_of_error(text: str) -> ResultStatus:
    """What kind of failure an error's text tells of."""
    start = text[:400]
    if "timed out" in start.lower() or "timeout" in start.lower():
        return "timeout"
    return "rate-limit" if _RATE_LIMIT.search(start) else "execution-error"

"""A recorded run as answers: calls are matched by tool and canonical arguments; every report says what that proves."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from evalnb.engine.canonical import canonical_text
from evalnb.engine.json_values import Json
from evalnb.recording.call_log import OPERATION_KEYS
from evalnb.trajectory.events import ToolCall, ToolDescription, ToolResult, ToolsDiscovered, Trajectory
from evalnb.trajectory.normal_form import call_key
from evalnb.trajectory.redaction import Redactor

Match: TypeAlias = Literal["strict", "lenient"]

CAVEAT: Final = "a replay proves planning, not the server"


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A call that the recording has no answer for."""

    tool: str
    reason: str


class Replay:
    """Answers calls from one run.

    Strict: the same tool with the same arguments, as often as it was recorded. Lenient: arguments in normal form and
    without operation ids, and the last recorded answer as often as it is asked for.
    """

    def __init__(self, run: Trajectory, match: Match, redact: Redactor) -> None:
        self.run = run
        self.match = match
        self._redact = redact
        self._answers: dict[str, deque[ToolResult]] = defaultdict(deque)
        self._last: dict[str, ToolResult] = {}
        self._matched: Counter[str] = Counter()
        self._unmatched: list[Unmatched] = []
        calls = {event.number: event for event in run.events if isinstance(event, ToolCall)}
        answered: set[int] = set()
        for event in run.events:
            call = calls.get(event.call_number or 0) if isinstance(event, ToolResult) else None
            if isinstance(event, ToolResult) and call is not None and call.number not in answered:
                answered.add(call.number)
                self._answers[self._key(call.name, call.arguments or {})].append(event)

    def tools(self) -> tuple[ToolDescription, ...]:
        """The tools as the run saw them last; a run without discovery offers the called ones by name alone."""
        found: dict[str, ToolDescription] = {}
        for event in self.run.events:
            if isinstance(event, ToolsDiscovered):
                if event.page == 1:
                    found = {}
                found.update({tool.name: tool for tool in event.tools})
        if not any(isinstance(event, ToolsDiscovered) for event in self.run.events):
            called = (event.name for event in self.run.events if isinstance(event, ToolCall))
            found = {name: ToolDescription(name) for name in called}
        return tuple(found.values())

    def answer(self, tool: str, arguments: Mapping[str, Json]) -> ToolResult | Unmatched:
        """The recorded answer to a call, or why there is none."""
        recorded = self._redact.value(dict(arguments))
        assert isinstance(recorded, dict)
        key = self._key(self._redact.text(tool), recorded)
        waiting = self._answers.get(key)
        if waiting:
            found = waiting.popleft()
            self._last[key] = found
        elif self.match == "lenient" and key in self._last:
            found = self._last[key]
        else:
            known = any(isinstance(event, ToolCall) and event.name == tool for event in self.run.events)
            reason = "was called more often than it was recorded" if key in self._last else (
                "was recorded with other arguments only" if known else "was never recorded"
            )  # fmt: skip
            self._unmatched.append(Unmatched(tool, reason))
            return self._unmatched[-1]
        self._matched[tool] += 1
        return found

    def report(self) -> list[str]:
        """What was asked for and what was not; every line carries the caveat."""
        left = sum(len(waiting) for waiting in self._answers.values())
        lines = [
            f"run {self.run.run_id}, {self.match}: {self._matched.total()} calls answered, "
            f"{len(self._unmatched)} not, {left} recorded answers not asked for"
        ]
        lines += [f"{tool} {reason}" for tool, reason in _counted(self._unmatched)]
        return [f"{line} ({CAVEAT})" for line in lines]

    @property
    def unmatched(self) -> tuple[Unmatched, ...]:
        """The calls without an answer, in their order."""
        return tuple(self._unmatched)

    def _key(self, tool: str, arguments: Mapping[str, Any]) -> str:
        if self.match == "strict":
            return f"{tool} {canonical_text(dict(arguments), 'arguments')}"
        return call_key(tool, {name: value for name, value in arguments.items() if name not in OPERATION_KEYS})


def _counted(unmatched: list[Unmatched]) -> list[tuple[str, str]]:
    counts = Counter((one.tool, one.reason) for one in unmatched)
    return [(tool, reason if count == 1 else f"{reason}, {count} times") for (tool, reason), count in counts.items()]

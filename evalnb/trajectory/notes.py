"""What reading a trace came upon: named warnings, and what was left out of the events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from evalnb.trajectory.events import Note

# Every named warning of the importers, and what is done about it.
NOTE_CODES: Mapping[str, str] = {
    "duplicated-call-id": "two calls share an id; a result answers the oldest of them that is still open",
    "duplicate-result": "a call was answered again; both results are kept",
    "result-without-call": "a result answers no call of the run; it is kept unpaired",
    "result-before-call": "a result stands before the call of its id; the order of the trace is kept",
    "missing-result": "a call was never answered",
    "malformed-arguments": "a call's arguments are no JSON object; the text is kept",
    "unknown-role": "a message of a role no event stands for; it is left out",
    "unknown-block": "a content block of a kind no event stands for; it is left out",
    "unknown-message": "a message of a kind no event stands for; it is left out",
    "not-text": "an image, audio or file part; it is left out",
    "clock-backwards": "a time lies before the one ahead of it; the order of the trace is kept",
    "bad-time": "a time that cannot be read; the event has none",
    "cyclic-parents": "spans name each other as parents; they are taken in the order of the trace",
    "ordered-by-start": "spans are written when they end; they are taken by the time they start",
    "missing-parent": "a span names a parent that is not in the trace",
    "duplicated-span-id": "two spans share an id; both are kept",
    "duplicated-run-id": "two runs share an id; the later one gets a number behind it",
    "invalid-utf8": "bytes that are no UTF-8; each was replaced by U+FFFD",
    "empty-run": "a run without one event",
    "unended-run": "the trace stops before the run's end",
    "duplicated-request-id": "two open requests share an id; a response answers the oldest of them",
}

NOTES_KEPT_PER_CODE = 50


@dataclass(slots=True)
class NoteBook:
    """Collects notes of one file: keeps the first of each code and counts the rest, so that it stays small."""

    counts: Counter[str] = field(default_factory=Counter)
    kept: list[Note] = field(default_factory=list)

    def add(self, note: Note) -> None:
        self.counts[note.code] += 1
        if self.counts[note.code] <= NOTES_KEPT_PER_CODE:
            self.kept.append(note)


@dataclass(slots=True)
class ImportReport:
    """What became of one file: its format, what was read, what was dropped (kind of thing to how often), the notes."""

    path: str
    format: str
    runs: int = 0
    events: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    notes: NoteBook = field(default_factory=NoteBook)

    def lines(self) -> list[str]:
        """The report as text, a line a fact."""
        lines = [f"{self.path}: {self.format}, {self.runs} runs, {self.events} events"]
        lines += [f"  dropped {count} x {what}" for what, count in sorted(self.dropped.items())]
        lines += [
            f"  {count} x {code}: {NOTE_CODES.get(code, code)}" for code, count in sorted(self.notes.counts.items())
        ]
        return lines

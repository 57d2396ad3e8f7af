"""One person at work on one trial: acts, undoes, and leaves a file behind after every step."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from evalnb.widgets.labelling.actions import apply, continues
from evalnb.widgets.labelling.autosave import MOST_UNDOS, SavedDraft, draft_path, read_draft, write_draft
from evalnb.widgets.labelling.draft import Draft
from evalnb.widgets.labelling.record import SavedRecord, problems_of, save_record
from evalnb.widgets.labelling.subject import LabelSubject

LONGEST_PAUSE: Final = 300.0
"""Seconds between two actions that still count as work."""


class Session:
    """Goes on from the draft beside `out` where there is one. Raises FileProblem for a draft of something else."""

    def __init__(self, subject: LabelSubject, out: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.subject = subject
        self.out = out
        self._clock = clock
        found = read_draft(draft_path(out), subject.digest)
        self.resumed = found is not None
        self._state = found or SavedDraft(Draft())
        self._last: Mapping[str, Any] | None = None
        self._seen = clock()
        self.saved: SavedRecord | None = None

    @property
    def draft(self) -> Draft:
        """What has been said so far."""
        return self._state.draft

    @property
    def can_undo(self) -> bool:
        return bool(self._state.undo)

    @property
    def can_redo(self) -> bool:
        return bool(self._state.redo)

    @property
    def problems(self) -> tuple[str, ...]:
        """What stands against saving."""
        return problems_of(self.draft, self.subject)

    def act(self, action: Mapping[str, Any]) -> None:
        """Do one thing. Raises ValueError or LookupError, and then nothing has changed."""
        draft = apply(self.draft, action, self.subject.ground)
        if draft == self.draft:
            return
        undo = self._state.undo
        if not continues(action, self._last):
            undo = (*undo, self.draft)[-MOST_UNDOS:]
        self._last = dict(action)
        self._keep(draft, undo, ())

    def undo(self) -> None:
        """Take the last action back; nothing where there is none."""
        if self._state.undo:
            self._last = None
            *before, draft = self._state.undo
            self._keep(draft, tuple(before), (*self._state.redo, self.draft))

    def redo(self) -> None:
        """Do again what was taken back last."""
        if self._state.redo:
            self._last = None
            *before, draft = self._state.redo
            self._keep(draft, (*self._state.undo, self.draft), tuple(before))

    def save(self) -> SavedRecord:
        """Write the record. Raises ValueError where something stands against it, and OSError."""
        self.saved = save_record(self.draft, self.subject, self.out, self._state.seconds)
        return self.saved

    def _keep(self, draft: Draft, undo: tuple[Draft, ...], redo: tuple[Draft, ...]) -> None:
        now = self._clock()
        seconds = self._state.seconds + min(max(0.0, now - self._seen), LONGEST_PAUSE)
        self._seen = now
        self.saved = None
        self._state = SavedDraft(draft, undo, redo, seconds)
        write_draft(draft_path(self.out), self.subject.digest, self._state)

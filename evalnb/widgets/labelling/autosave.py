"""The draft's file: written after every action, whole or not at all, so that a restarted kernel goes on from it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from evalnb.files import FileProblem, read_file, write_text_atomically
from evalnb.widgets.labelling.draft import Draft

FORMAT: Final = "evalnb-label-draft"
VERSION: Final = 1
MOST_UNDOS: Final = 100


@dataclass(frozen=True, slots=True)
class SavedDraft:
    """A draft, what undo and redo would bring back, and how long the person has worked, in seconds."""

    draft: Draft
    undo: tuple[Draft, ...] = ()
    redo: tuple[Draft, ...] = ()
    seconds: float = 0.0


_SHAPE: Final = TypeAdapter(SavedDraft)


def draft_path(out: Path) -> Path:
    """Where the draft of a record lies: beside it, named after it."""
    return out.with_name(f"{out.stem}.draft.json")


def write_draft(path: Path, subject: str, saved: SavedDraft) -> None:
    """Write the draft of `subject`, the digest of what is labelled. Raises OSError."""
    kept = SavedDraft(saved.draft, saved.undo[-MOST_UNDOS:], saved.redo[-MOST_UNDOS:], saved.seconds)
    document = {"format": FORMAT, "version": VERSION, "subject": subject, **asdict(kept)}
    write_text_atomically(path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def read_draft(path: Path, subject: str) -> SavedDraft | None:
    """The draft at `path`; None where there is none yet.

    Raises FileProblem for a file that is no draft, and for a draft of something else: it is never written over.
    """
    if not path.exists():
        return None
    try:
        document: Any = json.loads(read_file(path, "a labelling draft"))
    except ValueError:
        raise FileProblem(path, "is no labelling draft; move it away, or choose another out=") from None
    if not isinstance(document, dict) or document.pop("format", None) != FORMAT:
        raise FileProblem(path, "is no labelling draft; move it away, or choose another out=")
    if document.pop("version", None) != VERSION:
        raise FileProblem(path, "is a labelling draft of another version; move it away, or choose another out=")
    if document.pop("subject", None) != subject:
        raise FileProblem(path, "is the draft of another brief or other observations; choose another out=")
    try:
        return _SHAPE.validate_python(document)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise FileProblem(
            path, f"is damaged at {place}: {first['msg']}; move it away, or choose another out="
        ) from None

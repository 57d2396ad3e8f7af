"""What lies in a corpus folder: evaluation folders, folders that a run wrote, and loose JSON files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from evalnb.evaluation import layout
from evalnb.files import FileProblem

FoundKind = Literal["evaluation", "run", "file", "closed"]

RUN_CONTRACT: Final = "eval-contract.json"
EVIDENCE_FOLDER: Final = "evidence"
RUN_FOLDERS: Final = ("out", ".")
"""Where an evaluation folder may hold the artifacts of its run."""

_RUN_FILES: Final = (layout.PROBES, layout.RECORDS, layout.OBSERVATIONS)


@dataclass(frozen=True, slots=True)
class Found:
    """One thing to read; `name` is its path inside the corpus folder."""

    kind: FoundKind
    path: Path
    name: str


def search(folder: Path) -> list[Found]:
    """Everything in `folder` in path order. An evaluation or run folder is one thing and is not searched.

    Hidden names are passed over and symbolic links to folders are not followed. Raises `FileProblem` where `folder`
    itself is none.
    """
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "not found"
        raise FileProblem(folder, f"{what}; a corpus is a folder of evaluations, contracts or evidence artifacts")
    return sorted(_search(folder, folder), key=lambda found: found.name)


def evidence_files(run_folder: Path) -> list[Path]:
    """The JSON files in the place where a run leaves its evidence."""
    return sorted(path for path in (run_folder / EVIDENCE_FOLDER).glob("*.json") if path.is_file())


def name_inside(path: Path, root: Path) -> str:
    """`path` as the corpus names it; bytes of a file name that are no text are replaced."""
    return os.fsencode(path.relative_to(root).as_posix()).decode("utf-8", "replace")


def _search(folder: Path, root: Path) -> Iterator[Found]:
    name = name_inside(folder, root)
    try:
        with os.scandir(folder) as listing:
            members = [member for member in listing if not member.name.startswith(".")]
    except OSError:
        yield Found("closed", folder, name)
        return
    names = {member.name for member in members}
    if layout.CONTRACT.name in names and _holds_run_files(folder):
        yield Found("evaluation", folder, name)
    elif RUN_CONTRACT in names:
        yield Found("run", folder, name)
    else:
        for member in members:
            path = Path(member.path)
            if member.is_dir(follow_symlinks=False):
                yield from _search(path, root)
            elif member.name.endswith(".json") and member.is_file():
                yield Found("file", path, name_inside(path, root))


def _holds_run_files(folder: Path) -> bool:
    """A contract alone may lie anywhere; beside probes, records or observations it is an evaluation."""
    return any(any(folder.glob(pattern)) for entry in _RUN_FILES for pattern in entry.patterns)

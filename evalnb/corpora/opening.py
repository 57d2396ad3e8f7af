"""Opens a folder that mixes evaluation folders, contracts and evidence artifacts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from evalnb.corpora.collection import without_collection
from evalnb.corpora.corpus import Corpus
from evalnb.corpora.entries import CorpusEntry
from evalnb.corpora.found import search
from evalnb.corpora.reading import read_found

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called before each thing is read: how many are done, how many there are, and the path of this one."""


def open_corpus(folder: str | os.PathLike[str], *, name: str | None = None, progress: Progress | None = None) -> Corpus:
    """Read everything in `folder` and below it.

    An evaluation folder whose run left evidence (in `out/evidence` or `evidence`) is read from there; one that left
    none, or whose contract has changed since, is run. What cannot be read is an entry with a reason, never an error.
    `name` is what the corpus is called in a comparison, by default the folder's name.
    Raises `FileProblem` where `folder` is missing or no folder.
    """
    root = Path(folder)
    found = search(root)
    entries: list[CorpusEntry] = []
    with without_collection():
        for done, one in enumerate(found):
            if progress is not None:
                progress(done, len(found), one.name)
            entries += read_found(one)
    return Corpus(name or root.resolve().name or str(root), tuple(entries))

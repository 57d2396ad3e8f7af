"""Where the reference data lies, and how a table of cases becomes parametrized tests.

The folder is named by EVALNB_REFERENCE; any file or subfolder of it may be missing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[2]
STANDARD = PROJECT.parent / "shared" / "reference"
REFERENCE = Path(os.environ.get("EVALNB_REFERENCE") or STANDARD).resolve()


def _folders() -> list[Path]:
    """Where the documents that cases build on are looked for: a folder of a few cases leans on the standard one."""
    return [REFERENCE, STANDARD] if REFERENCE.is_dir() and STANDARD.is_dir() else [REFERENCE]


def reference_path(*parts: str) -> Path:
    """The path of a reference file; skips the running test where it does not exist."""
    for folder in _folders():
        path = folder.joinpath(*parts)
        if path.exists():
            return path
    pytest.skip(f"reference data not here: {'/'.join(parts)}")


def shared_path(source: str) -> Path:
    """The path of a file that a case names from the folder above the reference folder."""
    below = Path(source).parts
    return reference_path(*below[1:]) if below[0] == "reference" else reference_path("..", *below)


def load(*parts: str) -> Any:
    """One reference document, parsed; skips the running test where it does not exist."""
    return json.loads(reference_path(*parts).read_text(encoding="utf-8"))


def rows(*parts: str) -> list[Any]:
    """The rows of a reference table, or an empty list where the file does not exist.

    A table is a JSON array, or an object holding one array under `cases`.
    """
    return _rows_in(REFERENCE, parts)


def supporting(*parts: str) -> list[Any]:
    """The rows that other rows of the table build on: those at hand first, then those of the standard folder."""
    found: dict[str, Any] = {}
    for folder in _folders():
        for row in _rows_in(folder, parts):
            found.setdefault(row["id"], row)
    return list(found.values())


def member(key: str, *parts: str) -> Any:
    """One entry of a reference document that is an object of named documents; skips where nobody has it."""
    for folder in _folders():
        path = folder.joinpath(*parts)
        if path.exists() and key in (document := json.loads(path.read_text(encoding="utf-8"))):
            return document[key]
    pytest.skip(f"{key} is not in {'/'.join(parts)}")


def _rows_in(folder: Path, parts: tuple[str, ...]) -> list[Any]:
    path = folder.joinpath(*parts)
    if not path.exists():
        return []
    document = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(document, dict) and isinstance(document.get("cases"), list):
        document = document["cases"]
    return document if isinstance(document, list) else []


def params(cases: Iterable[Any], *, source: str) -> list[Any]:
    """Pytest parameters, one a case with the case's id; a single skipped one where there are no cases."""
    listed = [
        pytest.param(case, id=str(case.get("id", index)) if isinstance(case, dict) else str(index))
        for index, case in enumerate(cases)
    ]
    if listed:
        return listed
    return [pytest.param(None, id="absent", marks=pytest.mark.skip(reason=f"no cases of {source} in {REFERENCE}"))]


def cases(*parts: str) -> list[Any]:
    """Pytest parameters for the table at `parts`."""
    return params(rows(*parts), source="/".join(parts))

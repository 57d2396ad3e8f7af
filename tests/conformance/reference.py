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
REFERENCE = Path(os.environ.get("EVALNB_REFERENCE") or PROJECT.parent / "shared" / "reference").resolve()


def reference_path(*parts: str) -> Path:
    """The path of a reference file; skips the running test where it does not exist."""
    path = REFERENCE.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"reference data not here: {'/'.join(parts)}")
    return path


def load(*parts: str) -> Any:
    """One reference document, parsed; skips the running test where it does not exist."""
    return json.loads(reference_path(*parts).read_text(encoding="utf-8"))


def rows(*parts: str) -> list[Any]:
    """The rows of a reference table, or an empty list where the file does not exist.

    A table is a JSON array, or an object holding one array under `cases`.
    """
    path = REFERENCE.joinpath(*parts)
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

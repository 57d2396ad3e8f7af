"""Reference cases that contradict a pinned case or a chapter, each with the reason.

Such a case is still run: its test asserts that evalnb answers otherwise, so that a repaired table is noticed.
"""

from __future__ import annotations

import re
from typing import Any

from evalnb.engine.artifacts import KINDS

CONTRADICTIONS: dict[tuple[str, str], str] = {
    ("compile-failures.json", "schema-version-5"): (
        "the index has evalnb read contracts stamped 5 to 7, so this newer shape under stamp 5 fails its parse instead"
    ),
    ("cli-outcomes.json", "run-stale-contract"): (
        "the index has evalnb read contracts stamped 5 to 7, so a document stamped 6 is no version mismatch"
    ),
    ("cli-outcomes.json", "collision-stdin-is-skipped"): (
        "08 §1.3 refuses `--out -.json` in the spaced form before any collision check; the rule holds inline"
    ),
}

READS = {kind.name: kind.reads for kind in KINDS.values() if kind.reads}
_MISMATCH = re.compile(
    r'(?P<artifact>[A-Za-z]+)(?P<which>(?:\[[^\]]*\])?\.schemaVersion: carries "schemaVersion" \S+ where this build reads)'
    r" [0-9]+"
)


def is_read_by_the_index(artifact: str, stamp: Any, code: str | None) -> bool:
    """Whether a case expects a version mismatch of a stamp that evalnb reads: the index wins over such a case.

    The tables were written for a build that reads one version of each artifact.
    """
    return code == "schema-version-mismatch" and stamp in READS[artifact]


def naming_ranges(text: str) -> str:
    """An expected version mismatch, saying the range that evalnb reads where the table says one version."""
    return _MISMATCH.sub(lambda found: f"{found['artifact']}{found['which']} {_range(found['artifact'])}", text)


def _range(artifact: str) -> str:
    low, high = READS[artifact][0], READS[artifact][-1]
    return str(low) if low == high else f"{low} to {high}"

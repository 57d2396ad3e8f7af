"""Reference cases that contradict a pinned case or a chapter, each with the reason.

Such a case is still run: its test asserts that evalnb answers otherwise, so that a repaired table is noticed.
"""

from __future__ import annotations

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

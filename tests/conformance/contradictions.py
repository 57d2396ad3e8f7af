"""Reference cases that contradict a pinned case or a chapter, each with the reason.

Such a case is still run: its test asserts that evalnb answers otherwise, so that a repaired table is noticed.
"""

from __future__ import annotations

CONTRADICTIONS: dict[tuple[str, str], str] = {}

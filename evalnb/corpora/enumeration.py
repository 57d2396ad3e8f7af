"""Names the first few of many things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

SHOWN: Final = 3


def enumerated(names: Sequence[str], separator: str = ", ") -> str:
    """`P-001, P-002, P-003 and 4 more`."""
    more = len(names) - SHOWN
    return separator.join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")

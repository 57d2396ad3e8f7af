"""The order of rows and columns: what matters most first, then identifiers as people count them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

SEVERITY_RANK: Final[Mapping[str, int]] = {"critical": 0, "material": 1, "low": 2}
_DIGITS: Final = re.compile(r"([0-9]{1,18})")


def natural(identifier: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key in which P-2 comes before P-10."""
    # A text of any length may stand where an identifier is expected; its beginning decides.
    parts = _DIGITS.split(identifier[:200])
    return tuple((0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts if part)


def by_severity(severities: Mapping[str, str | None]) -> list[str]:
    """The keys, the most severe first and in natural order among equals; an unknown severity comes last."""
    return sorted(severities, key=lambda key: (SEVERITY_RANK.get(severities[key] or "", 3), natural(key)))


def worst(severities: Iterable[str | None]) -> str | None:
    """The highest severity."""
    known = (severity for severity in severities if severity is not None)
    return min(known, key=lambda severity: SEVERITY_RANK.get(severity, 3), default=None)

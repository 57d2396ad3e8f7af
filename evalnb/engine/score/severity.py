"""The order of severities: low, material, critical."""

from __future__ import annotations

from typing import Final

SEVERITIES: Final = ("low", "material", "critical")


def at_or_above(severity: str, floor: str) -> bool:
    """Whether `severity` reaches `floor`; false where either is none of the three. spec: 09 §0"""
    if severity not in SEVERITIES or floor not in SEVERITIES:
        return False
    return SEVERITIES.index(severity) >= SEVERITIES.index(floor)

"""How much memory a process of its own took at most."""

from __future__ import annotations

from pathlib import Path

import pytest

STATUS = Path("/proc/self/status")
NEEDS_PROC = pytest.mark.skipif(not STATUS.exists(), reason="the peak of a process is read from /proc")


def own_peak_kilobytes() -> int:
    """This process's own high-water mark: what the system reports as its usage begins at its parent's peak."""
    return next(int(line.split()[1]) for line in STATUS.read_text().splitlines() if line.startswith("VmHWM"))

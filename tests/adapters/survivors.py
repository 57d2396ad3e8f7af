"""Finding what a target left behind: processes that carry a mark of ours in their environment, and our own children.

A mark is a folder of the test's own, in which every unruly target notes that it has started.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

MARK = "EVALNB_TEST_MARK"


def started(mark: str) -> int:
    """How many unruly targets have started with `mark`."""
    return len(os.listdir(mark))


def marked(mark: str) -> list[int]:
    """The living processes that were started with `mark`."""
    wanted = f"{MARK}={mark}\0".encode()
    return [pid for pid in _processes() if wanted in _environment(pid) and not _is_zombie(pid)]


def survivors(mark: str, within: float = 3.0) -> list[int]:
    """The marked processes that are still there after `within` seconds; returns as soon as there are none."""
    deadline = time.monotonic() + within
    while (left := marked(mark)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


def own_children() -> set[int]:
    """The children of this process, ended ones that nobody waited for included."""
    children: set[int] = set()
    for listing in Path("/proc/self/task").glob("*/children"):
        children |= set(map(int, listing.read_text().split()))
    return children


def open_descriptors() -> int:
    """How many descriptors this process holds."""
    return len(os.listdir("/proc/self/fd"))


def resident_kilobytes() -> int:
    """The memory this process has in use."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True

"""How long a target may run and how much it may write, and the fault of going past either.

Time counts from the target's start; until then a start has the budget and thirty seconds more. Bytes count per
stream, as they arrive. spec: 10 §7.4, §8.4, §10
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from evalnb.engine.artifacts.target_policies import LONGEST_TIMER_MS
from evalnb.engine.faults import RuntimeFault

_START_ALLOWANCE_MS: Final = 30_000


class Clock:
    """The elapsed budget of one target, in milliseconds; runs out later while the target has not started."""

    def __init__(self, max_elapsed_ms: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._max_ms = min(max_elapsed_ms, LONGEST_TIMER_MS)
        self._deadline = self._loop.time() + min(self._max_ms + _START_ALLOWANCE_MS, LONGEST_TIMER_MS) / 1000

    def start(self) -> None:
        """Count from now."""
        self._deadline = self._loop.time() + self._max_ms / 1000

    @property
    def deadline(self) -> float:
        """When the budget runs out, in the event loop's time."""
        return self._deadline

    @property
    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self._deadline - self._loop.time())

    @property
    def is_out(self) -> bool:
        """Whether the budget has run out."""
        return self._loop.time() >= self._deadline


class ByteCount:
    """Counts one stream; exactly `limit` bytes are allowed, one more calls `on_excess` with the stream's name."""

    def __init__(self, stream: str, limit: int, on_excess: Callable[[str], None]) -> None:
        self.stream = stream
        self._limit = limit
        self._count = 0
        self._on_excess = on_excess

    def admits(self, chunk: bytes) -> bool:
        """Count `chunk`; whether the stream is still within its limit."""
        self._count += len(chunk)
        if self._count <= self._limit:
            return True
        self._on_excess(self.stream)
        return False

    def restart(self) -> None:
        """Count from zero again."""
        self._count = 0


async def first_of(*futures: asyncio.Future[Any], timeout: float) -> None:
    """Wait until one of `futures` is done or `timeout` seconds have passed; none of them is cancelled."""
    await asyncio.wait(futures, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)


def elapsed_fault(request_name: str, max_elapsed_ms: int, phase: str | None = None) -> RuntimeFault:
    """The fault of a target that took too long; `phase` says how far it came."""
    during = f" during {phase}" if phase else ""
    return RuntimeFault(
        "budget-exhausted", request_name, f"the target ran past maxElapsedMs ({max_elapsed_ms} ms){during}"
    )


def output_fault(request_name: str, stream: str, max_output_bytes: int) -> RuntimeFault:
    """The fault of a target that wrote too much."""
    return RuntimeFault(
        "budget-exhausted", request_name, f"{stream} went past maxOutputBytes ({max_output_bytes} bytes)"
    )


def artifact_fault(request_name: str, path: str, max_output_bytes: int) -> RuntimeFault:
    """The fault of an artifact that is larger than what may be read."""
    return RuntimeFault(
        "budget-exhausted", request_name, f"the artifact at {path} is larger than maxOutputBytes ({max_output_bytes})"
    )

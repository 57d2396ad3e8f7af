"""The clock port over the system clock (spec: 10 §4)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from evalnb.adapters.port_boundary import PortMethod, run_port_method
from evalnb.engine.artifacts.port_messages import ClockReadRequest, ClockReadResponse
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.port_seam import AbortSignal, PortBoundary


def _parse_request(raw: object) -> ClockReadRequest:
    request: ClockReadRequest = validated(ClockReadRequest, raw)
    return request


def _parse_response(raw: object) -> ClockReadResponse:
    response: ClockReadResponse = validated(ClockReadResponse, raw)
    return response


CLOCK_BOUNDARY: Final = PortBoundary(
    parse_request=_parse_request,
    parse_response=_parse_response,
    request_path="ClockReadRequest",
    response_path="ClockReadResponse",
)
"""What crosses to a clock and back."""


class SystemClock:
    """Reads the time in UTC. `mechanism` answers the text of an instant and is replaceable for tests."""

    def __init__(self, mechanism: Callable[[], object] | None = None) -> None:
        self._now = mechanism or system_time
        self._method = PortMethod(boundary=CLOCK_BOUNDARY, call=self._call, assemble=lambda request, now: {"now": now})

    async def read(self, request: object, signal: AbortSignal) -> ClockReadResponse:
        """The time; raises `RuntimeFault`."""
        return await run_port_method(self._method, request, signal)

    async def _call(self, request: ClockReadRequest, signal: AbortSignal) -> object:
        return self._now()


def system_time() -> str:
    """Now, as RFC 3339 in UTC with milliseconds and `Z`; the precision is left open by the chapter."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

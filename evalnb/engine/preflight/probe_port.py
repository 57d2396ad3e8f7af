"""The environment probe as pre-flight sees it: the port's one method and what may cross its boundary.

spec: 07 §2, 10 §1
"""

from __future__ import annotations

from typing import Final, Protocol

from evalnb.engine.artifacts.port_messages import ProbeObservation, ProbeRequest
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.port_seam import AbortSignal, PortBoundary


class EnvironmentProbePort(Protocol):
    """Sends one request to the system under test and answers with what it observed."""

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> object:
        """One call, no retry; a failure is a RuntimeFault, any answer of the system an observation."""
        ...


def parse_probe_request(raw: object) -> ProbeRequest:
    """A request as it is sent; ShapeError for any other shape."""
    request: ProbeRequest = validated(ProbeRequest, raw)
    return request


def parse_probe_observation(raw: object) -> ProbeObservation:
    """An observation as a port answers it; ShapeError for any other shape."""
    observation: ProbeObservation = validated(ProbeObservation, raw)
    return observation


PROBE_BOUNDARY: Final = PortBoundary(
    parse_request=parse_probe_request,
    parse_response=parse_probe_observation,
    request_path="ProbeRequest",
    response_path="ProbeObservation",
)
"""What crosses to an environment probe and back."""

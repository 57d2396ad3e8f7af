"""A step whose interface could not be found selects nothing, even beside observations in the same state."""

from __future__ import annotations

from evalnb.engine.artifacts import UNRESOLVED_INTERFACE
from evalnb.engine.evaluate import ObservationLog


class Recorded:
    observation_id = "obs-1"
    sequence = 1
    interface_id = UNRESOLVED_INTERFACE
    operation_id = "get-note"


def test_an_unresolved_interface_matches_no_observation() -> None:
    log = ObservationLog.of([Recorded()])  # type: ignore[list-item]
    assert log.of_operation(UNRESOLVED_INTERFACE, "get-note") == ()

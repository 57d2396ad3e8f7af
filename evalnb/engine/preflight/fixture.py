"""Fixture state as digests: the verdict's fixture digest, and what the state-reset check compares.

spec: 07 §5.3, §7.3
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalnb.engine.artifacts import ProbeObservedBody
from evalnb.engine.canonical import digest_artifact, digest_composite
from evalnb.engine.json_values import Json, own_keys
from evalnb.engine.operations import AnyOperation
from evalnb.engine.pointers import WILDCARD
from evalnb.engine.preflight.project import ProjectedObservation
from evalnb.engine.preflight.prune import array_position, volatile_segments
from evalnb.engine.preflight.verdict import VERDICT_PATH
from evalnb.engine.preflight.wire import wire_document


def fixture_digest(projections: Iterable[ProjectedObservation]) -> str:
    """The digest over all projections, whatever their order.

    Raises TypeError without any projection, RuntimeFault at `PreflightVerdict` for a body that canonical JSON cannot
    carry.
    """
    # Leg ids are ASCII, so the plain order is the order of UTF-16 code units.
    observations = [p.document() for p in sorted(projections, key=lambda projection: projection.leg_id)]
    if not observations:
        raise TypeError("a fixture digest needs at least one observation")
    return digest_composite({"observations": observations}, VERDICT_PATH)


def state_digest(projection: ProjectedObservation, operation: AnyOperation) -> str:
    """The digest of the state that must come back after a reset: equal digests mean equal state.

    An operation that lists `stateResetPointers` is compared by the values there, any other by its whole body; the
    transport result counts in both. Raises RuntimeFault at `PreflightVerdict` for a value that canonical JSON cannot
    carry.
    """
    state = {**projection.transport(), "body": _compared_body(projection.body, operation.state_reset_pointers)}
    return digest_artifact(state, VERDICT_PATH)


def _compared_body(body: ProbeObservedBody, pointers: Sequence[str] | None) -> Json:
    # Open in the chapter: no pointer reaches into text or nothing, so such a body is compared whole, as pruning does.
    if pointers is None or body.kind != "json":
        return wire_document(body)
    return {"kind": "json", "values": [_values_at(body.value, volatile_segments(p)) for p in pointers]}


def _values_at(value: Json, segments: tuple[str, ...]) -> dict[str, Json]:
    """Every value that the pointer reaches, by its place: none where nothing is there, several under a wildcard."""
    # Open in the chapter: a wildcard fans out here as it does in `volatilePointers`.
    reached: dict[str, Json] = {"": value}
    for segment in segments:
        reached = {
            f"{place}/{step}": member
            for place, container in reached.items()
            for step, member in _members(container, segment).items()
        }
    return reached


def _members(container: Json, segment: str) -> dict[str, Json]:
    if isinstance(container, list):
        if segment == WILDCARD:
            return {str(position): element for position, element in enumerate(container)}
        position = array_position(segment, len(container))
        return {} if position is None else {str(position): container[position]}
    if isinstance(container, dict):
        keys = own_keys(container) if segment == WILDCARD else [segment] if segment in container else []
        return {_escaped(key): container[key] for key in keys}
    return {}


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")

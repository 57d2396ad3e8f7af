"""Taking volatile fields out of an observed body before anything compares it.

Pointers are applied one after another, each to what the one before left over. spec: 07 §5.2
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from evalnb.engine.artifacts import AbsentBody, JsonBody, ProbeObservedBody
from evalnb.engine.json_values import Json
from evalnb.engine.pointers import VOLATILE, WILDCARD, decode_tail, matches

# Sixteen digits name a position that no list here reaches, so a longer segment is never read as a number.
_ARRAY_POSITION: Final = re.compile(r"0|[1-9][0-9]{0,15}", re.ASCII)


def prune_body(body: ProbeObservedBody, volatile_pointers: Sequence[str]) -> ProbeObservedBody:
    """`body` without what `volatile_pointers` name; the argument is not changed.

    Text and absent bodies come back as they are, so a change of content type stays visible. Raises TypeError for a
    string that is no volatile pointer, whatever the body.
    """
    segment_lists = [volatile_segments(pointer) for pointer in volatile_pointers]
    if body.kind != "json" or not segment_lists:
        return body
    if any(not segments for segments in segment_lists):
        return AbsentBody(kind="absent")
    value = body.value
    for segments in segment_lists:
        value = _without(value, segments)
    # The value may hold numbers or surrogates that only the digest refuses, so it is not validated again.
    return JsonBody.model_construct(kind="json", value=value)


def volatile_segments(pointer: str) -> tuple[str, ...]:
    """The decoded segments of a volatile pointer; none for the empty pointer. TypeError for any other string."""
    if not matches(VOLATILE, pointer):
        raise TypeError(f"not a volatile pointer: {pointer!r}")
    return decode_tail(pointer)


def array_position(segment: str, length: int) -> int | None:
    """The position that `segment` names in an array of `length` elements, or None."""
    if not _ARRAY_POSITION.fullmatch(segment):
        return None
    position = int(segment)
    return position if position < length else None


def _without(value: Json, segments: tuple[str, ...]) -> Json:
    if isinstance(value, list):
        return _without_in_array(value, segments)
    if isinstance(value, dict):
        return _without_in_object(value, segments)
    return value


def _without_in_array(array: list[Json], segments: tuple[str, ...]) -> list[Json]:
    segment, rest = segments[0], segments[1:]
    if segment == WILDCARD:
        return [_without(element, rest) for element in array] if rest else []
    position = array_position(segment, len(array))
    if position is None:
        return array
    kept = [_without(array[position], rest)] if rest else []
    return [*array[:position], *kept, *array[position + 1 :]]


def _without_in_object(members: dict[str, Json], segments: tuple[str, ...]) -> dict[str, Json]:
    segment, rest = segments[0], segments[1:]
    if segment == WILDCARD:
        return {key: _without(member, rest) for key, member in members.items()} if rest else {}
    if segment not in members:
        return members
    if rest:
        return {**members, segment: _without(members[segment], rest)}
    return {key: member for key, member in members.items() if key != segment}

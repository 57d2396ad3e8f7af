"""Taking volatile fields out of an observed body before anything compares it.

Pointers are applied one after another, each to what the one before left over. spec: 07 §5.2
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

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
    """`value` without what the pointer names, level by level: a pointer may reach deeper than calls can."""
    root: list[Json] = [value]
    reached: list[list[Json] | dict[str, Json]] = [root]
    for segment in ("0", *segments[:-1]):
        reached = [
            opened
            for container in reached
            for step in _steps(container, segment)
            if (opened := _open_copy(container, step)) is not None
        ]
    for container in reached:
        for step in reversed(_steps(container, segments[-1])):
            del container[step]  # type: ignore[arg-type]
    return root[0]


def _steps(container: list[Json] | dict[str, Json], segment: str) -> list[int] | list[str]:
    """The positions or keys of `container` that the segment names."""
    if isinstance(container, dict):
        return list(container) if segment == WILDCARD else [segment] if segment in container else []
    if segment == WILDCARD:
        return list(range(len(container)))
    position = array_position(segment, len(container))
    return [] if position is None else [position]


def _open_copy(container: Any, step: int | str) -> list[Json] | dict[str, Json] | None:
    """The array or object there, replaced by a copy that may be changed; None for anything else."""
    inner = container[step]
    if not isinstance(inner, list | dict):
        return None
    container[step] = inner.copy()
    opened: list[Json] | dict[str, Json] = container[step]
    return opened

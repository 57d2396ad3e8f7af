"""Sample inputs in the two forms that a contract holds them in: a witness leg's, and a plan step's binding."""

from __future__ import annotations

from typing import Final

from evalnb.engine.json_values import Json
from evalnb.scaffold.draft import Channels, Kind

_ABSENT: Final[dict[str, Json]] = {"kind": "absent"}
_BODY_CHANNELS: Final = ("body", "stdin")


def witness_inputs(kind: Kind, inputs: Channels) -> dict[str, Json]:
    """The inputs of one call outside the plan."""
    document: dict[str, Json] = {}
    for channel, values in inputs.items():
        if channel in _BODY_CHANNELS:
            document[channel] = {"kind": "json", "value": dict(values)} if values else dict(_ABSENT)
        else:
            document[channel] = dict(values)
    return document


def binding(inputs: Channels, violated: tuple[str, str] | None = None) -> dict[str, Json]:
    """The same as a step binds them; `violated` is the channel and key that gets a value of a wrong type."""
    document: dict[str, Json] = {}
    for channel, values in inputs.items():
        bound: dict[str, Json] = {key: {"literal": value} for key, value in values.items()}
        if violated is not None and violated[0] == channel:
            bound[violated[1]] = {"matcher": "type-violating"}
        document[channel] = bound or None
    return document

"""Quotations that stand word for word in the cited observations, as the audit of a record reads them.

A quotation is taken from the text that a channel has there (spec: 09 §5.3), so its author cannot misspell it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from evalnb.engine.artifacts import Observation
from evalnb.engine.canonical import canonical_text
from evalnb.engine.evaluate import resolve_target
from evalnb.engine.json_values import ABSENT
from evalnb.engine.pointers import InteractionPointer, parse_interaction_pointer

_LENGTH: Final = 160
_WHOLE_CHANNELS: Final = ("response-status", "exit-code")


def quotations(
    pointers: Sequence[str], bound: Mapping[str, Observation], cited: Sequence[Observation]
) -> list[dict[str, Any]]:
    """A quotation for each pointer into an answer, at least one for every finding that cites anything."""
    quotes: dict[tuple[str, str, str | None], None] = {}
    for pointer in pointers:
        target = parse_interaction_pointer(pointer)
        observation = bound.get(target.step_id)
        if observation is None or target.channel == "call-inputs":
            continue
        quotes[_quoted(target, observation, pointer)] = None
    for observation in cited:
        if quotes:
            break
        quotes[_anything(observation)] = None
    return [{"quote": text, "channel": channel, "artifactId": artifact} for channel, text, artifact in quotes if text]


def _quoted(target: InteractionPointer, observation: Observation, pointer: str) -> tuple[str, str, str | None]:
    value = resolve_target(observation, target)
    if value is ABSENT or (value is None and not target.tail):
        return _anything(observation)
    if target.channel in _WHOLE_CHANNELS:
        return target.channel, str(value), None
    if target.channel == "artifact":
        body = observation.artifacts[target.artifact_id or ""]
        return "artifact", _part(body, target, pointer), target.artifact_id
    if target.channel in ("stdout", "stderr"):
        return target.channel, _part(getattr(observation, target.channel), target, pointer), None
    return target.channel, _json_part(value, target, pointer), None


def _part(body: Any, target: InteractionPointer, pointer: str) -> str:
    if body.kind == "text":
        return str(body.value)[:_LENGTH]
    value: Any = body.value
    for token in target.tail:
        value = value[int(token)] if isinstance(value, list) else value[token]
    return _json_part(value, target, pointer)


def _json_part(value: Any, target: InteractionPointer, pointer: str) -> str:
    """The value as it stands in the canonical text, behind its key where it has one."""
    key = target.tail[-1] if target.tail else None
    # An element's position is no text of the answer.
    name = "" if key is None or key.isdecimal() else f"{canonical_text(key, pointer)}:"
    return (name + canonical_text(value, pointer))[:_LENGTH]


def _anything(observation: Observation) -> tuple[str, str, str | None]:
    """What shows the answer as a whole, for evidence that is missing from it."""
    if observation.response_status is not None:
        return "response-status", str(observation.response_status), None
    if observation.exit_code is not None:
        return "exit-code", str(observation.exit_code), None
    return "call-inputs", "{", None

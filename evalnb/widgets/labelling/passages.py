"""What can be quoted of a recorded call: passages that stand word for word in a channel as the scorer reads it.

spec: 09 §5.3
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from evalnb.engine.artifacts import JsonBody, Observation, TextBody
from evalnb.engine.canonical import canonical_text
from evalnb.widgets.labelling.draft import Quote

MOST_PASSAGES: Final = 300
LONGEST_PASSAGE: Final = 400


def passages_of(observation: Observation) -> tuple[Quote, ...]:
    """The passages of one observation, response first, each once; at most 300."""
    found: dict[Quote, None] = {}
    for quote in _all(observation):
        found[quote] = None
        if len(found) >= MOST_PASSAGES:
            break
    return tuple(found)


def _all(observation: Observation) -> Iterator[Quote]:
    one = observation.observation_id
    if observation.response_status is not None:
        yield Quote(one, "response-status", None, str(observation.response_status))
    if observation.exit_code is not None:
        yield Quote(one, "exit-code", None, str(observation.exit_code))
    yield from _json(one, "response-body", None, observation.response_body)
    yield from _body(one, "stdout", None, observation.stdout)
    yield from _body(one, "stderr", None, observation.stderr)
    for name, body in observation.artifacts.items():
        yield from _body(one, "artifact", name, body)
    yield from _json(one, "response-headers", None, observation.response_headers)
    sent = observation.call_inputs.model_dump(by_alias=True)
    yield from _json(one, "call-inputs", None, {name: value for name, value in sent.items() if value is not None})


def _body(observation_id: str, channel: str, artifact_id: str | None, body: Any) -> Iterator[Quote]:
    if isinstance(body, JsonBody):
        yield from _json(observation_id, channel, artifact_id, body.value)
    elif isinstance(body, TextBody):
        for line in body.value.split("\n"):
            if line.strip():
                yield Quote(observation_id, channel, artifact_id, line[:LONGEST_PASSAGE])


def _json(observation_id: str, channel: str, artifact_id: str | None, value: Any) -> Iterator[Quote]:
    """Every member whose value is no container, as canonical JSON writes it: `"team":"safety"`."""
    pending: list[Any] = [] if value is None else [value]
    while pending:
        current = pending.pop()
        inside: list[Any] = []
        for key, item in _members(current):
            if isinstance(item, dict | list) and item:
                inside.append(item)
                continue
            text = canonical_text(item if key is None else {key: item}, "Observation")
            passage = text if key is None else text[1:-1]
            yield Quote(observation_id, channel, artifact_id, passage[:LONGEST_PASSAGE])
        pending.extend(reversed(inside))


def _members(value: Any) -> Iterator[tuple[str | None, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from ((None, item) for item in value)
    else:
        yield None, value

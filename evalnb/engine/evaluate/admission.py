"""Whether an observed call is one that an input binding describes.

spec: 03 §4.5, 09 §4.4, §5.1
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from evalnb.engine.artifacts import LiteralBinding, MatcherBinding, PrincipalBinding
from evalnb.engine.evaluate.values import Value
from evalnb.engine.json_values import ABSENT, Json, json_equal, json_kind
from evalnb.engine.operations import (
    AnyInputBinding,
    AnyOperation,
    BoundKey,
    binding_keys,
    declared_type,
    raw_body,
)

if TYPE_CHECKING:
    from evalnb.engine.artifacts import Observation, RawRequestBody

CapturedValue: TypeAlias = Callable[[str, str], Value]
"""(channel, key) -> the value a captured binding waits for, ABSENT where it did not resolve."""


def admits(
    binding: AnyInputBinding,
    observation: Observation,
    operation: AnyOperation | None,
    captured_value: CapturedValue | None = None,
) -> bool:
    """Whether the call satisfies every key of the binding; `operation` declares the types of type-violating keys."""
    raw = raw_body(binding)
    if raw is not None and not _sent_raw(raw, observation):
        return False
    return all(_satisfied(bound, observation, operation, captured_value) for bound in binding_keys(binding))


def _satisfied(
    bound: BoundKey,
    observation: Observation,
    operation: AnyOperation | None,
    captured_value: CapturedValue | None,
) -> bool:
    channel = getattr(observation.call_inputs, bound.channel)
    if channel is None or bound.key not in channel:
        return False
    observed: Json = channel[bound.key]
    if isinstance(bound.value, LiteralBinding):
        return json_equal(observed, bound.value.literal)
    if isinstance(bound.value, PrincipalBinding):
        return bool(observation.principal == bound.value.principal)
    if isinstance(bound.value, MatcherBinding):
        if bound.value.matcher == "any":
            return True
        expected = declared_type(operation, bound.channel, bound.key)
        return expected is not None and json_kind(observed) != expected
    wanted = ABSENT if captured_value is None else captured_value(bound.channel, bound.key)
    return json_equal(observed, wanted)


def _sent_raw(raw: RawRequestBody, observation: Observation) -> bool:
    """Only a call marked as raw sent bytes; an ordinary JSON body may happen to look the same (02b §4.4)."""
    inputs = observation.call_inputs
    sent = {"kind": "raw", "base64": raw.base64, "contentType": raw.content_type}
    return inputs.body_encoding == "raw" and json_equal(inputs.body, sent)

"""The call of one plan step: every key it binds or needs, resolved to a value, and the port message that carries it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalnb.engine.artifacts import (
    AbsentBody,
    ApiWitnessInputs,
    CapturedBinding,
    CommandWitnessInputs,
    InteractionStep,
    LiteralBinding,
    McpWitnessInputs,
    Observation,
    PrincipalBinding,
    WitnessInputs,
)
from evalnb.engine.artifacts.bodies import JsonBody, RawRequestBody
from evalnb.engine.evaluate import admits
from evalnb.engine.json_values import ABSENT, Absent, Json
from evalnb.engine.operations import (
    AnyOperation,
    BoundKey,
    bound_keys,
    channel_shapes,
    input_channels,
    operation_kind,
    raw_body,
)
from evalnb.harness.observing import observation_document, observation_of
from evalnb.harness.stimuli import SOURCES, Source, Stimuli

Captured = Callable[[str], "Json | Absent"]
"""The value at an interaction pointer in what was observed so far."""

# A captured value is not known while calls are compared with the steps of other bindings.
_UNKNOWN: Final = "\x00captured"


@dataclass(frozen=True, slots=True)
class StepCall:
    """What a step sends: values by channel and key. Credentials are sent by the policy, their keys only named here."""

    step: InteractionStep
    operation: AnyOperation
    values: Mapping[str, Mapping[str, Json]]
    raw: RawRequestBody | None
    principal: str | None
    credential_keys: frozenset[tuple[str, str]] = frozenset()

    @property
    def inputs(self) -> WitnessInputs:
        """The values as a port takes them, keys that the policy fills left out."""
        sent = {channel: self._sent(channel) for channel in input_channels(self.operation)}
        return inputs_of(self.operation, sent, self.raw)

    @property
    def recorded(self) -> dict[str, Json]:
        """The values as a record holds them; a channel that carries nothing is null."""
        inputs: dict[str, Json] = {channel: dict(keys) or None for channel, keys in self.values.items()}
        if self.raw is not None:
            inputs["body"] = {"kind": "raw", "base64": self.raw.base64, "contentType": self.raw.content_type}
            inputs["bodyEncoding"] = "raw"
        return inputs

    def _sent(self, channel: str) -> dict[str, Json]:
        keys = self.values.get(channel, {})
        return {key: value for key, value in keys.items() if (channel, key) not in self.credential_keys}


def inputs_of(
    operation: AnyOperation, values: Mapping[str, Mapping[str, Json]], raw: RawRequestBody | None = None
) -> WitnessInputs:
    """Inputs of the operation's kind from values by channel."""

    def plain(channel: str) -> dict[str, Any]:
        return dict(values.get(channel) or {})

    def text(channel: str) -> dict[str, str]:
        return {key: value if isinstance(value, str) else _text(value) for key, value in plain(channel).items()}

    kind = operation_kind(operation)
    if kind == "mcp":
        return McpWitnessInputs(arguments=plain("arguments"))
    if kind == "cli":
        stdin = plain("stdin")
        return CommandWitnessInputs(
            argument=plain("argument"),
            option=plain("option"),
            environment=text("environment"),
            stdin=JsonBody(kind="json", value=stdin) if stdin else AbsentBody(kind="absent"),
        )
    body = plain("body")
    return ApiWitnessInputs(
        path=plain("path"),
        query=plain("query"),
        header=text("header"),
        body=raw or (JsonBody(kind="json", value=body) if body else AbsentBody(kind="absent")),
    )


def step_call(
    step: InteractionStep,
    operation: AnyOperation,
    stimuli: Stimuli,
    captured: Captured,
    others: Iterable[InteractionStep],
) -> StepCall | None:
    """The call of a step, None where a value it captures is not there.

    Values the plan leaves open are chosen so that no other step of the same operation would claim the call, where
    that can be had.
    """
    first: StepCall | None = None
    rivals = [other for other in others if other.step_id != step.step_id]
    for source in SOURCES:
        call = _call(step, operation, stimuli, captured, source)
        if call is None:
            return None
        first = first or call
        fixed = _call(step, operation, stimuli, lambda pointer: _UNKNOWN, source)
        if fixed is not None and not any(_claims(rival, fixed) for rival in rivals):
            return call
    return first


def _call(
    step: InteractionStep, operation: AnyOperation, stimuli: Stimuli, captured: Captured, source: Source
) -> StepCall | None:
    values: dict[str, dict[str, Json]] = {channel: {} for channel in input_channels(operation)}
    credential_keys: set[tuple[str, str]] = set()
    principal: str | None = None
    for bound in bound_keys(step):
        value = _value(bound, step, operation, stimuli, captured, source)
        if isinstance(value, Absent):
            return None
        if isinstance(bound.value, PrincipalBinding):
            principal = bound.value.principal
            credential_keys.add((bound.channel, bound.key))
        values[bound.channel][bound.key] = value
    raw = raw_body(step.input_binding)
    for channel, shape in channel_shapes(operation):
        if channel == "body" and raw is not None:
            continue
        for key in shape.required_keys:
            if key not in values[channel]:
                values[channel][key] = stimuli.plausible(step.step_id, operation, channel, key, source)
    return StepCall(step, operation, values, raw, principal, frozenset(credential_keys))


def _value(
    bound: BoundKey,
    step: InteractionStep,
    operation: AnyOperation,
    stimuli: Stimuli,
    captured: Captured,
    source: Source,
) -> Json | Absent:
    match bound.value:
        case LiteralBinding():
            return bound.value.literal
        case CapturedBinding():
            return captured(bound.value.captured)
        case PrincipalBinding():
            return credential_mark(bound.value.principal)
        case _ if bound.value.matcher == "any":
            return stimuli.plausible(step.step_id, operation, bound.channel, bound.key, source)
        case _:
            return stimuli.violating(step.step_id, operation, bound.channel, bound.key)


def credential_mark(principal: str) -> str:
    """What a record holds in place of what the policy sends in a principal's name."""
    return f"credentials of {principal}"


def _claims(rival: InteractionStep, call: StepCall) -> bool:
    """Whether another step's binding describes this call, its captured values taken as unknown."""
    if (rival.interface_id, rival.operation_id) != (call.step.interface_id, call.step.operation_id):
        return False
    document = observation_document(call.step, call.recorded, call.principal, 1, None)
    observation: Observation = observation_of(document)
    return admits(rival.input_binding, observation, call.operation, lambda channel, key: ABSENT)


def _text(value: Json) -> str:
    from evalnb.adapters.wire_text import value_text

    return value_text(value)

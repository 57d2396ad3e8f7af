"""A port with one defect planted at its boundary: the system behind it is real, and so is its shadow.

Call operators change what reaches the system; answer operators change what comes back. The call that puts the fixture
back is never touched.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalnb.engine.artifacts import ProbeObservation, ProbeRequest
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.port_seam import AbortSignal
from evalnb.harness.mutants.answer_changes import ANSWER_CHANGES
from evalnb.harness.mutants.answers import Answer
from evalnb.harness.mutants.spec import MutantSpec
from evalnb.harness.plan_run import RESET_LEG, ActingPort


@dataclass(frozen=True, slots=True)
class PlantedCall:
    """One call on its way: where it is meant for, and how to send it, changed or not, to either system."""

    request: ProbeRequest
    is_target: bool
    writes: bool
    real: Callable[[ProbeRequest], Awaitable[ProbeObservation]]
    shadow: Callable[[ProbeRequest], Awaitable[ProbeObservation]]


class PlantedPort:
    """The port of a mutated arm. `shadow` is a second system in step with the real one, where the defect needs it."""

    def __init__(self, real: ActingPort, shadow: ActingPort | None, spec: MutantSpec, index: PlanIndex) -> None:
        self._real = real
        self._shadow = shadow
        self._spec = spec
        self._index = index
        self._defect: Defect = CALL_DEFECTS.get(spec.operator, ChangedAnswer)(spec, index)

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> ProbeObservation:
        """One call in nobody's name."""
        return await self.call(request, signal, None)

    def acting_as(self, principal: str) -> ActingPort:
        """The same defect, asked in the name of `principal`."""
        return _Acting(self, principal)

    async def call(self, request: ProbeRequest, signal: AbortSignal, principal: str | None) -> ProbeObservation:
        """One call through the defect; raises `RuntimeFault` as the port does."""

        def sender(port: ActingPort) -> Callable[[ProbeRequest], Awaitable[ProbeObservation]]:
            acting = port if principal is None else port.acting_as(principal)

            async def send(sent: ProbeRequest) -> ProbeObservation:
                answer: Any = await acting.probe(sent, signal)
                observed: ProbeObservation = answer
                return observed

            return send

        real = sender(self._real)
        shadow = real if self._shadow is None else sender(self._shadow)
        if request.probe_id == RESET_LEG:
            self._defect.reset()
            if self._shadow is not None:
                await shadow(request)
            return await real(request)
        declared = self._index.operation(request.interface_id, request.operation_id)
        target = (request.interface_id, request.operation_id) == (self._spec.interface_id, self._spec.operation_id)
        writes = declared is not None and declared.operation.state_change_marker
        return await self._defect.answer(PlantedCall(request, target, writes, real, shadow))


class _Acting:
    """One principal's view of a planted port."""

    def __init__(self, origin: PlantedPort, principal: str) -> None:
        self._origin = origin
        self._principal = principal

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> ProbeObservation:
        return await self._origin.call(request, signal, self._principal)

    def acting_as(self, principal: str) -> ActingPort:
        return self._origin.acting_as(principal)


class Defect:
    """What a defect does to the calls of one trial; this one does nothing."""

    def __init__(self, spec: MutantSpec, index: PlanIndex) -> None:
        self.spec = spec
        self.index = index

    def reset(self) -> None:
        """Forget the trial: the fixture is put back."""

    async def answer(self, call: PlantedCall) -> ProbeObservation:
        """The answer the caller gets."""
        return await call.real(call.request)


class ChangedAnswer(Defect):
    """The call is made as it should be, and its answer is changed."""

    async def answer(self, call: PlantedCall) -> ProbeObservation:
        observed = await call.real(call.request)
        declared = self.index.operation(call.request.interface_id, call.request.operation_id)
        if not call.is_target or declared is None:
            return observed
        answer = Answer(observed, declared.operation)
        inputs = sent_inputs(call.request)
        ANSWER_CHANGES[self.spec.operator](answer, self.spec.parameters, declared.operation, inputs)
        return answer.observation


class DroppedWrite(Defect):
    """The write reaches the shadow, whose genuine answer is given; the real state never hears of it."""

    async def answer(self, call: PlantedCall) -> ProbeObservation:
        if call.is_target:
            return await call.shadow(call.request)
        if call.writes:
            await call.shadow(call.request)
        return await call.real(call.request)


class DoubledWrite(Defect):
    """The write happens twice; the first answer is given."""

    async def answer(self, call: PlantedCall) -> ProbeObservation:
        observed = await call.real(call.request)
        if call.is_target:
            await call.real(call.request)
        return observed


class StaleRead(Defect):
    """The read is served by the shadow, which is one write behind."""

    held: PlantedCall | None = None

    def reset(self) -> None:
        self.held = None

    async def answer(self, call: PlantedCall) -> ProbeObservation:
        if call.writes:
            if self.held is not None:
                await self.held.shadow(self.held.request)
            self.held = call
        return await (call.shadow if call.is_target else call.real)(call.request)


class DelayedEffect(Defect):
    """The write is acknowledged at once, by the shadow, and reaches the real state after the next call."""

    held: PlantedCall | None = None

    def reset(self) -> None:
        self.held = None

    async def answer(self, call: PlantedCall) -> ProbeObservation:
        held, self.held = self.held, call if call.is_target else None
        if call.is_target:
            observed = await call.shadow(call.request)
        else:
            observed = await call.real(call.request)
            if call.writes:
                await call.shadow(call.request)
        if held is not None:
            await held.real(held.request)
        return observed


class LostArgument(Defect):
    """One argument is gone before the call reaches the system."""

    async def answer(self, call: PlantedCall) -> ProbeObservation:
        if not call.is_target:
            return await call.real(call.request)
        return await call.real(without_key(call.request, self.spec.parameters["channel"], self.spec.parameters["key"]))


CALL_DEFECTS: Final[Mapping[str, type[Defect]]] = {
    "dropped-write": DroppedWrite,
    "doubled-write": DoubledWrite,
    "stale-read": StaleRead,
    "delayed-effect": DelayedEffect,
    "lost-argument": LostArgument,
}
"""Every operator that changes what reaches the system."""

NEEDS_SHADOW: Final = frozenset({"dropped-write", "stale-read", "delayed-effect"})
"""The operators that need a second system."""


def sent_inputs(request: ProbeRequest) -> dict[str, dict[str, Any]]:
    """What a request carries by channel; bodies that are no JSON object carry no key."""
    from evalnb.engine.preflight.wire import wire_document

    channels: dict[str, Any] = wire_document(request)["channels"]  # type: ignore[assignment]
    found: dict[str, dict[str, Any]] = {}
    for channel, content in channels.items():
        keys = content.get("value") if channel in ("body", "stdin") else content
        if isinstance(keys, dict):
            found[channel] = keys
    return found


def without_key(request: ProbeRequest, channel: str, key: str) -> ProbeRequest:
    """The request without one key of one channel."""
    from evalnb.engine.preflight.probe_port import parse_probe_request
    from evalnb.engine.preflight.wire import wire_document

    document: Any = wire_document(request)
    content = document["channels"][channel]
    if channel in ("body", "stdin"):
        if isinstance(content.get("value"), dict):
            content = {**content, "value": {name: value for name, value in content["value"].items() if name != key}}
    else:
        content = {name: value for name, value in content.items() if name != key}
    return parse_probe_request({**document, "channels": {**document["channels"], channel: content}})

"""Calling the reads of a draft, each input twice and a second input once: what moves by itself, and what input moves.

Nothing that may change state is called.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalnb.engine.artifacts.port_messages import ProbeObservation, ProbeRequest
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.canonical import scan_json
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json, json_equal
from evalnb.engine.port_seam import AbortController
from evalnb.probing import LiveProbePort, parse_live_targets
from evalnb.scaffold.draft import Channels, Draft, DraftOperation
from evalnb.scaffold.inputs import witness_inputs

# Longer than the second that clocks in answers count in, so that a time in an answer shows as volatile.
_PAUSE_SECONDS: Final = 1.1
_MOST_POINTERS: Final = 20


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer: its body where it was JSON or text, its status in the contract's terms, and whether that is good."""

    body: Json
    status: int
    good: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """What a read answered: to the first input, to the same again, to the second input."""

    first: Answered
    again: Answered
    second: Answered | None

    @property
    def volatile(self) -> tuple[str, ...]:
        """Where two answers to one input differ, as volatile pointers."""
        found: list[str] = []
        if isinstance(self.first.body, dict) and isinstance(self.again.body, dict):
            _differences(self.first.body, self.again.body, "", found)
        return tuple(dict.fromkeys(found))[:_MOST_POINTERS]


async def try_reads(draft: Draft, given: Mapping[str, Json]) -> dict[str, Trial]:
    """The trials of every read that answered, by operation id; one that could not be asked has none."""
    reads = [operation for operation in draft.operations if not operation.changes_state]
    async with LiveProbePort(parse_live_targets(draft.targets)) as port:

        async def ask(operation: DraftOperation, choice: int) -> Answered | None:
            request = _request(draft, operation, operation.inputs(choice, given))
            try:
                return _answered(await port.probe(request, AbortController().signal))
            except RuntimeFault:
                return None

        firsts = [await ask(operation, 0) for operation in reads]
        await asyncio.sleep(_PAUSE_SECONDS if reads else 0)
        trials: dict[str, Trial] = {}
        for operation, first in zip(reads, firsts, strict=True):
            if first is None:
                continue
            again = await ask(operation, 0)
            second = await ask(operation, 1) if operation.varied else None
            if again is not None:
                trials[operation.operation_id] = Trial(first, again, second)
        return trials


def _request(draft: Draft, operation: DraftOperation, inputs: Channels) -> ProbeRequest:
    address = dict(operation.address)
    invocation: Any = address.pop("invocation", {})
    request: ProbeRequest = validated(
        ProbeRequest,
        {
            "kind": draft.kind,
            "probeId": "trial",
            "interfaceId": draft.interface_id,
            "operationId": operation.operation_id,
            **address,
            **invocation,
            "channels": witness_inputs(draft.kind, inputs),
        },
    )
    return request


def _answered(observation: ProbeObservation) -> Answered:
    match observation.kind:
        case "api":
            return Answered(_value(observation.body), observation.status, observation.status < 400)
        case "cli":
            return Answered(_value(observation.stdout), observation.exit_code, observation.exit_code == 0)
        case "mcp":
            return Answered(_value(observation.result), int(observation.is_error), not observation.is_error)


def _value(body: Any) -> Json:
    return getattr(body, "value", None)


def json_in_text(body: Json) -> dict[str, Json] | None:
    """The JSON object that a text answer `{"text": ...}` holds; None where it is prose."""
    text = body.get("text") if isinstance(body, dict) and len(body) == 1 else None
    if not isinstance(text, str):
        return None
    try:
        parsed = scan_json(text, "Answer")
    except RuntimeFault:
        return None
    return parsed if isinstance(parsed, dict) else None


def _differences(first: Json, second: Json, place: str, found: list[str]) -> None:
    if json_equal(first, second):
        return
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        for key in first:
            _differences(first[key], second[key], f"{place}/{_token(key)}", found)
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for one, other in zip(first, second, strict=True):
            _differences(one, other, f"{place}/*", found)
    elif place:
        found.append(place)


def _token(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def differing_keys(first: Mapping[str, Json], second: Mapping[str, Json]) -> list[str]:
    """The keys that both have and whose values differ."""
    return [key for key in first if key in second and not json_equal(first[key], second[key])]

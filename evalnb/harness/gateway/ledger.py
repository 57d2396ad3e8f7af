"""The gateway of one trial: every call is matched, held to the budgets, passed on, and recorded in one sequence."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalnb.engine.artifacts import (
    EvalContract,
    PermittedInterface,
    PrincipalBinding,
    ProbeObservation,
)
from evalnb.engine.canonical import assert_hashed_value
from evalnb.engine.faults import EvaluationFailure, RuntimeFault
from evalnb.engine.json_values import Json
from evalnb.engine.operations import bound_keys
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.preflight.requests import build_request
from evalnb.harness.gateway.matching import MatchedCall, Unmatched
from evalnb.harness.observing import observation_document
from evalnb.harness.plan_run import ActingPort, ask
from evalnb.harness.requests import credential_mark, inputs_of

_MOST_REFUSALS = 200


class Refused(Exception):
    """A call that was not passed on, and why."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What the system answered, and the id under which the call is recorded."""

    observation_id: str
    answer: ProbeObservation


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that was passed on and came to no answer."""

    interface_id: str
    operation_id: str
    why: str

    def __str__(self) -> str:
        return f"{self.interface_id}.{self.operation_id}: {self.why}"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an observation belongs."""

    interface_id: str
    operation_id: str


@dataclass
class Ledger:
    """What one trial's evaluator did. `log` grows with every observation; the evaluator may read it.

    `refused` are calls that were not passed on, at most 200 of them; `failed` are calls that the system or its policy
    ended with a fault. The log is opened once: what an evaluator puts in its place is never opened.
    """

    contract: EvalContract
    port: ActingPort
    log: Path
    observations: list[dict[str, Any]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    failed: list[FailedCall] = field(default_factory=list)
    closed: str | None = None

    def __post_init__(self) -> None:
        self._index = PlanIndex.build(self.contract)
        self._turn = asyncio.Lock()
        self._lines = self.log.open("x", encoding="utf-8")

    def close(self) -> None:
        """Write no further observation."""
        self._lines.close()

    def interface(self, logical_id: str) -> PermittedInterface:
        """The interface of that name. Raises `Refused`."""
        for interface in self.contract.permitted_interfaces:
            if interface.logical_id == logical_id:
                return interface
        raise self.refusal(f"there is no interface {logical_id[:100]}")

    def refusal(self, why: str) -> Refused:
        """A refusal, noted."""
        why = _sendable(why)
        if len(self.refused) < _MOST_REFUSALS:
            self.refused.append(why)
        return Refused(why)

    async def call(self, matched: MatchedCall, principal: str | None) -> Answered:
        """Pass one call on and record it. Raises `Refused`, also where the system or its policy ends the call."""
        async with self._turn:
            self._admit(principal)
            return await self._pass_on(matched, principal)

    def _admit(self, principal: str | None) -> None:
        budgets = self.contract.budgets
        if self.closed is not None:
            raise self.refusal(self.closed)
        if len(self.observations) + len(self.failed) >= budgets.max_tool_calls:
            raise self.refusal(f"the budget of {budgets.max_tool_calls} calls is spent")
        data = self.contract.test_data
        if principal is not None and principal not in ((data.principals if data else None) or {}):
            raise self.refusal(f"there is no principal {principal[:100]}")

    async def _pass_on(self, matched: MatchedCall, principal: str | None) -> Answered:
        operation = matched.operation
        sequence = len(self.observations) + 1
        place = _Place(matched.interface_id, operation.operation_id)
        recorded = self._recorded(matched, principal)
        try:
            assert_hashed_value(recorded, "callInputs")
        except EvaluationFailure as failure:
            why = f"{matched.interface_id}.{operation.operation_id}: no record can hold this call: {failure.detail}"
            raise self.refusal(why) from failure
        acting = self.port if principal is None else self.port.acting_as(principal)
        try:
            inputs = inputs_of(operation, matched.values, matched.raw)
            request = build_request(f"call-{sequence:03d}", matched.interface_id, operation, inputs)
            answer = await ask(acting.probe, request)
        except RuntimeFault as fault:
            failed = FailedCall(place.interface_id, place.operation_id, _sendable(f"{fault.code}: {fault.detail}"))
            self.failed.append(failed)
            raise Refused(str(failed)) from fault
        document = observation_document(place, recorded, principal, sequence, answer)
        self.observations.append(document)
        self._lines.write(json.dumps(document) + "\n")
        self._lines.flush()
        return Answered(document["observationId"], answer)

    def _recorded(self, matched: MatchedCall, principal: str | None) -> Mapping[str, Json]:
        """The values as a record holds them; where the policy sends credentials, their keys are named."""
        values = {channel: dict(keys) for channel, keys in matched.values.items()}
        for step in self._index.steps_using(matched.interface_id, matched.operation.operation_id):
            for bound in bound_keys(step):
                if isinstance(bound.value, PrincipalBinding) and bound.value.principal == principal:
                    values.setdefault(bound.channel, {})[bound.key] = credential_mark(bound.value.principal)
        recorded: dict[str, Json] = {channel: keys or None for channel, keys in values.items()}
        if matched.raw is not None:
            raw = matched.raw
            recorded["body"] = {"kind": "raw", "base64": raw.base64, "contentType": raw.content_type}
            recorded["bodyEncoding"] = "raw"
        return recorded


def _sendable(text: str) -> str:
    """The text without half characters, which an evaluator may put into a name and no file can hold."""
    return text.encode("utf-8", "replace").decode()


def matched_or_refused(ledger: Ledger, matching: Any, *given: Any) -> MatchedCall:
    """What `matching` finds; an unmatched call is a noted refusal."""
    try:
        found: MatchedCall = matching(*given)
    except Unmatched as unmatched:
        raise ledger.refusal(str(unmatched)) from unmatched
    return found

"""An exchange as a sealed run record holds it: the call's inputs, and the answer in the field of its channel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol

from evalnb.engine.artifacts import Observation, ObservedCallInputs, ProbeObservation
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.json_values import Json
from evalnb.engine.preflight.wire import wire_document

_ABSENT: Final[Mapping[str, Json]] = {"kind": "absent"}
_INPUT_FIELDS: Final = tuple(field.alias or name for name, field in ObservedCallInputs.model_fields.items())

TRANSPORT_HEADERS: Final = frozenset({"date", "content-length", "connection", "keep-alive"})
"""Headers that tell of the transport and of the moment, not of the answer; no recording holds them."""


def steady(answer: ProbeObservation) -> ProbeObservation:
    """`answer` without the headers of `TRANSPORT_HEADERS`, so that the same system gives the same recording."""
    if answer.kind != "api":
        return answer
    kept = {name: value for name, value in answer.headers.items() if name.lower() not in TRANSPORT_HEADERS}
    return answer.model_copy(update={"headers": kept})


class CalledOperation(Protocol):
    """What names the operation of a call: a step of the plan, or anything else with both names."""

    @property
    def interface_id(self) -> str:
        """The interface of the operation."""
        ...

    @property
    def operation_id(self) -> str:
        """The operation's id there."""
        ...


def observation_document(
    called: CalledOperation,
    inputs: Mapping[str, Json],
    principal: str | None,
    sequence: int,
    answer: ProbeObservation | None,
    provenance: Literal["baseline", "evaluator-chosen"] = "evaluator-chosen",
) -> dict[str, Any]:
    """The exchange as a JSON document; without an answer, only what was asked."""
    return {
        "observationId": f"obs-{sequence:03d}",
        "sequence": sequence,
        "interfaceId": called.interface_id,
        "operationId": called.operation_id,
        "provenance": provenance,
        "principal": principal,
        "callInputs": {name: inputs.get(name) for name in _INPUT_FIELDS},
        "responseBody": None,
        "responseHeaders": None,
        "responseStatus": None,
        "stdout": dict(_ABSENT),
        "stderr": dict(_ABSENT),
        "exitCode": None,
        "artifacts": {},
        **({} if answer is None else _answered(wire_document(answer))),
    }


def observation_of(document: Mapping[str, Any]) -> Observation:
    """The document as a model."""
    observation: Observation = validated(Observation, document)
    return observation


def _answered(answer: Mapping[str, Any]) -> dict[str, Any]:
    if answer["kind"] == "cli":
        return {name: answer[name] for name in ("stdout", "stderr", "exitCode", "artifacts")}
    if answer["kind"] == "mcp":
        return {
            "responseBody": answer["result"].get("value"),
            "responseStatus": 1 if answer["isError"] else 0,
            "exitCode": answer.get("exitCode"),
        }
    return {
        "responseBody": answer["body"].get("value"),
        "responseHeaders": answer["headers"],
        "responseStatus": answer["status"],
    }

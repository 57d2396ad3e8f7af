"""An answer as a mutant changes it: the described value, whether the call failed, and the rest left alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from evalnb.engine.artifacts import ProbeObservation
from evalnb.engine.json_values import ABSENT, Absent, Json
from evalnb.engine.operations import AnyOperation, described_artifact, described_channel, operation_kind
from evalnb.engine.pointers import decode_tail
from evalnb.engine.preflight.probe_port import parse_probe_observation
from evalnb.engine.preflight.wire import wire_document

FAILED_STATUS: Final = 500
SUCCESS_STATUS: Final = 200

Path = Sequence[str]


class Answer:
    """One answer, open for change. `value` is ABSENT where the described body is not JSON."""

    def __init__(self, observation: ProbeObservation, operation: AnyOperation) -> None:
        self._document: dict[str, Any] = wire_document(observation)
        self._operation = operation

    @property
    def failed(self) -> bool:
        """Whether the call came out as a failure, by its transport."""
        document = self._document
        if document["kind"] == "api":
            return bool(document["status"] >= 400)
        return bool(document["exitCode"] != 0) if document["kind"] == "cli" else bool(document["isError"])

    @property
    def value(self) -> Json | Absent:
        body = self._body
        return body["value"] if body["kind"] == "json" else ABSENT

    @property
    def text(self) -> str | None:
        """The described body where it is text."""
        body = self._body
        return body["value"] if body["kind"] == "text" else None

    def put(self, value: Json) -> None:
        """Give the described body another JSON value."""
        self._place({"kind": "json", "value": value})

    def put_text(self, text: str) -> None:
        """Give the described body another text."""
        self._place({"kind": "text", "value": text})

    def succeed(self) -> None:
        """Report success by the transport."""
        self._end(SUCCESS_STATUS, failed=False)

    def fail(self) -> None:
        """Report failure by the transport."""
        self._end(FAILED_STATUS, failed=True)

    def artifact(self, artifact_id: str) -> dict[str, Any]:
        """The tagged body of a file that a command wrote."""
        body: dict[str, Any] = self._document.get("artifacts", {}).get(artifact_id, {"kind": "absent"})
        return body

    def put_artifact(self, artifact_id: str, text: str) -> None:
        """Give a written file another content."""
        self._document["artifacts"] = {
            **self._document["artifacts"],
            artifact_id: {"kind": "text", "value": text},
        }

    @property
    def observation(self) -> ProbeObservation:
        """The answer as a port gives it."""
        return parse_probe_observation(self._document)

    @property
    def _body(self) -> Mapping[str, Any]:
        kind = operation_kind(self._operation)
        if kind != "cli":
            body: Mapping[str, Any] = self._document["body" if kind == "api" else "result"]
            return body
        artifact_id = described_artifact(self._operation)
        if artifact_id is not None:
            return self.artifact(artifact_id)
        stream: Mapping[str, Any] = self._document[described_channel(self._operation)]
        return stream

    def _place(self, body: dict[str, Any]) -> None:
        kind = operation_kind(self._operation)
        artifact_id = described_artifact(self._operation)
        if kind != "cli":
            self._document["body" if kind == "api" else "result"] = body
        elif artifact_id is not None:
            self._document["artifacts"] = {**self._document["artifacts"], artifact_id: body}
        else:
            self._document[described_channel(self._operation)] = body

    def _end(self, status: int, *, failed: bool) -> None:
        document = self._document
        if document["kind"] == "api":
            document["status"] = status
        elif document["kind"] == "cli":
            document["exitCode"] = int(failed)
        else:
            document["isError"] = failed


def replaced(value: Json, path: Path, new: Json | Absent) -> Json:
    """`value` with what stands at `path` replaced, or taken out where `new` is ABSENT. The path leads somewhere."""
    if not path:
        return None if isinstance(new, Absent) else new
    head, rest = path[0], path[1:]
    if isinstance(value, list):
        position = int(head)
        if not rest and isinstance(new, Absent):
            return [*value[:position], *value[position + 1 :]]
        return [*value[:position], replaced(value[position], rest, new), *value[position + 1 :]]
    assert isinstance(value, dict)
    if not rest and isinstance(new, Absent):
        return {key: member for key, member in value.items() if key != head}
    return {key: replaced(member, rest, new) if key == head else member for key, member in value.items()}


def indicator_path(operation: AnyOperation) -> tuple[str, ...] | None:
    """Where the answer says whether it succeeded, where that is declared."""
    pointer = operation.response_descriptor.success_indicator
    return None if pointer is None else tuple(decode_tail(pointer))

"""Calls to the desk over HTTP, kept as they were sent and answered."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from evalnb.corpus.triage.system import LOOPBACK

INTERFACE: Final = "triage-desk"
_TIMEOUT_SECONDS: Final = 10


@dataclass(frozen=True, slots=True)
class Request:
    """One call, channel by channel; a channel that the call does not use is None."""

    operation_id: str
    method: str
    path_template: str
    path: Mapping[str, Any] | None = None
    query: Mapping[str, Any] | None = None
    body: Mapping[str, Any] | None = None

    @property
    def target(self) -> str:
        """Path and query as they go into the request line."""
        target = self.path_template
        for key, value in (self.path or {}).items():
            target = target.replace("{" + key + "}", quote(str(value), safe=""))
        return f"{target}?{urlencode(self.query)}" if self.query else target


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its answer."""

    request: Request
    answer: Answer

    def observation(self, sequence: int, provenance: str) -> dict[str, Any]:
        """The exchange as a sealed run record holds it."""
        return {
            "observationId": f"obs-{sequence:03d}",
            "sequence": sequence,
            "interfaceId": INTERFACE,
            "operationId": self.request.operation_id,
            "provenance": provenance,
            "principal": None,
            "callInputs": {
                "path": self.request.path,
                "query": self.request.query,
                "header": None,
                "body": self.request.body,
                "bodyEncoding": None,
                "argument": None,
                "option": None,
                "environment": None,
                "stdin": None,
                "arguments": None,
            },
            "responseBody": self.answer.body,
            "responseHeaders": self.answer.headers,
            "responseStatus": self.answer.status,
            "stdout": {"kind": "absent"},
            "stderr": {"kind": "absent"},
            "exitCode": None,
            "artifacts": {},
        }

    def line(self, trial: int, sequence: int) -> dict[str, Any]:
        """The exchange as a recording holds it, one JSON line; every answer's only header names JSON."""
        return {
            "trial": trial,
            "sequence": sequence,
            "request": {"method": self.request.method, "target": self.request.target, "body": self.request.body},
            "answer": {"status": self.answer.status, "body": self.answer.body},
        }


def send(port: int, request: Request) -> Exchange:
    """Send one call to the desk on a loopback port. Raises OSError and http.client.HTTPException."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=_TIMEOUT_SECONDS)
    try:
        if request.body is None:
            connection.request(request.method, request.target)
        else:
            data = json.dumps(request.body, ensure_ascii=False).encode("utf-8")
            connection.request(request.method, request.target, data, {"Content-Type": "application/json"})
        response = connection.getresponse()
        body = json.loads(response.read())
        # The length is the transport's business and says nothing that the body does not.
        headers = {name.lower(): value for name, value in response.getheaders() if name.lower() != "content-length"}
        return Exchange(request, Answer(response.status, headers, body))
    finally:
        connection.close()

"""Secrets named by a policy: read from environment variables when they are needed, masked wherever they come back.

A mask replaces a secret, and the common encodings of it, in everything a system answers and in every fault.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any
from urllib.parse import quote as percent_encoded, quote_plus

from evalnb.engine.artifacts.model import Omittable, StrictObject
from evalnb.engine.artifacts.primitives import Text
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import number_text, quote


class SecretReference(StrictObject):
    """A secret by the environment variable that holds it; `prefix` goes before its value where it is used."""

    env: Text
    prefix: Annotated[str | None, Omittable()] = None


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret's value under the name of its variable. Its text form never shows the value."""

    name: str
    value: str

    def __repr__(self) -> str:
        return f"Secret({self.name!r})"


def read_secret(reference: SecretReference, artifact_path: str, environment: Mapping[str, str] | None = None) -> Secret:
    """The secret behind `reference`; RuntimeFault `port-failure` when its variable is unset or empty."""
    value = (os.environ if environment is None else environment).get(reference.env)
    if not value:
        raise RuntimeFault(
            "port-failure",
            artifact_path,
            f"the environment variable {quote(reference.env)}, which the target policy names for a secret, is not set",
        )
    return Secret(reference.env, value)


class SecretMask:
    """Replaces known secrets by `[secret:NAME]` in text, JSON values, observations and faults.

    A secret is found as it is and percent-encoded, base64-encoded, JSON-escaped, HTML-escaped or in hexadecimal.
    """

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        self._marks: dict[str, str] = {}
        for secret in secrets:
            for spelling in _spellings(secret.value):
                self._marks.setdefault(spelling, f"[secret:{secret.name}]")

    def __repr__(self) -> str:
        return f"SecretMask({len(set(self._marks.values()))} secrets)"

    def __bool__(self) -> bool:
        return bool(self._marks)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # The longest spelling first, so that a secret that contains another is masked as a whole.
        longest_first = sorted(self._marks, key=len, reverse=True)
        return re.compile("|".join(re.escape(spelling) for spelling in longest_first))

    def text(self, text: str) -> str:
        """`text` with every secret masked."""
        if not self._marks:
            return text
        return self._pattern.sub(lambda found: self._marks[found[0]], text)

    def json(self, value: Any) -> Any:
        """A copy of a JSON value with every secret masked in its strings, its keys and its numbers."""
        if not self._marks:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.json(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.json(item) for item in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._marks.get(number_text(value), value)
        return value

    def fault(self, fault: RuntimeFault) -> RuntimeFault:
        """`fault` with every secret masked in its detail; a cause is kept only as its masked text."""
        if not self._marks:
            return fault
        cause = fault.cause
        if cause is not None and fault.code != "aborted":  # an abort's reason is the caller's own object
            cause = MaskedCause(type(cause).__name__, self.text(str(cause)))
        return RuntimeFault(
            fault.code,
            fault.artifact_path,
            self.text(fault.detail),
            cause,
            reason=fault.reason,
            port_failure_reason=fault.port_failure_reason,
        )


class MaskedCause(Exception):
    """Stands for an error whose own objects may hold a secret: its type's name and its masked text."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}" if text else kind)


def _spellings(secret: str) -> set[str]:
    data = secret.encode("utf-8", "surrogatepass")
    encoded = {
        base64.b64encode(data).decode(),
        base64.urlsafe_b64encode(data).decode(),
        base64.b64encode(data).decode().rstrip("="),
        base64.urlsafe_b64encode(data).decode().rstrip("="),
    }
    hexadecimal = {data.hex(), data.hex().upper()}
    percent = {percent_encoded(data, safe=""), percent_encoded(data), quote_plus(data)}
    escaped = {quote(secret)[1:-1], json.dumps(secret)[1:-1], html.escape(secret), html.escape(secret, quote=False)}
    return {secret} | encoded | hexadecimal | percent | escaped

"""Request and observed bodies, and what a command reads on its standard input.

spec: 02a §10
"""

from typing import Annotated, Literal, TypeAlias

from evalnb.engine.artifacts.model import RAW_BODIES, Since, StrictObject, Tagged
from evalnb.engine.artifacts.primitives import JsonValue
from evalnb.engine.artifacts.text import Matching

Base64 = Annotated[
    str, Matching(r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$")
]
"""RFC 4648 standard alphabet, padded, unused pad bits zero; empty is a body of no bytes."""

ContentType = Annotated[
    str, Matching(r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:;[ \t]*[^\r\n]+)?$")
]


class JsonBody(StrictObject):
    """A body that is a JSON value."""

    kind: Literal["json"]
    value: JsonValue


class TextBody(StrictObject):
    """A body that is text."""

    kind: Literal["text"]
    value: str


class RawRequestBody(StrictObject):
    """A request body given byte for byte."""

    kind: Literal["raw"]
    base64: Base64
    content_type: ContentType


class AbsentBody(StrictObject):
    """No body at all."""

    kind: Literal["absent"]


ProbeRequestBody: TypeAlias = Annotated[
    JsonBody | Annotated[RawRequestBody, Since(RAW_BODIES)] | AbsentBody, Tagged("kind")
]
ProbeRequestStdin: TypeAlias = Annotated[JsonBody | TextBody | AbsentBody, Tagged("kind")]
ProbeObservedBody: TypeAlias = Annotated[JsonBody | TextBody | AbsentBody, Tagged("kind")]

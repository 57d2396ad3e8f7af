"""Evidence pointers: their four spellings, the channel vocabularies, and how one is split and decoded.

spec: 02a §3, 03 §3.5
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final, NamedTuple

RESPONSE_TRANSPORT_CHANNELS: Final = ("response-body", "response-headers", "response-status")
COMMAND_RESPONSE_CHANNELS: Final = ("stdout", "stderr", "exit-code", "artifact")
TOOL_CALL_RESPONSE_CHANNELS: Final = ("response-body", "response-status", "exit-code")
RESPONSE_SIDE_CHANNELS: Final = (*RESPONSE_TRANSPORT_CHANNELS, *COMMAND_RESPONSE_CHANNELS)
EVIDENCE_CHANNELS: Final = (*RESPONSE_TRANSPORT_CHANNELS, "call-inputs", *COMMAND_RESPONSE_CHANNELS)

TAIL_BEARING_CHANNELS: Final = ("response-body", "response-headers", "stdout", "stderr")
SCALAR_CHANNELS: Final = ("response-status", "exit-code")
INPUT_ROOTED_CHANNELS: Final = ("call-inputs",)
IDENTIFIER_ROOTED_CHANNELS: Final = ("artifact",)
NON_IDENTIFIER_ROOTED_CHANNELS: Final = tuple(c for c in EVIDENCE_CHANNELS if c not in IDENTIFIER_ROOTED_CHANNELS)

TRANSPORT_INPUT_CHANNELS: Final = ("path", "query", "header", "body")
COMMAND_INPUT_CHANNELS: Final = ("argument", "option", "environment", "stdin")
TOOL_CALL_INPUT_CHANNELS: Final = ("arguments",)
INPUT_CHANNELS: Final = (*TRANSPORT_INPUT_CHANNELS, *COMMAND_INPUT_CHANNELS, *TOOL_CALL_INPUT_CHANNELS)

WILDCARD: Final = "*"
BOUND_ELEMENT_MARK: Final = "@"

_IDENTIFIER: Final = "[a-z0-9]+(?:-[a-z0-9]+)*"
_TOKEN: Final = "(?:[^/~]|~[01])*"
# A token that is not exactly the wildcard. The published pattern says so with a lookahead; the second spelling
# accepts the same tokens without one, for regular expression engines that have none.
_PLAIN: Final = rf"(?!\*(?:\/|$)){_TOKEN}"
_PLAIN_NO_LOOKAHEAD: Final = r"(?:(?:[^/~*]|~[01])(?:[^/~]|~[01])*|\*(?:[^/~]|~[01])+)?"


def _interaction(plain: str) -> str:
    tail = rf"(?:\/{plain})*"
    return (
        rf"^\/interactions\/{_IDENTIFIER}\/(?:(?:{'|'.join(TAIL_BEARING_CHANNELS)}){tail}"
        rf"|(?:{'|'.join(SCALAR_CHANNELS)})"
        rf"|call-inputs\/(?:{'|'.join(INPUT_CHANNELS)}){tail}"
        rf"|artifact\/{_IDENTIFIER}{tail})$"
    )


class PointerSpelling(NamedTuple):
    """One spelling: its published ECMAScript `pattern`, the same language without lookahead, the refusal's text."""

    name: str
    pattern: str
    plain_pattern: str
    refusal: str


_WILDCARD_CLAUSE: Final = '; a path segment of exactly "*" is the wildcard of `volatilePointers` and is refused here'

INTERACTION: Final = PointerSpelling(
    "interaction",
    _interaction(_PLAIN),
    _interaction(_PLAIN_NO_LOOKAHEAD),
    f"Invalid AD-26 interaction-rooted pointer{_WILDCARD_CLAUSE}",
)
BOUND_ELEMENT: Final = PointerSpelling(
    "bound-element",
    rf"^@(?:\/{_PLAIN})+$",
    rf"^@(?:\/{_PLAIN_NO_LOOKAHEAD})+$",
    f"Invalid AD-26 bound-element pointer{_WILDCARD_CLAUSE}",
)
DESCRIPTOR: Final = PointerSpelling(
    "descriptor",
    rf"^(?:\/{_PLAIN})*$",
    rf"^(?:\/{_PLAIN_NO_LOOKAHEAD})*$",
    f"Invalid descriptor-relative pointer{_WILDCARD_CLAUSE}",
)
VOLATILE: Final = PointerSpelling("volatile", rf"^(?:\/{_TOKEN})*$", rf"^(?:\/{_TOKEN})*$", "Invalid volatile pointer")
POINTER_SPELLINGS: Final = (INTERACTION, BOUND_ELEMENT, DESCRIPTOR, VOLATILE)


class InteractionPointer(NamedTuple):
    """An interaction-rooted pointer in its parts; `tail` holds decoded tokens, empty for scalar channels."""

    step_id: str
    channel: str
    input_channel: str | None
    artifact_id: str | None
    tail: tuple[str, ...]


@lru_cache(maxsize=4096)
def parse_interaction_pointer(text: str) -> InteractionPointer:
    """The parts of `text`; TypeError for anything that is not an interaction-rooted pointer.

    spec: 02a §3.4
    """
    if not matches(INTERACTION, text):
        raise TypeError(f"not an interaction-rooted evidence pointer of a recognized channel: {text}")
    _, _, step_id, channel, *rest = text.split("/")
    input_channel = artifact_id = None
    if channel in INPUT_ROOTED_CHANNELS:
        input_channel, *rest = rest
    elif channel in IDENTIFIER_ROOTED_CHANNELS:
        artifact_id, *rest = rest
    return InteractionPointer(
        step_id, channel, input_channel, artifact_id, tuple(decode_token(token) for token in rest)
    )


def matches(spelling: PointerSpelling, text: str) -> bool:
    """Whether `text` is a pointer of that spelling."""
    return _compiled(spelling.plain_pattern).fullmatch(text) is not None


def is_bound_element(text: str) -> bool:
    """Whether a legal operand pointer addresses the element that a quantifier binds."""
    return text.startswith(BOUND_ELEMENT_MARK)


def bound_element_tail(text: str) -> tuple[str, ...]:
    """The tokens below the bound element; `@` and `@/` are the element itself (spec: 03 §3.5)."""
    rest = text.removeprefix(BOUND_ELEMENT_MARK)
    return () if rest in ("", "/") else decode_tail(rest)


def decode_tail(text: str) -> tuple[str, ...]:
    """The decoded tokens of a tail such as `/a/b~1c`; the empty tail has none, `/` has one empty token."""
    if text == "":
        return ()
    return tuple(decode_token(token) for token in text.removeprefix("/").split("/"))


def decode_token(token: str) -> str:
    """One token with `~1` read as a slash, then `~0` as a tilde."""
    if "~" not in token:
        return token
    return token.replace("~1", "/").replace("~0", "~")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)

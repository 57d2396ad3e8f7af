"""Which tools change state, by a rule that is stated: a tool changes state unless its name begins with a reading word.

What a server says of a tool (MCP's `readOnlyHint`) goes before the rule, and what a person says before both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

READING_WORDS: Final = frozenset(
    {
        "browse", "calculate", "check", "compare", "compute", "count", "describe", "estimate", "fetch", "find", "get",
        "has", "inspect", "is", "list", "look", "lookup", "peek", "preview", "query", "quote", "read", "resolve",
        "search", "select", "show", "summarize", "think", "validate", "verify", "view",
    }
)  # fmt: skip
"""First words of tools that read or reckon. Of a word that is not here nothing is known: such a tool may change."""

CHANGING_STARTS: Final = (("check", "in"), ("check", "out"))
"""What begins with a reading word and changes all the same."""

HANDOFF_STARTS: Final = ("transfer_to_", "handoff_to_", "hand_off_to_")
"""Names of tools that give the run to someone else, which changes no state."""

_SERVER = re.compile(r"^.*(?:__|[./:])(?=\w)")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def changes_state(name: str, annotations: Mapping[str, Any] | None = None) -> bool:
    """Whether a call of the tool may change state, told from its annotations or else from its name."""
    read_only = (annotations or {}).get("readOnlyHint")
    if isinstance(read_only, bool):
        return not read_only
    bare = _SERVER.sub("", name)
    if bare.lower().startswith(HANDOFF_STARTS):
        return False
    words = words_of(name)
    return words[:2] in CHANGING_STARTS or not words or words[0] not in READING_WORDS


def words_of(name: str) -> tuple[str, ...]:
    """The words of a tool's name in lower case, without its server's."""
    return tuple(word.lower() for word in _WORD.findall(_SERVER.sub("", name)))

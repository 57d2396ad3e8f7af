"""Text out of artifacts, made fit to be drawn: short, on one line, and with nothing in it that acts unseen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

LABEL: Final = 60
"""How many characters an axis label keeps."""
DETAIL: Final = 280
"""How many characters a tooltip keeps."""

ELLIPSIS: Final = "…"
# Line ends, other controls, marks that reorder or hide text, and halves of a pair that no encoder takes.
_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_SPELLED: Final = {"\n": " ⏎ ", "\r": " ⏎ ", "\t": " ", "\u2028": " ⏎ ", "\u2029": " ⏎ "}


def shown(text: str, limit: int = DETAIL) -> str:
    """At most `limit` characters of `text`; what acts unseen is spelled out, a line end is ⏎."""
    # Cut before looking closely: a text may be very long, and a character may be spelled with several.
    spelled = _UNSEEN.sub(_spell, text[: limit + 1]).strip()
    if len(text) > limit or len(spelled) > limit:
        return spelled[: limit - 1].rstrip() + ELLIPSIS
    return spelled


def labels(named: Mapping[str, str], limit: int = LABEL) -> dict[str, str]:
    """A label for each key, made of its name; two keys never share one, however alike their names begin."""
    given: dict[str, str] = {}
    taken: set[str] = set()
    for key, name in named.items():
        base = label = shown(name, limit) or "(empty)"
        number = 2
        while label in taken:
            label, number = f"{base} ({number})", number + 1
        taken.add(label)
        given[key] = label
    return given


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 probe`, `2 probes`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(parts: Iterable[str], limit: int = 4) -> str:
    """`a, b and c`; beyond `limit` the rest is counted."""
    known = list(parts)
    if len(known) > limit:
        known = [*known[: limit - 1], f"{len(known) - limit + 1:,} more"]
    return " and ".join(part for part in (", ".join(known[:-1]), *known[-1:]) if part)


def _spell(found: re.Match[str]) -> str:
    character = found.group()
    return _SPELLED.get(character) or f"⟨{ord(character):04X}⟩"

"""How costly a pattern may be before it is run: the nested-quantifier screen and the step estimate.

Both read a transformed text, where escapes and character classes cannot hide or fake a quantifier; matching uses the
pattern itself.
spec: 03 §11.2
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_ESCAPED: Final = re.compile("\\\\[^\n\r\u2028\u2029]")
_CLASS: Final = re.compile(r"\[[^\]]*\]")
_OWN_MARKER: Final = re.compile(r"\?(?:[:=!]|<[=!]?[^>]*>)")
_REPETITION: Final = re.compile(r"[*+?]|\{[0-9]+(?:,[0-9]*)?\}")
_QUANTIFIER_CHARACTERS: Final = frozenset("*+?{")


@dataclass(frozen=True, slots=True)
class PatternCost:
    """What the screen finds in one pattern."""

    nested: bool
    """A group that holds a quantifier is itself repeated."""

    markers: int
    """How many quantifiers the pattern carries."""

    def steps(self, length: int) -> int:
        """The estimated match steps over a value of `length` UTF-16 code units."""
        return (1 + self.markers) * length


@lru_cache(maxsize=512)
def pattern_cost(pattern: str) -> PatternCost:
    """The cost of one pattern, whether or not it compiles."""
    screened = screening_text(pattern)
    return PatternCost(nested=_repeats_a_repetition(screened), markers=sum(1 for _ in _REPETITION.finditer(screened)))


def screening_text(pattern: str) -> str:
    """The pattern with each escape read as `_`, then each character class as `[]`."""
    return _CLASS.sub("[]", _ESCAPED.sub("_", pattern))


def _repeats_a_repetition(screened: str) -> bool:
    opened: list[int] = []
    for position, character in enumerate(screened):
        if character == "(":
            opened.append(position)
        elif character == ")" and opened:
            contents = screened[opened.pop() + 1 : position]
            if _REPETITION.match(screened, position + 1) and _holds_quantifier(contents):
                return True
    return False


def _holds_quantifier(contents: str) -> bool:
    own = _OWN_MARKER.match(contents)
    return not _QUANTIFIER_CHARACTERS.isdisjoint(contents[own.end() if own else 0 :])

"""Words of a conversation in sentences and clauses, and what denies them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]*")
_BETWEEN = re.compile(
    r"[,;:()—–]+|\s-+\s"
    r"|\b(?:but|and|then|because|since|although|though|so|which|while|however|pero|aber|mais|und|et)\b"
)
_ASKS = re.compile(
    r"(?:(?:and|also|please|so|ok|okay|yes|no)\s+)*"
    r"(?:(?:can|could|would|will|shall|should|may|might|does|did|is|are|was|were|has|have) "
    r"(?:you|we|i|it|this|that|there|he|she|they|the|my|your)\b"
    r"|do (?:you|we|i|they)\b|(?:what|how|when|where|why|who|which)\b)"
)
# What sounds like a denial and is none.
_HARMLESS = re.compile(
    r"\b(?:no|not a) (?:problem|worries|issues?)\b|\bcan't wait\b"
    r"|(?<=\w )(?:that|which|who) (?:does|is|do|are|has|have|was|were)(?:n't| not)\b"
)
DENIAL = re.compile(
    r"\b(?:no|not|never|nor|neither|cannot|\w+n't|dont|wont|cant|refuse|decline|disagree|unable|fail(?:s|ed)? to"
    r"|nein|nicht|kein\w*|non|pas|não)\b"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """The clauses of one sentence, in lower case; `asks` tells that it is a question."""

    clauses: tuple[str, ...]
    asks: bool


def sentences(text: str, holding: re.Pattern[str] | None = None) -> Iterator[Sentence]:
    """The sentences of `text` that hold a word, and something of `holding`."""
    lowered = text.lower().replace("’", "'")
    if holding is not None and holding.search(lowered) is None:
        return
    if "n't" in lowered or "not " in lowered or "no " in lowered:
        lowered = _HARMLESS.sub(" ", lowered)
    for found in _SENTENCE.finditer(lowered):
        if holding is not None and holding.search(found[0]) is None:
            continue
        clauses = tuple(clause for part in _BETWEEN.split(found[0]) if (clause := part.strip(" \t\r.!?\"'*")))
        if clauses:
            yield Sentence(clauses, found[0].rstrip().endswith("?") or asks(clauses[0]))


def asks(clause: str) -> bool:
    """Whether a clause begins as a question does."""
    return _ASKS.match(clause) is not None

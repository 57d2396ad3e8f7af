"""Whether a user's words are an explicit yes: told clause by clause, and the last clause that tells decides."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from evalnb.trajectory.wording import DENIAL, Sentence, asks, sentences

Verdict: TypeAlias = Literal["yes", "no"] | None

_VERBS = r"(?:book|change|update|add|make|modify|process|remove|send|return|exchange|refund|place|submit|issue)"
_THESE = r"(?:it|that|this|them|those|these)"
_START = r"^(?:(?:please|just|now|oh|ok|okay|well|thanks|thank you|great|perfect|in that case)\s+)*"
# A yes or an order to go on, at the start of a clause: it counts even ahead of a question.
_ORDER = re.compile(
    _START + r"(?:(?:yes|yeah|yea|yep|yup|sí|ja|jawohl|oui|sim|sì)\b|y$"
    r"|(?:proceed|go ahead|go for it|do it|do so|please do|adelante|allez-y|let's (?:do|go ahead|proceed))\b"
    rf"|(?:{_VERBS}|please cancel) {_THESE}\b)"
)
# Words of consent, wherever they stand in a clause.
_CONSENT = re.compile(
    r"\b(?:yes|yeah|yep|yup|proceed|go ahead|go for it|please do|do it|let's do|confirmed|approved"
    r"|(?:i|we) (?:hereby |do |can |fully )?(?:confirm|approve|agree|accept|consent|authorize)"
    r"|confirm (?:it|that|this|the (?:booking|order|cancellation|purchase|change|changes|reservation|return|exchange))"
    r"|agree|(?:sounds?|looks?) (?:good|great|fine|perfect|right|correct)|that works|works for me"
    r"|(?:that|it|this|everything|all)(?:'s| is| looks) (?:okay|ok|fine|great|perfect|good|right|correct)"
    r"|i'm (?:okay|ok|fine|good|happy) with"
    rf"|please (?:cancel|{_VERBS}) {_THESE}|de acuerdo|confirmo|einverstanden|d'accord|va bene)\b|👍|✅"
)
# Words of consent only where a clause begins with them, or is nothing else.
_AGREES = re.compile(
    r"(?:okay|ok|sure|alright|all right|absolutely|definitely|certainly|of course|by all means|affirmative|claro)\b"
    r"|(?:correct|right|exactly|fine|agreed|indeed|confirm|si|bitte|genau|certo)$"
)
_DENIED_AFTER = re.compile(
    r"\W*(?:(?:i|we|i'd|i'll|actually|rather|please|just|is|was|it|this|that|it's|that's|i'm|do|am|would|will)\s+)*"
    r"(?:no|not|never|cannot|\w+n't|dont)\b"
)
_REFUSES = re.compile(
    r"(?:oh |well |um |hmm |sorry |actually )*(?:no|nope|nah|nein|non|não)"
    r"(?:$| (?:thanks|thank you|please|sorry|sir|i|we|it|that|this|don't|do not|keep|leave|stop|wait|not)\b)"
)
_HOLDS = re.compile(
    r"(?:oh |actually |please |just |yes |ok |okay |no )*"
    r"(?:wait|hold on|hold off|hang on|stop|(?:a|one) (?:moment|second|minute)|espera|warte|attendez)\b"
    r"|cancel that\b|never ?mind\b|forget (?:it|that)\b|not (?:now|today|yet|like (?:this|that))\b"
    r"|before (?:you|we|proceeding|going ahead|that)\b"
    r"|(?:i'm|i am|am) (?:not|still not) (?:\w+ )?(?:sure|certain)\b|(?:i'm|i am) unsure\b"
)
_HOLDS_WITHIN = re.compile(
    r"\b(?:changed my mind|let me think|(?:not|don't|do not)\b.{0,60}\byet"
    r"|(?:tell|show|confirm|check|explain|know|see|ask|verify|send|think|discuss)\b.{0,80}\bfirst$)"
)
# One of these is there wherever one of the two above is: most words of consent have none.
_MAY_HOLD = re.compile(
    r"\b(?:wait|hold|hang|stop|moment|second|minute|espera|warte|attendez|cancel that|never ?mind|my mind|forget|not"
    r"|before|unsure|let me|yet|first)\b"
)
_FIRST_ORDER = re.compile(rf"(?:{_ORDER.pattern})[^?.!\n]*(?:[.!\n]|$)")
_MAY_DENY = re.compile(DENIAL.pattern + r"|\b(?:nope|nah|não)\b|’")
_CONDITION = re.compile(r"(?:if|unless|when|once|whether|until|only if|as long as)\b")


def says_yes(text: str) -> bool:
    """Whether the words say yes and take it back neither by a denial nor by a hold; a question says nothing."""
    lowered = text.lower()
    may_hold = _MAY_HOLD.search(lowered) is not None
    if not may_hold and _FIRST_ORDER.match(lowered) and not _MAY_DENY.search(lowered):
        # Most words of consent: an order to go on, and nothing that could take it back.
        return True
    last: Verdict = None
    refused = False
    for sentence in sentences(text):
        for place, clause in enumerate(sentence.clauses):
            if _REFUSES.match(clause):
                last, refused = "no", True
            elif may_hold and (_HOLDS.match(clause) or _HOLDS_WITHIN.search(clause)):
                last = "no"
            elif (told := _told(sentence, place, refused)) is not None:
                last = told
    return last == "yes"


def _told(sentence: Sentence, place: int, refused: bool) -> Verdict:
    """What one clause tells; after a refusal, and ahead of a question, only an order says yes."""
    clause = sentence.clauses[place]
    if _CONDITION.match(clause) or asks(clause):
        return None
    if sentence.asks:
        follows = sentence.clauses[place + 1 :]
        return "yes" if follows and _ORDER.match(clause) and not DENIAL.search(clause) else None
    found = [*_CONSENT.finditer(clause), *filter(None, (_AGREES.match(clause), _ORDER.match(clause)))]
    if not found:
        return None
    denial = DENIAL.search(clause)
    denied_from = len(clause) if denial is None else denial.end()
    if any(denied_from <= one.start() or _DENIED_AFTER.match(clause, one.end()) for one in found):
        return "no"
    return "yes" if not refused or _ORDER.match(clause) else None

"""Text in a tool's result that speaks to the model instead of answering it."""

from __future__ import annotations

import re

# A cheap word that must be there first, then the pattern; both are matched on lower-case text.
_PATTERNS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    (
        "ignore-instructions",
        "instruction",
        re.compile(r"(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:instruction|prompt|rule|polic)"),
    ),
    (
        "ignore-previous",
        "previous",
        re.compile(r"(?:ignore|disregard|forget)\s+(?:all\s+|any\s+|everything\s+|the\s+|your\s+)*previous"),
    ),
    ("new-role", "you are now", re.compile(r"\byou are now (?:a|an|in|the)\b")),
    (
        "system-voice",
        "system",
        re.compile(r"(?:<\|?\s*system\s*\|?>|\[system\]|(?:^|\n)[^\S\n]*system (?:message|prompt|override|note)\s*:)"),
    ),
    (
        "assistant-order",
        "assistant",
        re.compile(r"\b(?:dear|attention|note to|instructions? (?:for|to) (?:the )?)\s*(?:ai )?assistant\b"),
    ),
    (
        "secrecy",
        "the user",
        re.compile(r"\b(?:do not|don't|never) (?:tell|inform|(?:mention|reveal) [^.\n]{0,20}to) the user\b"),
    ),
    (
        "call-order",
        "tool",
        re.compile(r"\b(?:you must|immediately|now) (?:call|invoke|use|run) the [\w.-]+ tool\b"),
    ),
)


def injected_instructions(text: str) -> tuple[str, ...]:
    """The names of the instruction patterns that `text` shows, in the order of the table; most results show none."""
    lowered = text.lower()
    return tuple(name for name, word, pattern in _PATTERNS if word in lowered and pattern.search(lowered))

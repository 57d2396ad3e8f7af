"""Finds values shaped like secrets or personal data in an artifact, without ever repeating them.

spec: 04 §5 C29
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.artifacts.model import StrictObject
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.json_values import own_keys
from evalnb.engine.white_space import WHITE_SPACE

EXCLUDED_CATEGORIES: Final = (
    "credentials",
    "tokens",
    "real names",
    "email addresses",
    "account identifiers",
    "transaction content",
)


# Per category, in the order tried; "real names" has no shape. Where the pattern asks for a run of characters before a
# fixed one, it may start at the head of the run only: any later start would match as well, and time stays linear.
_SHAPES: Final[tuple[tuple[str, str], ...]] = (
    ("credentials", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    (
        "tokens",
        rf"(?<![A-Za-z])(?:[Bb]earer[{WHITE_SPACE}]+[\w.~+/-]{{16,}}|eyJ[\w-]{{8,}}\.[\w-]{{8,}}|sk-[A-Za-z0-9]{{16,}}"
        r"|gh[pousr]_[A-Za-z0-9]{16,}|AKIA[0-9A-Z]{16})",
    ),
    ("email addresses", r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]++@[A-Za-z0-9.-]+\.[A-Za-z]{2,}"),
    ("account identifiers", r"\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b|\b\d{3}-\d{2}-\d{4}\b"),
    ("transaction content", r"(?<![0-9A-Za-z])\d{4}(?:[ -]\d{4}){3}(?![0-9A-Za-z])"),
)
# A text without any of these matches no shape; most contracts have none, and then no shape is ever compiled.
_TELLTALES: Final = (
    r"@[A-Za-z0-9.-]|-----BEGIN |earer|eyJ|sk-[A-Za-z0-9]{16}|gh[pousr]_|AKIA|[A-Z]{2}\d\d|\d{3}-\d\d-\d|\d{4}[ -]\d{4}"
)


class ExcludedContent(NamedTuple):
    """One hit: its category, where it stands, and the text matched, which must not be shown."""

    category: str
    path: str
    match: str


def check_excluded_content(contract: EvalContract) -> None:
    """C29. Refuses the first string that looks like a secret or personal data (`excluded-content-in-declaration`)."""
    if not _may_hold_excluded(contract.document):
        return
    hit = next(excluded_content(contract, "EvalContract"), None)
    if hit is not None:
        raise StructuralFailure(
            "excluded-content-in-declaration",
            hit.path,
            f"carries a value shaped like {hit.category}; a declaration is shared, so replace it with a placeholder",
        )


def excluded_content(value: Any, path: str) -> Iterator[ExcludedContent]:
    """Every string of `value` that has an excluded shape, one hit a string, in document order.

    `value` is an artifact model or a JSON value; keys are not looked at.
    """
    pending: list[tuple[Any, str]] = [(value, path)]
    while pending:
        current, at = pending.pop()
        if isinstance(current, str):
            hit = _shape_of(current, at)
            if hit is not None:
                yield hit
        elif isinstance(current, StrictObject):
            fields = type(current).model_fields.items()
            children = [(getattr(current, name), f"{at}.{field.alias or name}") for name, field in fields]
            pending.extend(reversed(children))
        elif isinstance(current, dict):
            pending.extend((current[key], f"{at}.{key}") for key in reversed(own_keys(current)))
        elif isinstance(current, list | tuple):
            pending.extend((current[i], f"{at}[{i}]") for i in reversed(range(len(current))))


def _shape_of(text: str, path: str) -> ExcludedContent | None:
    for category, shape in _SHAPES:
        match = re.search(shape, text, re.ASCII)
        if match is not None:
            return ExcludedContent(category, path, match[0])
    return None


def _may_hold_excluded(document: Any) -> bool:
    """Whether some string of a JSON value has a telltale; a quick answer for the usual contract, which has none."""
    texts: list[str] = []
    pending = [document]
    while pending:
        current = pending.pop()
        if isinstance(current, str):
            texts.append(current)
        elif isinstance(current, dict):
            pending.extend(current.values())
        elif isinstance(current, list):
            pending.extend(current)
    # No shape contains a NUL, so nothing matches across two texts.
    return re.search(_TELLTALES, "\0".join(texts), re.ASCII) is not None

"""Which patterns a check may use: valid, anchored over the whole expression, no backreference, no lookbehind.

spec: 04 §4 C10
"""

from __future__ import annotations

import re
from collections.abc import Callable

from evalnb.engine.artifacts import Regex
from evalnb.engine.compile.regex_syntax import is_pattern_source
from evalnb.engine.compile.walks import ExpressionSite
from evalnb.engine.faults import StructuralFailure

_BACKREFERENCE = re.compile(r"\\(?:[1-9][0-9]*|k<[^>]+>)")
_LOOKBEHIND = re.compile(r"\(\?<[=!]")


def check_regex_constructs(site: ExpressionSite) -> None:
    """C10. Refuses the first pattern of the site that uses a refused construct (`malformed-operator-expression`)."""
    for visit in site.visits:
        if not isinstance(visit.node, Regex):
            continue
        pattern = visit.node.pattern
        reason = refused_construct(pattern)
        if reason is not None:
            raise StructuralFailure(
                "malformed-operator-expression",
                f"{site.path}{visit.suffix}.pattern",
                f'regex pattern "{pattern}" {reason}, a rejected construct (AD-4)',
            )


def refused_construct(pattern: str) -> str | None:
    """Why `pattern` is refused, as a clause; None where it is legal."""
    for applies, reason in _REFUSALS:
        if applies(pattern):
            return reason
    return None


def _is_not_source(pattern: str) -> bool:
    return not is_pattern_source(pattern)


def _is_not_anchored(pattern: str) -> bool:
    return (
        not pattern.startswith("^")
        or not pattern.endswith("$")
        or _is_escaped(pattern, len(pattern) - 1)
        or _has_top_level_alternation(pattern)
    )


def _is_escaped(pattern: str, index: int) -> bool:
    before = pattern[:index]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _has_top_level_alternation(pattern: str) -> bool:
    if "|" not in pattern:
        return False
    depth, in_class, escaped = 0, False, False
    for char in pattern:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == "|" and depth == 0:
            return True
    return False


_REFUSALS: tuple[tuple[Callable[[str], object], str], ...] = (
    (_is_not_source, "is not a syntactically valid ECMA-262 pattern"),
    (_is_not_anchored, "is not anchored over the whole expression"),
    (_BACKREFERENCE.search, "carries a backreference"),
    (_LOOKBEHIND.search, "carries a lookbehind"),
)

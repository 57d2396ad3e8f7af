"""Compiled ECMAScript patterns without flags, matched by UTF-16 code unit; compiled once each.

Python's own `re` reads another dialect and is never given a contract's pattern. The matcher refuses groups nested
some hundreds deep, which other engines accept.
spec: 03 §11.1, 04 C10
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evalnb.engine.evaluate.code_units import to_units
from evalnb.engine.evaluate.ecma_source import PatternSyntaxError, rewrite


@dataclass(frozen=True, slots=True)
class EcmaPattern:
    """A compiled pattern."""

    source: str
    _regex: Any

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in `text`."""
        return self._regex.find(to_units(text)) is not None


@lru_cache(maxsize=512)
def compile_pattern(source: str) -> EcmaPattern:
    """The compiled pattern. Raises `PatternSyntaxError` for a source that is no ECMAScript pattern."""
    import regress

    try:
        return EcmaPattern(source, regress.Regex(rewrite(source)))
    except regress.RegressError as error:
        raise PatternSyntaxError(str(error)) from error


def is_pattern(source: str) -> bool:
    """Whether `source` is an ECMAScript pattern, flags off."""
    try:
        compile_pattern(source)
    except PatternSyntaxError:
        return False
    return True

"""The wording of issues, and the two issues that several shapes share: a wrong type and a wrong length.

spec: 02a §18.3
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Final

from evalnb.engine.artifacts.issues import Issue, Path
from evalnb.engine.artifacts.text import Matching
from evalnb.engine.json_values import ABSENT, number_text

INVALID_INPUT: Final = "Invalid input"
INVALID_KEY: Final = "Invalid key in record"

_KINDS: Final[tuple[tuple[Any, str], ...]] = (
    (bool, "boolean"),
    (int, "number"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)
_SIZED: Final = {"string": "string to have {} characters", "array": "array to have {} items"}


def wrong_type(path: Path, expected: str, value: Any) -> Issue:
    """The issue of a value of another type than `expected`."""
    return Issue(path, "invalid_type", f"Invalid input: expected {expected}, received {_received(value)}")


def _received(value: Any) -> str:
    if value is ABSENT:
        return "nothing: the key is missing"
    if value is None:
        return "null"
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return next((name for kind, name in _KINDS if isinstance(value, kind)), type(value).__name__)


def length_issues(path: Path, value: Any, least: int, most: int | None) -> list[Issue]:
    """The length issues of anything that has a length, whatever type was wanted.

    A value of the wrong type is still measured: an empty list in place of a non-empty string has both issues.
    """
    origin = "string" if isinstance(value, str) else "array" if isinstance(value, list) else None
    if origin is None:
        return []
    if len(value) < least:
        return [Issue(path, "too_small", too_small(origin, least), soft=True)]
    if most is not None and len(value) > most:
        return [Issue(path, "too_big", too_big(origin, most), soft=True)]
    return []


def too_small(origin: str, bound: float, *, inclusive: bool = True) -> str:
    """The text of a value below its bound."""
    return f"Too small: expected {_bounded(origin, '>=' if inclusive else '>', bound)}"


def too_big(origin: str, bound: float) -> str:
    """The text of a value above its bound."""
    return f"Too big: expected {_bounded(origin, '<=', bound)}"


def _bounded(origin: str, sign: str, bound: float) -> str:
    limit = f"{sign}{number_text(bound)}"
    sized = _SIZED.get(origin)
    return sized.format(limit) if sized else f"{origin} to be {limit}"


def choice(values: Sequence[Any]) -> str:
    """The text of a value outside a closed set."""
    if len(values) == 1:
        return f"Invalid input: expected {_quoted(values[0], chr(34))}"
    return f"Invalid option: expected one of {'|'.join(_quoted(value, chr(34)) for value in values)}"


def discriminator(values: Sequence[Any]) -> str:
    """The text of a discriminator that chooses no arm."""
    return f"Invalid discriminator value. Expected {' | '.join(_quoted(value, chr(39)) for value in values)}"


def _quoted(value: Any, mark: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{mark}{value}{mark}" if isinstance(value, str) else number_text(value)


def mismatch(matching: Matching) -> str:
    """The text of a string that does not match."""
    return matching.refusal or f"Invalid string: must match pattern /{matching.pattern}/"


def unrecognized(keys: Sequence[str], missing: Sequence[str] = ()) -> str:
    """The text of unknown keys; one that looks like a declared key that is `missing` says so."""
    noun = "key" if len(keys) == 1 else "keys"
    return f"Unrecognized {noun}: {', '.join(_unknown(key, missing) for key in keys)}"


def _unknown(key: str, missing: Sequence[str]) -> str:
    meant = get_close_matches(key, missing, n=1) if missing else []
    return f'"{key}"' + (f' (did you mean "{meant[0]}"?)' if meant else "")


def no_form(tried: Sequence[Sequence[Issue]], path: Path) -> str:
    """The text of a value that has none of several forms: what is wrong with the form it comes nearest to."""
    nearest = min(tried, key=len)[0]
    place = ".".join(str(step) for step in nearest.path[len(path) :])
    where = f" at {place}" if place else ""
    problem = nearest.message.removeprefix(f"{INVALID_INPUT}: ")
    return f"{INVALID_INPUT}: none of {len(tried)} forms; the nearest fails{where}: {problem}"

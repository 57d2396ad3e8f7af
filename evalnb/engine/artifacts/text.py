"""Markers for scalar values: strings of a pattern, integers in the safe range, bounded numbers, and any JSON value.

Each gives pydantic its core schema and keeps the published rule readable for the issue list and the JSON Schema.
spec: 02a §1, §2
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import PydanticCustomError, core_schema

from evalnb.engine.pointers import PointerSpelling

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

SAFE_INTEGER: Final = 2**53 - 1
FORBIDDEN_KEY: Final = "__proto__"

_PLAIN: Final = (str, bool)
_ARRAYS: Final = (list, tuple)
_NUMBERS: Final = (int, float)


@dataclass(slots=True, eq=False, repr=False)
class Matching:
    """A string that matches an anchored ECMAScript `pattern`.

    `engine_pattern` is the same language for engines without lookahead and with Unicode digits; `refusal` replaces
    the usual message of a mismatch; `format` is the JSON Schema format published beside the pattern.
    """

    pattern: str
    engine_pattern: str | None = None
    refusal: str | None = None
    format: str | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.str_schema(pattern=self.engine_pattern or self.pattern, strict=True)

    def accepts(self, text: str) -> bool:
        """Whether the whole of `text` matches."""
        return _compiled(self.engine_pattern or self.pattern).fullmatch(text) is not None


def pointer(spelling: PointerSpelling) -> Matching:
    """The marker of a pointer of one spelling."""
    return Matching(spelling.pattern, spelling.plain_pattern, spelling.refusal)


@dataclass(slots=True, eq=False, repr=False)
class NonEmpty:
    """A string of at least one character."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.str_schema(min_length=1, strict=True)


@dataclass(slots=True, eq=False, repr=False)
class Enumerated:
    """Marks a single literal that is a closed set of one, published as an enumeration."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return handler(source)


@dataclass(slots=True, eq=False, repr=False)
class Integer:
    """An integral JSON number in the safe range; `1.0` is the integer 1, a boolean is no number."""

    minimum: int | None = None
    maximum: int | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        low = -SAFE_INTEGER if self.minimum is None else self.minimum
        high = SAFE_INTEGER if self.maximum is None else self.maximum
        return core_schema.no_info_before_validator_function(
            _integral, core_schema.int_schema(ge=low, le=high, strict=True)
        )


def _integral(value: Any) -> Any:
    return int(value) if type(value) is float and value.is_integer() else value


@dataclass(slots=True, eq=False, repr=False)
class Number:
    """A finite JSON number with inclusive bounds, or an exclusive lower one."""

    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        bounded = core_schema.float_schema(
            ge=self.minimum, le=self.maximum, gt=self.exclusive_minimum, allow_inf_nan=False, strict=True
        )
        return core_schema.no_info_wrap_validator_function(_unchanged_number, bounded)


def _unchanged_number(value: Any, check: core_schema.ValidatorFunctionWrapHandler) -> Any:
    check(value)
    return value


@dataclass(slots=True, eq=False, repr=False)
class AnyJson:
    """Any JSON value, or with `objects_only` any JSON object; numbers are finite."""

    objects_only: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(_json_object if self.objects_only else _json)


def is_json(value: Any, *, forbidden_keys: bool = True) -> bool:
    """Whether `value` consists of JSON values with finite numbers.

    With `forbidden_keys` false, an object that holds a key `__proto__` is no JSON value either.
    """
    pending = [value]
    while pending:
        item = pending.pop()
        if item is None or isinstance(item, _PLAIN):
            continue
        if isinstance(item, dict):
            if FORBIDDEN_KEY in item and not forbidden_keys:
                return False
            if not all(isinstance(key, str) for key in item):
                return False
            pending.extend(item.values())
        elif isinstance(item, _ARRAYS):
            pending.extend(item)
        elif not (isinstance(item, _NUMBERS) and is_finite(item)):
            return False
    return True


def is_finite(number: int | float) -> bool:
    """Whether `number` is finite in binary64."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _json(value: Any) -> Any:
    if type(value) is str or is_json(value, forbidden_keys=False):
        return value
    raise PydanticCustomError("json_value", "not a JSON value")


def _json_object(value: Any) -> Any:
    if isinstance(value, dict) and is_json(value, forbidden_keys=False):
        return value
    raise PydanticCustomError("json_object", "not a JSON object")


@dataclass(slots=True, eq=False, repr=False)
class Keyed:
    """A caller-keyed map; `refusal` is the message given where it must hold an entry and holds none."""

    refusal: str | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(_occupied_map if self.refusal else _map, handler(source))


def _map(value: dict[str, Any]) -> dict[str, Any]:
    if FORBIDDEN_KEY in value:
        raise PydanticCustomError("forbidden_key", "key dropped")
    return value


def _occupied_map(value: dict[str, Any]) -> dict[str, Any]:
    if not value or FORBIDDEN_KEY in value:
        raise PydanticCustomError("empty_map", "no entry")
    return value


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)

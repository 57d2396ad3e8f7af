"""Values in one form, so that spelling does not decide: dates, numbers, currency, text, whole arguments."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from evalnb.engine.json_values import Json

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_CURRENCY = re.compile(r"(?P<before>[^\d\s.,+-]*)\s*(?P<number>[+-]?[\d.,]*\d)\s*(?P<after>[^\d\s.,]*)")
_ENCODE = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode
_SYMBOLS: Mapping[str, str] = {"$": "USD", "us$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}


def normal_value(value: Json, schema: Any = None) -> Json:
    """`value` with whole floats as integers, text in NFC without outer space, moments in UTC.

    Where `schema` is an object's that declares properties and allows others only by silence, undeclared keys go: the
    tool does not read them.
    """
    if isinstance(value, str):
        text = value.strip()
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        return normal_date(text) if _MOMENT.match(text) else text
    known = schema if isinstance(schema, dict) else {}
    if isinstance(value, dict):
        held = known.get("properties")
        declared = held if isinstance(held, dict) else {}
        if declared and "additionalProperties" not in known:
            return {key: normal_value(item, declared[key]) for key, item in value.items() if key in declared}
        return {key: normal_value(item, declared.get(key)) for key, item in value.items()}
    if isinstance(value, list):
        shape = known.get("items")
        return [normal_value(item, shape) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def call_key(
    tool: str,
    arguments: Mapping[str, Json] | None,
    schema: Mapping[str, Any] | None = None,
    order_free: Sequence[str] = (),
) -> str:
    """One text for all spellings of one call; the lists named in `order_free` mean the same in any order."""
    normal = normal_value(dict(arguments or {}), schema)
    assert isinstance(normal, dict)
    if order_free:
        normal.update(_ordered({name: normal[name] for name in order_free if isinstance(normal.get(name), list)}))
    return tool + " " + _ENCODE(normal)


def schema_of_paths(paths: Sequence[str]) -> dict[str, Any] | None:
    """A schema that declares what stands at dotted paths inside arguments and leaves the arguments open."""
    if not paths:
        return None
    whole: dict[str, Any] = {"additionalProperties": True}
    for path in paths:
        place = whole
        for part in path.split("."):
            place = place.setdefault("properties", {}).setdefault(part.removesuffix("[]"), {})
            if part.endswith("[]"):
                place = place.setdefault("items", {})
    return whole


def _ordered(lists: dict[str, Any]) -> dict[str, Json]:
    """The lists in one order: those of one length as rows, so that what stands side by side stays so."""
    ordered: dict[str, Json] = {}
    for length in {len(held) for held in lists.values()}:
        names = [name for name, held in lists.items() if len(held) == length]
        rows = sorted(zip(*(lists[name] for name in names), strict=True), key=_ENCODE)
        ordered.update({name: [row[place] for row in rows] for place, name in enumerate(names)})
    return ordered


def normal_date(value: Json) -> Json:
    """A date or moment of one form: with an offset in UTC, without one as it stands; other values unchanged."""
    if not isinstance(value, str):
        return value
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return value
    if moment.tzinfo is not None:
        return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
    return moment.date().isoformat() if len(value.strip()) <= 10 else moment.isoformat()


def normal_number(value: Json) -> Json:
    """A number, or the text of one with grouping commas, as a plain decimal text; other values unchanged."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return value
    try:
        number = Decimal(str(value).strip().replace(",", "").replace("_", ""))
    except InvalidOperation:
        return value
    return format(number.normalize(), "f") if number.is_finite() else value


def normal_currency(value: Json) -> Json:
    """An amount with its currency, as `12.5 USD`; a bare number has no currency."""
    if not isinstance(value, str):
        return normal_number(value)
    found = _CURRENCY.fullmatch(value.strip())
    if found is None:
        return value
    unit = (found["before"] or found["after"]).strip()
    amount = normal_number(found["number"])
    return f"{amount} {_SYMBOLS.get(unit.lower(), unit.upper())}" if unit else amount


def normal_text(value: Json) -> Json:
    """Text without case, outer and repeated space, and differences of Unicode form (NFKC)."""
    if not isinstance(value, str):
        return value
    return " ".join(unicodedata.normalize("NFKC", value).casefold().split())


NORMAL_FORMS = {
    "date": normal_date,
    "number": normal_number,
    "currency": normal_currency,
    "text": normal_text,
    "json": normal_value,
}


def plain_text(text: str) -> str:
    """Text as answers are searched: NFKC, no case, no commas in numbers, single spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.replace(",", "").casefold().split())

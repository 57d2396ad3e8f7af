"""Tool and body schemas as a contract describes them: keys with one JSON type each, and sample values that fit.

What a schema says is a stranger's text: references are followed inside the document only, and only so deep.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evalnb.engine.json_values import Json

_MOST_DEPTH: Final = 6
_TYPES: Final = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean",
                 "object": "object", "array": "array", "null": "null"}  # fmt: skip
_QUOTED: Final = re.compile(r"['\"`]([^'\"`\s][^'\"`]{0,80})['\"`]")
# What a description says of a text's form, and two texts of that form.
_FORMS: Final = (
    (re.compile(r"HH:MM"), ("09:30", "18:45")),
    (re.compile(r"YYYY-MM-DD|ISO 8601|\bdate\b", re.IGNORECASE), ("2026-03-02", "2026-05-14")),
    (re.compile(r"\b(?:url|uri)\b", re.IGNORECASE), ("example:one", "example:two")),
)
_PLAIN_TEXTS: Final = ("first example", "second example")


@dataclass(frozen=True, slots=True)
class KeyShape:
    """The keys of one channel or of an answer: which are needed, which may be there, of which type (None: several)."""

    required: tuple[str, ...] = ()
    permitted: tuple[str, ...] = ()
    types: Mapping[str, str | None] = field(default_factory=dict)
    schemas: Mapping[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def document(self) -> dict[str, Json]:
        """The shape as a contract holds it."""
        return {
            "requiredKeys": list(self.required),
            "permittedKeys": list(self.permitted),
            "types": dict(self.types),
        }

    def item_keys(self, key: str) -> tuple[str, ...]:
        """The text properties of the objects that the array `key` holds, in schema order."""
        items = self.schemas.get(key, {}).get("items")
        properties = items.get("properties") if isinstance(items, dict) else None
        if not isinstance(properties, dict):
            return ()
        return tuple(name for name, schema in properties.items() if type_of(schema) == "string")


def resolved(schema: object, document: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """`schema` with its references inside `document` followed; what cannot be followed is an empty schema."""
    if not isinstance(schema, dict) or depth > _MOST_DEPTH:
        return {}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        found: Any = document if reference.startswith("#/") else None
        for token in reference.split("/")[1:]:
            found = found.get(token.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        return resolved(found, document, depth + 1)
    followed = dict(schema)
    if isinstance(schema.get("properties"), dict):
        followed["properties"] = {
            name: resolved(one, document, depth + 1) for name, one in schema["properties"].items()
        }
    if "items" in schema:
        followed["items"] = resolved(schema["items"], document, depth + 1)
    return followed


def keys_of(schema: object, document: Mapping[str, Any]) -> KeyShape:
    """The keys of an object schema; of any other schema none."""
    whole = resolved(schema, document)
    properties = {name: one for name, one in whole.get("properties", {}).items() if isinstance(name, str) and name}
    required = whole.get("required")
    named = [name for name in required if name in properties] if isinstance(required, list) else []
    return KeyShape(
        tuple(dict.fromkeys(named)),
        tuple(properties),
        {name: type_of(one) for name, one in properties.items()},
        properties,
    )


def type_of(schema: Mapping[str, Any]) -> str | None:
    """The one JSON type of a value, None where there are several or none is said."""
    kind = schema.get("type")
    return _TYPES.get(kind) if isinstance(kind, str) else None


def samples_of(schema: Mapping[str, Any], name: str, depth: int = 0) -> tuple[Json, Json]:
    """Two values for a key, different ones where the schema leaves room for two; a person may know better ones."""
    for key in ("enum", "examples"):
        given = schema.get(key)
        if isinstance(given, list) and given:
            return given[0], given[1 % len(given)]
    kind = type_of(schema)
    if kind == "string":
        return _texts(schema, name)
    if kind == "number":
        least = schema.get("minimum")
        first = int(least) if isinstance(least, int | float) and least > 1 else 1
        return first, first + 1
    if kind == "boolean":
        return True, False
    if kind == "array":
        items = schema.get("items")
        pair = samples_of(items if isinstance(items, dict) else {}, name, depth + 1)
        return [pair[0]], [pair[1]]
    if kind == "object" and depth < _MOST_DEPTH:
        properties = schema.get("properties", {})
        chosen = schema.get("required") or list(properties)
        pairs = {key: samples_of(properties[key], key, depth + 1) for key in chosen if key in properties}
        return {key: pair[0] for key, pair in pairs.items()}, {key: pair[1] for key, pair in pairs.items()}
    return "first example", "second example"


def _texts(schema: Mapping[str, Any], name: str) -> tuple[str, str]:
    description = schema.get("description")
    told = description if isinstance(description, str) else ""
    quoted = list(dict.fromkeys(_QUOTED.findall(told)))
    if len(quoted) > 1:
        return quoted[0], quoted[1]
    for form, texts in _FORMS:
        if form.search(told):
            return texts
    return _PLAIN_TEXTS

"""The published JSON Schema documents, one an artifact kind, derived from the same shapes that reading uses.

spec: 02a §17, 02b §16
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import import_module
from inspect import getdoc
from typing import Any, Final, TypeAlias

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from evalnb.engine.artifacts.constraint_ledger import DIALECT, inject
from evalnb.engine.artifacts.reading import KINDS, ArtifactKind
from evalnb.engine.artifacts.shapes import (
    ArmShape,
    ArrayShape,
    BooleanShape,
    ChoiceShape,
    MapShape,
    NamedShape,
    NullableShape,
    NullShape,
    ObjectShape,
    RefinedShape,
    TaggedShape,
    TextShape,
    TupleShape,
    UnionShape,
    VersionedShape,
    shape_of,
)
from evalnb.engine.artifacts.text import SAFE_INTEGER, AnyJson, Integer, Number

Schema: TypeAlias = dict[str, Any]

# What has a definition of its own: its name, the module it is in, and the name it has there. The rest is inlined.
_DEFINITIONS: Final = (
    ("Expression", "expressions", "Expression"),
    ("Operand", "expressions", "Operand"),
    ("RubricBody", "rubric", "RubricBody"),
    ("Operation", "interfaces", "Operation"),
    ("WitnessInputs", "witnesses", "ApiWitnessInputs"),
    ("InputBindingChannel", "plan", "InputBindingChannel"),
    ("ProbeInputBindingChannel", "probe", "ProbeInputBindingChannel"),
    ("ArtifactReference", "reference", "ArtifactReference"),
    ("EvidenceChannel", "probe", "EvidenceChannel"),
    ("Finding", "record", "Finding"),
    ("EvaluatorRecommendation", "record", "EvaluatorRecommendation"),
    ("Verdict", "evidence", "Verdict"),
    ("CheckResolution", "evidence", "CheckResolution"),
    ("FloorDecision", "aggregate", "FloorDecision"),
)
_JSON_VALUE: Final = "JsonValue"
_STRING: Final[Schema] = {"type": "string"}
_NULL: Final[Schema] = {"type": "null"}


def json_schemas() -> dict[str, Schema]:
    """Every published document by artifact key, in registry order."""
    return {key: json_schema(kind) for key, kind in KINDS.items()}


def json_schema(kind: ArtifactKind[Any]) -> Schema:
    """The published document of one kind: dialect, `urn:` id, the shape, and the definitions it refers to."""
    document = schema_of(kind.shape, f"urn:eval-quality:schema:{kind.key}", kind.description)
    inject(document, kind.key)
    return document


def schema_of(shape: Any, identifier: str, description: str) -> Schema:
    """The document of any shape under an `$id` of its own."""
    export = _Export()
    body = export.expanded(shape)
    document: Schema = {"$schema": DIALECT, "$id": identifier, **body, "description": description}
    if export.definitions:
        document["$defs"] = export.definitions
    return document


def schema_text(document: Schema) -> str:
    """A document as it is published: two-space indent, one final newline, pure ASCII."""
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


class _Export:
    """One document in the making; `definitions` fills as named shapes are met."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}
        self._names = {
            getattr(import_module(f"evalnb.engine.artifacts.{module}"), attribute): name
            for name, module, attribute in _DEFINITIONS
        }

    def schema(self, annotation: Any) -> Schema:
        """The schema of `annotation`: a reference where it has a definition."""
        name = self._names.get(annotation)
        if name is None:
            return self.expanded(annotation)
        return self._reference(name, lambda: self.expanded(annotation))

    def expanded(self, annotation: Any) -> Schema:
        """The schema of `annotation` in place."""
        shape = shape_of(annotation)
        return _RENDERERS[type(shape)](self, shape)

    def _reference(self, name: str, define: Callable[[], Schema]) -> Schema:
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = define()
        return {"$ref": f"#/$defs/{name}"}

    def _wrapped(self, shape: NamedShape | RefinedShape | VersionedShape) -> Schema:
        return self.schema(shape.annotation)

    def _nullable(self, shape: NullableShape) -> Schema:
        return {"anyOf": [self.schema(shape.inner), _NULL]}

    def _object(self, shape: ObjectShape) -> Schema:
        return {
            "description": _summary(shape.model),
            "type": "object",
            "properties": {item.key: self.schema(item.annotation) for item in shape.fields},
            "required": [item.key for item in shape.fields if item.required],
            "additionalProperties": False,
        }

    def _array(self, shape: ArrayShape) -> Schema:
        schema: Schema = {"type": "array", "items": self.schema(shape.item)}
        if shape.min_items:
            schema["minItems"] = shape.min_items
        if shape.max_items is not None:
            schema["maxItems"] = shape.max_items
        return schema

    def _tuple(self, shape: TupleShape) -> Schema:
        # Its length is the ledger's to inject.
        return {"type": "array", "prefixItems": [self.schema(item) for item in shape.items]}

    def _map(self, shape: MapShape) -> Schema:
        return {
            "type": "object",
            "propertyNames": self.schema(shape.key),
            "additionalProperties": self.schema(shape.value),
        }

    def _tagged(self, shape: TaggedShape) -> Schema:
        return {"oneOf": self._arms(shape.arms)}

    def _union(self, shape: UnionShape) -> Schema:
        return {"anyOf": self._arms(shape.arms)}

    def _arms(self, arms: tuple[ArmShape, ...]) -> list[Schema]:
        return [self.schema(arm.annotation) for arm in arms]

    def _any_json(self, shape: AnyJson) -> Schema:
        value = self._reference(_JSON_VALUE, self._json_value)
        return (
            {"type": "object", "propertyNames": _STRING, "additionalProperties": value} if shape.objects_only else value
        )

    def _json_value(self) -> Schema:
        value = {"$ref": f"#/$defs/{_JSON_VALUE}"}
        return {
            "anyOf": [
                _STRING,
                {"type": "number"},
                {"type": "boolean"},
                _NULL,
                {"type": "array", "items": value},
                {"type": "object", "propertyNames": _STRING, "additionalProperties": value},
            ]
        }

    def _text(self, shape: TextShape) -> Schema:
        schema = dict(_STRING)
        if shape.min_length:
            schema["minLength"] = shape.min_length
        if shape.matching is not None:
            if shape.matching.format is not None:
                schema["format"] = shape.matching.format
            schema["pattern"] = shape.matching.pattern
        return schema

    def _integer(self, shape: Integer) -> Schema:
        low = -SAFE_INTEGER if shape.minimum is None else shape.minimum
        high = SAFE_INTEGER if shape.maximum is None else shape.maximum
        return {"type": "integer", "minimum": low, "maximum": high}

    def _number(self, shape: Number) -> Schema:
        bounds = {
            "exclusiveMinimum": shape.exclusive_minimum,
            "minimum": shape.minimum,
            "maximum": shape.maximum,
        }
        return {"type": "number", **{keyword: bound for keyword, bound in bounds.items() if bound is not None}}

    def _choice(self, shape: ChoiceShape) -> Schema:
        kind = "boolean" if isinstance(shape.values[0], bool) else "string"
        if len(shape.values) == 1 and not shape.enumerated:
            return {"type": kind, "const": shape.values[0]}
        return {"type": kind, "enum": list(shape.values)}

    def _boolean(self, shape: BooleanShape) -> Schema:
        return {"type": "boolean"}

    def _null(self, shape: NullShape) -> Schema:
        return dict(_NULL)


def _summary(model: type[BaseModel]) -> str:
    """The first line of a model's docstring, with Python's names for null and for the keys put into JSON's."""
    line = (getdoc(model) or "").partition("\n")[0]
    return re.sub(r"`(\w+)`", lambda name: f"`{to_camel(name[1])}`", re.sub(r"\bNone\b", "null", line))


_RENDERERS: Final[dict[type, Callable[[_Export, Any], Schema]]] = {
    NamedShape: _Export._wrapped,
    RefinedShape: _Export._wrapped,
    VersionedShape: _Export._wrapped,
    NullableShape: _Export._nullable,
    ObjectShape: _Export._object,
    ArrayShape: _Export._array,
    TupleShape: _Export._tuple,
    MapShape: _Export._map,
    TaggedShape: _Export._tagged,
    UnionShape: _Export._union,
    AnyJson: _Export._any_json,
    TextShape: _Export._text,
    Integer: _Export._integer,
    Number: _Export._number,
    ChoiceShape: _Export._choice,
    BooleanShape: _Export._boolean,
    NullShape: _Export._null,
}

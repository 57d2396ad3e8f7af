"""What a validator of a published document reports, in the keyword and place that ajv gives it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import regress
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from evalnb.engine.artifacts import KINDS
from evalnb.engine.artifacts.json_schema import json_schema


@dataclass(frozen=True, slots=True)
class PublishedError:
    """One error: the keyword, the RFC 6901 pointer into the document, and the property it is about."""

    keyword: str
    instance_path: str
    about: str | None = None


def _ecmascript_pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and regress.Regex(pattern).find(instance) is None:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_Validator = extend(Draft202012Validator, {"pattern": _ecmascript_pattern})


@cache
def validator(key: str, definition: str | None = None) -> Any:
    """The validator of one published document, or of one definition in it."""
    schema = json_schema(KINDS[key])
    _Validator.check_schema(schema)
    if definition is not None:
        schema = {"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}
    return _Validator(schema)


def published_errors(key: str, document: Any) -> list[PublishedError]:
    """Every error of `document` against the published document `key`, those of union branches included."""
    return [item for error in _flattened(validator(key).iter_errors(document)) for item in _as_ajv(error)]


def _flattened(errors: Iterable[ValidationError]) -> Iterator[ValidationError]:
    for error in errors:
        yield error
        yield from _flattened(error.context)


def _as_ajv(error: ValidationError) -> Iterator[PublishedError]:
    path = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in error.absolute_path)
    keyword = str(error.validator)
    if keyword == "required":
        for name in error.validator_value:
            if name not in error.instance:
                yield PublishedError(keyword, path, name)
    elif keyword == "additionalProperties":
        for name in error.instance:
            if name not in error.schema["properties"]:
                yield PublishedError(keyword, path, name)
    elif "propertyNames" in error.absolute_schema_path:
        yield PublishedError("propertyNames", path, error.instance)
    else:
        yield PublishedError(keyword, path)

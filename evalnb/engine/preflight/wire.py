"""A port message or synthetic observation as a JSON document, without judging the values it carries.

The digest functions and the port boundary judge them; a body may hold what only those refuse. spec: 07 §4, §7.5
"""

from __future__ import annotations

from typing import Any

from evalnb.engine.artifacts.model import StrictObject
from evalnb.engine.json_values import Json


def wire_document(shape: StrictObject) -> dict[str, Json]:
    """The fields that were set, under their JSON keys; JSON values inside are shared, not copied."""
    return {
        field.alias or name: _wire(getattr(shape, name))
        for name, field in type(shape).model_fields.items()
        if name in shape.model_fields_set
    }


def _wire(value: Any) -> Json:
    if isinstance(value, StrictObject):
        return wire_document(value)
    if isinstance(value, tuple):
        return [_wire(item) for item in value]
    if isinstance(value, dict):
        return {key: wire_document(item) if isinstance(item, StrictObject) else item for key, item in value.items()}
    return value  # type: ignore[no-any-return]

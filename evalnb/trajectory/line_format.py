"""Our own file format: a line a run's identity, then a line an event; names and kinds in one table.

`line_schema()` is the documented JSON Schema of one line.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, Final

from evalnb.engine.json_values import Json
from evalnb.trajectory.events import EVENT_CLASSES, RESULT_STATUSES, Event, Note, RunIdentity, ToolDescription

FORMAT: Final = "evalnb-trajectory/1"

# JSON type of each event field, by the field's Python annotation.
_KINDS: Mapping[str, tuple[tuple[str, ...], tuple[type, ...]]] = {
    "int": (("integer",), (int,)),
    "float | None": (("number", "null"), (int, float, type(None))),
    "int | None": (("integer", "null"), (int, type(None))),
    "str": (("string",), (str,)),
    "str | None": (("string", "null"), (str, type(None))),
    "bool": (("boolean",), (bool,)),
    "bool | None": (("boolean", "null"), (bool, type(None))),
    "tuple[str, ...]": (("array",), (list,)),
    "tuple[str, ...] | None": (("array", "null"), (list, type(None))),
    "tuple[ToolDescription, ...]": (("array",), (list,)),
    "dict[str, Json] | None": (("object", "null"), (dict, type(None))),
    "Mapping[str, Json]": (("object",), (dict,)),
    "Mapping[str, str]": (("object",), (dict,)),
    "ResultStatus": (("string",), (str,)),
    "Literal['before', 'during', 'after']": (("string",), (str,)),
    'Literal["before", "during", "after"]': (("string",), (str,)),
    "Json": (("null", "boolean", "number", "string", "array", "object"), (object,)),
}
_ENUMS: Mapping[str, tuple[str, ...]] = {
    "status": RESULT_STATUSES,
    "phase": ("before", "during", "after"),
}


def camel(name: str) -> str:
    """`call_number` as `callNumber`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


@dataclasses.dataclass(frozen=True, slots=True)
class _Field:
    name: str
    key: str
    annotation: str
    accepted: tuple[type, ...]
    default: Any


def _fields_of(shape: type) -> dict[str, _Field]:
    rows = {}
    for one in dataclasses.fields(shape):
        default = one.default if one.default_factory is dataclasses.MISSING else one.default_factory()
        annotation = str(one.type)
        rows[camel(one.name)] = _Field(one.name, camel(one.name), annotation, _KINDS[annotation][1], default)
    return rows


_EVENT_FIELDS: dict[type[Event], dict[str, _Field]] = {shape: _fields_of(shape) for shape in EVENT_CLASSES}
_CLASS_OF: dict[str, type[Event]] = {shape.type: shape for shape in EVENT_CLASSES}
_IDENTITY_FIELDS = _fields_of(RunIdentity)
_TOOL_FIELDS = _fields_of(ToolDescription)
_ENCODE = json.JSONEncoder(separators=(",", ":"), check_circular=False, allow_nan=False).encode


def identity_line(identity: RunIdentity, notes: tuple[Note, ...] = ()) -> str:
    """The line a run starts with."""
    body: dict[str, Json] = {"type": "run", "schema": FORMAT}
    body.update(_written(identity, _IDENTITY_FIELDS))
    if notes:
        body["notes"] = [{"code": note.code, "place": note.place, "detail": note.detail} for note in notes]
    return _ENCODE(body)


def event_line(run_id: str, event: Event) -> str:
    """The line of one event."""
    body: dict[str, Json] = {"type": event.type, "run": run_id}
    body.update(_written(event, _EVENT_FIELDS[type(event)]))
    return _ENCODE(body)


def _written(value: object, rows: Mapping[str, _Field]) -> dict[str, Json]:
    body: dict[str, Json] = {}
    for key, row in rows.items():
        held = getattr(value, row.name)
        if held == row.default and type(held) is type(row.default):
            continue
        if row.annotation == "tuple[ToolDescription, ...]":
            held = [_written(tool, _TOOL_FIELDS) for tool in held]
        body[key] = list(held) if isinstance(held, tuple) else held
    return body


def identity_of(body: dict[str, Json]) -> RunIdentity:
    """The identity of a `run` line; ValueError names what does not fit."""
    if body.get("schema") != FORMAT:
        raise ValueError(f"schema {body.get('schema')!r} where this build reads {FORMAT!r}")
    told = {key: value for key, value in body.items() if key not in ("type", "schema", "notes")}
    identity = RunIdentity(**_read(told, _IDENTITY_FIELDS, "a run"))
    if not all(isinstance(value, str) for value in identity.slices.values()):
        raise ValueError("slices of a run hold a value that is no string")
    return identity


def notes_of(body: dict[str, Json]) -> tuple[Note, ...]:
    """The notes a `run` line carries; ValueError names what does not fit."""
    held = body.get("notes", [])
    if not isinstance(held, list):
        raise ValueError("notes of a run are no array")
    notes = []
    for one in held:
        if not isinstance(one, dict) or not all(isinstance(one.get(key), str) for key in ("code", "place", "detail")):
            raise ValueError("a note of a run has no code, place and detail")
        notes.append(Note(one["code"], one["place"], one["detail"]))
    return tuple(notes)


def event_of(body: dict[str, Json]) -> Event:
    """The event of a line; ValueError names what does not fit."""
    kind = body.pop("type", None)
    body.pop("run", None)
    shape = _CLASS_OF.get(kind) if isinstance(kind, str) else None
    if shape is None:
        raise ValueError(f"type {kind!r} is none of the events: {', '.join(_CLASS_OF)}")
    return shape(**_read(body, _EVENT_FIELDS[shape], str(kind)))


def _read(body: dict[str, Json], rows: Mapping[str, _Field], what: str) -> dict[str, Any]:
    held: dict[str, Any] = {}
    for key, value in body.items():
        row = rows.get(key)
        if row is None:
            raise ValueError(f"{what} has no field {key!r}")
        if not isinstance(value, row.accepted) or (isinstance(value, bool) and _refuses_bool(row)):
            raise ValueError(
                f"{key!r} of {what} is {type(value).__name__}, not {' or '.join(_KINDS[row.annotation][0])}"
            )
        if key in _ENUMS and value not in _ENUMS[key]:
            raise ValueError(f"{key!r} of {what} is {value!r}, none of {', '.join(_ENUMS[key])}")
        if isinstance(value, list):
            held[row.name] = _read_list(value, row, what)
        else:
            held[row.name] = value
    for key, row in rows.items():
        if row.default is dataclasses.MISSING and row.name not in held:
            raise ValueError(f"{what} lacks {key!r}")
    return held


def _refuses_bool(row: _Field) -> bool:
    return bool not in row.accepted and object not in row.accepted


def _read_list(value: list[Any], row: _Field, what: str) -> object:
    if row.annotation == "Json":
        return value
    if row.annotation == "tuple[ToolDescription, ...]":
        if not all(isinstance(item, dict) for item in value):
            raise ValueError(f"{row.key!r} of {what} holds something that is no object")
        return tuple(ToolDescription(**_read(item, _TOOL_FIELDS, "a tool")) for item in value)
    if not all(isinstance(item, str) for item in value):
        raise ValueError(f"{row.key!r} of {what} holds something that is no string")
    return tuple(value)


def line_schema() -> dict[str, Json]:
    """JSON Schema (2020-12) of one line: a run's identity or an event."""
    tool = _object(_TOOL_FIELDS, {})
    run = _object(_IDENTITY_FIELDS, {"type": {"const": "run"}, "schema": {"const": FORMAT}})
    run["properties"]["notes"] = {"type": "array"}
    lines = [run]
    for shape, rows in _EVENT_FIELDS.items():
        lines.append(_object(rows, {"type": {"const": shape.type}, "run": {"type": "string"}}, shape.__doc__))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:evalnb:schema:trajectory-line",
        "title": "One line of an evalnb trajectory file",
        "oneOf": lines,
        "$defs": {"tool": tool},
    }


def _object(rows: Mapping[str, _Field], first: dict[str, Json], doc: str | None = None) -> dict[str, Any]:
    properties: dict[str, Json] = dict(first)
    for key, row in rows.items():
        kinds = list(_KINDS[row.annotation][0])
        shape: dict[str, Json] = {"type": kinds[0] if len(kinds) == 1 else kinds}
        if key in _ENUMS:
            shape["enum"] = list(_ENUMS[key])
        if row.annotation.startswith("tuple[str"):
            shape["items"] = {"type": "string"}
        if row.annotation == "tuple[ToolDescription, ...]":
            shape["items"] = {"$ref": "#/$defs/tool"}
        properties[key] = shape
    required = [*first, *(key for key, row in rows.items() if row.default is dataclasses.MISSING)]
    body: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    if doc:
        body["description"] = " ".join(doc.split())
    return body

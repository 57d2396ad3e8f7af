"""Which declared operation a call of the evaluator is, and the values it carries, channel by channel."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from evalnb.engine.artifacts import CommandOperation, McpOperation, Operation, PermittedInterface
from evalnb.engine.artifacts.bodies import RawRequestBody
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.json_values import Json
from evalnb.engine.operations import AnyOperation, channel_shape

Values = dict[str, dict[str, Json]]

_PLACEHOLDER: Final = re.compile(r"\\\{([A-Za-z0-9_-]+)\\\}")
_TYPED: Final = ("integer", "number", "boolean", "null", "array", "object")


class Unmatched(Exception):
    """A call that the contract does not let an evaluator make, and why."""


@dataclass(frozen=True, slots=True)
class MatchedCall:
    """An operation and what it is called with; `raw` stands for a body that is no JSON object."""

    interface_id: str
    operation: AnyOperation
    values: Values = field(default_factory=dict)
    raw: RawRequestBody | None = None


@dataclass(frozen=True, slots=True)
class HttpCall:
    """What arrived at the HTTP face, below the interface's own address. `headers` have lower-case names."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


def match_http(interface: PermittedInterface, call: HttpCall) -> MatchedCall:
    """The HTTP operation that a request is. Raises `Unmatched`."""
    for operation in _operations(interface, Operation):
        found = _path_values(operation, call.path)
        if operation.method != call.method or found is None:
            continue
        body, raw = _body(call)
        values: Values = {
            "path": {name: _typed(operation, "path", name, text) for name, text in found.items()},
            "query": _query(operation, call.query),
            "header": {name: call.headers[name.lower()] for name in _declared(operation, "header", call.headers)},
            "body": body,
        }
        return MatchedCall(interface.logical_id, operation, values, raw)
    raise Unmatched(f"{interface.logical_id} has no operation {call.method} {call.path[:200]}")


def match_tool(interface: PermittedInterface, tool: str, arguments: Mapping[str, Json]) -> MatchedCall:
    """The tool operation of that name. Raises `Unmatched`."""
    for operation in _operations(interface, McpOperation):
        if operation.tool_name == tool:
            return MatchedCall(interface.logical_id, operation, {"arguments": dict(arguments)})
    raise Unmatched(f"{interface.logical_id} has no tool {tool[:200]}")


def match_command(
    interface: PermittedInterface, executable: str, words: Sequence[str], stdin: bytes, environment: Mapping[str, str]
) -> MatchedCall:
    """The command operation that an argument vector is, the longest subcommand path first. Raises `Unmatched`."""
    candidates = [
        operation
        for operation in _operations(interface, CommandOperation)
        if operation.invocation.executable == executable
        and tuple(words[: len(operation.invocation.subcommand_path)]) == tuple(operation.invocation.subcommand_path)
    ]
    if not candidates:
        raise Unmatched(f"{interface.logical_id} has no command {' '.join([executable, *words[:2]])[:200]}")
    operation = max(candidates, key=lambda one: len(one.invocation.subcommand_path))
    option, positionals = _options(operation, words[len(operation.invocation.subcommand_path) :])
    named = _declared(operation, "environment", environment)
    values: Values = {
        "option": option,
        "argument": _arguments(operation, positionals),
        "environment": {name: environment[name] for name in named},
        "stdin": _stdin(stdin),
    }
    return MatchedCall(interface.logical_id, operation, values)


def _operations(interface: PermittedInterface, kind: type[Any]) -> Iterator[Any]:
    return (operation for operation in interface.operations if isinstance(operation, kind))


def _keys(operation: AnyOperation, channel: str) -> list[str]:
    shape = channel_shape(operation, channel)
    return [] if shape is None else list(dict.fromkeys([*shape.required_keys, *shape.permitted_keys]))


def _declared(operation: AnyOperation, channel: str, given: Mapping[str, str]) -> list[str]:
    """The declared keys of a channel that were given; what programs add by themselves is no part of a call."""
    return [key for key in _keys(operation, channel) if (key.lower() if channel == "header" else key) in given]


def _typed(operation: AnyOperation, channel: str, key: str, text: str) -> Json:
    """The text as a value of the declared type; as text where none is declared or it is none."""
    shape = channel_shape(operation, channel)
    wanted = None if shape is None else shape.types.get(key)
    if wanted not in _TYPED:
        return text
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if _is_of(value, wanted) else text


def _is_of(value: Json, wanted: str) -> bool:
    kinds: dict[str, Any] = {
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
        "array": list,
        "object": dict,
    }
    return isinstance(value, kinds[wanted]) and (wanted == "boolean" or not isinstance(value, bool))


def _path_values(operation: Operation, path: str) -> dict[str, str] | None:
    pattern = _PLACEHOLDER.sub(lambda found: f"(?P<p{_hex(found[1])}>[^/]+)", re.escape(operation.path_template))
    match = re.fullmatch(pattern, path)
    if match is None:
        return None
    return {bytes.fromhex(name[1:]).decode(): unquote(text) for name, text in match.groupdict().items()}


def _hex(name: str) -> str:
    """A placeholder's name as the name of a group, which may hold neither hyphens nor a leading digit."""
    return name.replace("\\", "").encode().hex()


def _query(operation: Operation, query: str) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, text in parse_qsl(query, keep_blank_values=True):
        value = _typed(operation, "query", key, text)
        if key not in found:
            found[key] = value
            continue
        before = found[key]
        found[key] = [*before, value] if isinstance(before, list) else [before, value]
    return found


def _body(call: HttpCall) -> tuple[dict[str, Json], RawRequestBody | None]:
    if not call.body:
        return {}, None
    try:
        value = json.loads(call.body)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and value:
        return value, None
    from base64 import b64encode

    raw: RawRequestBody = validated(
        RawRequestBody,
        {
            "kind": "raw",
            "base64": b64encode(call.body).decode("ascii"),
            "contentType": call.headers.get("content-type", "application/octet-stream"),
        },
    )
    return {}, raw


def _options(operation: CommandOperation, words: Sequence[str]) -> tuple[dict[str, Json], list[str]]:
    """Options by name and the positionals; everything behind `--` is positional."""
    option: dict[str, Json] = {}
    positionals: list[str] = []
    types = operation.request_shape.option.types
    known = _keys(operation, "option")
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            positionals += waiting
            break
        if not word.startswith("--"):
            positionals.append(word)
            continue
        name, equals, text = word[2:].partition("=")
        if name not in known:
            raise Unmatched(f"{operation.operation_id} has no option --{name[:100]}")
        if not equals and types.get(name) == "boolean":
            option[name] = True
            continue
        if not equals:
            if not waiting:
                raise Unmatched(f"option --{name} of {operation.operation_id} lacks its value")
            text = waiting.pop(0)
        if types.get(name) == "array":
            before = option.get(name)
            option[name] = [*(before if isinstance(before, list) else []), text]
        else:
            option[name] = _typed(operation, "option", name, text)
    return option, positionals


def _arguments(operation: CommandOperation, words: Sequence[str]) -> dict[str, Json]:
    """Positionals in the order their keys are declared; one of type array takes all that are left."""
    found: dict[str, Json] = {}
    waiting = list(words)
    for key in _keys(operation, "argument"):
        if not waiting:
            break
        if operation.request_shape.argument.types.get(key) == "array":
            found[key], waiting = list(waiting), []
        else:
            found[key] = _typed(operation, "argument", key, waiting.pop(0))
    if waiting:
        raise Unmatched(f"{operation.operation_id} takes no further argument {waiting[0][:100]}")
    return found


def _stdin(given: bytes) -> dict[str, Json]:
    if not given.strip():
        return {}
    try:
        value = json.loads(given)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Unmatched("standard input of an operation is one JSON object, or nothing")
    return value

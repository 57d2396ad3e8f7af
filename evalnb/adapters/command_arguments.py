"""The argument vector and the standard input of one command invocation.

A vector from its first element to its last: nothing is quoted, split or expanded, because no shell ever reads it.
spec: 10 §7.1, §7.3
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalnb.adapters.wire_text import compact_json, value_text
from evalnb.engine.artifacts.bodies import JsonBody, TextBody
from evalnb.engine.artifacts.port_messages import CliChannels
from evalnb.engine.json_values import Json, own_keys


def argument_vector(target: str, subcommand_path: Sequence[str], channels: CliChannels) -> tuple[str, ...]:
    """The program, its subcommands, its options and its positionals, in that order."""
    return (target, *subcommand_path, *_options(channels.option), *_positionals(channels.argument))


def stdin_text(channels: CliChannels) -> str:
    """What the command reads; empty when its input is absent."""
    body = channels.stdin
    if isinstance(body, JsonBody):
        return compact_json(body.value)
    return body.value if isinstance(body, TextBody) else ""


def _options(option: dict[str, Json]) -> Iterator[str]:
    for key in own_keys(option):
        value = option[key]
        if value is False:
            continue
        flag = f"--{key}"
        if value is True:
            yield flag
            continue
        for element in value if isinstance(value, list | tuple) else (value,):
            yield flag
            yield value_text(element)


def _positionals(argument: dict[str, Json]) -> Iterator[str]:
    for key in own_keys(argument):
        value = argument[key]
        yield from map(value_text, value if isinstance(value, list | tuple) else (value,))

"""A draft from what a command says about itself under --help."""

from __future__ import annotations

import os
import re
import shlex
from typing import Any, Final

from evalnb.adapters.command import CommandLineAdapter
from evalnb.adapters.command_policy import CommandPolicy
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.port_seam import AbortController
from evalnb.scaffold.draft import Draft, DraftOperation, identifier, seems_to_read
from evalnb.scaffold.json_shapes import KeyShape, keys_of

_MOST_SUBCOMMANDS: Final = 40
_HEADING: Final = re.compile(r"^\W*(?:[\w ]*\b)?(?:sub)?commands?\b[^:]*:?\s*$", re.IGNORECASE)
_SUBCOMMAND: Final = re.compile(r"^\s{2,8}([a-z0-9]+(?:-[a-z0-9]+)*)(?:,\s*\S+)?(?:\s{2,}(.*))?$")
_BRACED: Final = re.compile(r"^\s{2,4}\{([a-z0-9,-]+)\}")
_OPTION: Final = re.compile(
    r"^\s{1,8}(?:-\w,?\s+)?(?:-\w\s+\S+,\s+)?--([A-Za-z0-9][\w-]*)"  # the name, after a short one
    r"(?:[ =]([<\[]?[A-Za-z][\w.|<>\[\]-]*))?(?:\s{2,}(.*))?$"  # what it takes, and what is said of it
)
_USAGE: Final = re.compile(r"usage:\s*(.*)", re.IGNORECASE)
_POSITIONAL: Final = re.compile(r"(?<![-\w\[<])(?:<([a-z][\w-]*)>|([A-Z][A-Z_-]+))(?!\w)")
_LISTED: Final = re.compile(r"^(?:positional )?arguments?:\s*$", re.IGNORECASE)
_LISTED_NAME: Final = re.compile(r"^\s{2,4}[<\[]?([A-Za-z][\w-]*)[>\]]?(?:\s{2,}(.*))?$")
_IGNORED_OPTIONS: Final = frozenset({"help", "version"})
_IGNORED_WORDS: Final = frozenset({"OPTIONS", "COMMAND", "ARGS", "options", "command", "args"})


async def draft_from_help(command: str, cwd: str) -> Draft:
    """Ask the command, and each subcommand that it names, for its help; raises RuntimeFault when it does not start.

    Raises ValueError for more than the name of a command: what comes after it would not be in the contract.
    """
    argv = shlex.split(command)
    if len(argv) != 1:
        raise ValueError("name the command alone; its subcommands are read from its help")
    executable = identifier(os.path.basename(argv[0]), set(), "command")
    page = await _help(argv[0], executable, (), cwd)
    names = _subcommands(page)[:_MOST_SUBCOMMANDS]
    taken: set[str] = set()
    operations = []
    for name, about in names or [("", "")]:
        path = (name,) if name else ()
        own_page = await _help(argv[0], executable, path, cwd) if name else page
        operations.append(_operation(executable, path, about, own_page, taken))
    authorization = _authorization(
        argv[0], executable, [[name] if name else [] for name, _ in names or [("", "")]], cwd
    )
    return Draft(
        executable, "cli", f"the help of {executable}", operations, {"cli": {"authorizations": [authorization]}}
    )


def _authorization(target: str, executable: str, paths: list[list[str]], cwd: str) -> dict[str, Any]:
    return {
        "interfaceId": executable,
        "executable": executable,
        "target": target,
        "permittedSubcommandPaths": paths,
        "permittedEnvironmentKeys": [],
        "cwd": cwd,
        "artifacts": {},
        "maxElapsedMs": 20_000,
        "maxOutputBytes": 1_000_000,
    }


async def _help(target: str, executable: str, path: tuple[str, ...], cwd: str) -> str:
    authorization = _authorization(target, executable, [list(path)], os.path.abspath(cwd))
    policy: CommandPolicy = validated(CommandPolicy, {"authorizations": [authorization]})
    request = {
        "kind": "cli",
        "probeId": "help",
        "interfaceId": executable,
        "operationId": "help",
        "executable": executable,
        "subcommandPath": list(path),
        "channels": {"argument": {}, "option": {"help": True}, "environment": {}, "stdin": {"kind": "absent"}},
    }
    seen: Any = await CommandLineAdapter(policy).probe(request, AbortController().signal)
    told = [str(body.value) for body in (seen.stdout, seen.stderr) if getattr(body, "value", "")]
    return told[0] if told else ""


def _subcommands(page: str) -> list[tuple[str, str]]:
    """The names under a heading about commands, or in argparse's braces, with what is said of each."""
    found: dict[str, str] = {}
    listed = False
    for line in page.splitlines():
        if line and not line[0].isspace():
            listed = _HEADING.match(line) is not None
        braced = _BRACED.match(line)
        if braced:
            found.update(dict.fromkeys(braced[1].split(","), ""))
            listed = True
            continue
        match = _SUBCOMMAND.match(line) if listed else None
        if match and match[1] != "help":
            found[match[1]] = match[2] or ""
    return list(found.items())


def _operation(executable: str, path: tuple[str, ...], about: str, page: str, taken: set[str]) -> DraftOperation:
    options = _options(page)
    positionals = _positionals(page)
    channels = {
        "argument": keys_of({"properties": positionals, "required": list(positionals)}, {}),
        "option": keys_of({"properties": options, "required": []}, {}),
        "environment": KeyShape(),
        "stdin": KeyShape(),
    }
    name = path[-1] if path else executable
    return DraftOperation(
        identifier(name, taken),
        name,
        about,
        {"invocation": {"executable": executable, "subcommandPath": list(path)}},
        not seems_to_read(name),
        channels,
        None,
        next((channel for channel in ("argument", "option") if channels[channel].permitted), None),
    )


def _options(page: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for line in page.splitlines():
        match = _OPTION.match(line)
        if match and match[1] not in _IGNORED_OPTIONS:
            numeric = (match[2] or "").strip("<[]>").lower() in {"n", "num", "number", "int", "integer", "count"}
            kind = "boolean" if match[2] is None else "number" if numeric else "string"
            options[match[1]] = {"type": kind, "description": match[3]}
    return options


def _positionals(page: str) -> dict[str, Any]:
    """What stands under a heading about arguments, or else in the usage line without brackets.

    They are numbered, because the order of keys is the order of tokens.
    """
    lines = page.splitlines()
    usage = next((match[1] for line in lines if (match := _USAGE.search(line))), "")
    plain = re.sub(r"\[[^\]]*\]|--?\S+[ =]\S+", " ", usage)
    names = _under_heading(lines) or [first or second for first, second in _POSITIONAL.findall(plain)]
    kept = [name for name in names if name not in _IGNORED_WORDS]
    return {str(number): {"type": "string", "description": name} for number, name in enumerate(kept, 1)}


def _under_heading(lines: list[str]) -> list[str]:
    names: list[str] = []
    listed = False
    for line in lines:
        if line and not line[0].isspace():
            listed = _LISTED.match(line) is not None
        match = _LISTED_NAME.match(line) if listed else None
        if match is not None:
            names.append(match[1])
    return names

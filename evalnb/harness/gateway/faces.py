"""What an evaluator is given to reach the system with: one access file, commands for its PATH, tool servers to start.

{"apis": {"desk": "http://127.0.0.1:..."},
 "mcpServers": {"memory": {"command": "...", "args": [...]}},
 "commands": {"notes": {"report": "/.../bin/report"}},
 "principals": ["admin"], "observations": "/.../observations.jsonl"}
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evalnb.engine.artifacts import CommandOperation, EvalContract, McpOperation
from evalnb.engine.json_values import Json

Tools = Mapping[str, list[dict[str, Json]]]
"""By interface, the tools that its server describes, as they are listed to a client."""

_WRAPPER: Final = '''#!{python} -IS
"""Passes one command to the recording gateway, and answers as the command does."""
import base64, json, os, sys, urllib.error, urllib.request
call = {{"interface": {interface!r}, "executable": {executable!r}, "words": sys.argv[1:],
        "principal": os.environ.get("EVALNB_PRINCIPAL"),
        "environment": {{name: os.environ[name] for name in {names!r} if name in os.environ}},
        "stdin": "" if not {reads!r} or sys.stdin.isatty() else base64.b64encode(sys.stdin.buffer.read()).decode()}}
request = urllib.request.Request({address!r} + "/command", json.dumps(call).encode(), method="POST")
try:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({{}}))
    answer = json.load(opener.open(request))["answer"]
except urllib.error.HTTPError as error:
    sys.exit("refused: " + json.load(error)["refused"])
except OSError as error:
    sys.exit(f"the gateway does not answer: {{error}}")
for stream, body in ((sys.stdout, answer["stdout"]), (sys.stderr, answer["stderr"])):
    if body["kind"] != "absent":
        stream.write(body["value"] if body["kind"] == "text" else json.dumps(body["value"]) + "\\n")
sys.exit(answer["exitCode"] % 256)
'''


@dataclass(frozen=True, slots=True)
class Access:
    """Where an evaluator finds everything. `programs` go in front of its PATH."""

    file: Path
    programs: tuple[Path, ...]
    observations: Path


def give_access(folder: Path, contract: EvalContract, address: str, tools: Tools) -> Access:
    """Write the access file, the wrappers and the tool lists into `folder`; raises OSError."""
    # A folder an interface: two of them may declare the same executable.
    interfaces = contract.permitted_interfaces
    programs = {one.logical_id: folder / "bin" / one.logical_id for one in interfaces if one.kind == "cli"}
    access = Access(folder / "access.json", tuple(programs.values()), folder / "observations.jsonl")
    principals = sorted((contract.test_data.principals if contract.test_data else None) or {})
    apis: dict[str, str] = {}
    servers: dict[str, Any] = {}
    commands: dict[str, dict[str, str]] = {}
    for interface in interfaces:
        name = interface.logical_id
        if interface.kind == "api":
            apis[name] = f"{address}/api/{name}"
        elif interface.kind == "mcp":
            listed = folder / f"tools-{name}.json"
            permitted = {one.tool_name for one in interface.operations if isinstance(one, McpOperation)}
            listed.write_text(json.dumps([one for one in tools.get(name, []) if one["name"] in permitted]))
            servers |= {key: _server(address, name, listed, who) for key, who in _entries(name, principals)}
        elif interface.kind == "cli":
            operations = [one for one in interface.operations if isinstance(one, CommandOperation)]
            commands[name] = _wrappers(programs[name], address, name, operations)
    document = {
        "apis": apis,
        "mcpServers": servers,
        "commands": commands,
        "principals": principals,
        "observations": str(access.observations),
    }
    access.file.write_text(json.dumps(document, indent=1))
    return access


def _entries(name: str, principals: list[str]) -> list[tuple[str, str | None]]:
    return [(name, None), *((f"{name}@{who}", who) for who in principals)]


def _server(address: str, name: str, listed: Path, principal: str | None) -> dict[str, Any]:
    named = [] if principal is None else [principal]
    arguments = ["-m", "evalnb.harness.gateway.mcp_face", address, name, str(listed), *named]
    return {"command": sys.executable, "args": arguments}


def _wrappers(folder: Path, address: str, name: str, operations: list[CommandOperation]) -> dict[str, str]:
    """A wrapper an executable. An executable's identifier holds no path separator, so it stays in the folder."""
    folder.mkdir(parents=True)
    made: dict[str, str] = {}
    for executable in dict.fromkeys(one.invocation.executable for one in operations):
        shapes = [one.request_shape for one in operations if one.invocation.executable == executable]
        keys = [shape.environment for shape in shapes]
        names = sorted({key for shape in keys for key in (*shape.required_keys, *shape.permitted_keys)})
        # Many programs leave the standard input of what they start open; waiting for its end would wait for ever.
        reads = any(shape.stdin.required_keys or shape.stdin.permitted_keys for shape in shapes)
        path = folder / Path(executable).name
        path.write_text(
            _WRAPPER.format(
                python=sys.executable,
                interface=name,
                executable=executable,
                names=names,
                reads=reads,
                address=address,
            )
        )
        path.chmod(0o700)
        made[executable] = str(path)
    return made

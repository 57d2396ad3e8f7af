"""A command and a tool server in one script, for the adapters under the suite.

As a command: `tool.py argv WORDS`, `exit CODE`, `write FILE TEXT`, `sleep`, `flood`. As a server: `tool.py serve`.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def command(words: list[str]) -> int:
    match words:
        case ["argv", *rest]:
            print(json.dumps({"argv": rest}))
        case ["exit", code]:
            return int(code)
        case ["write", path, text]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        case ["sleep"]:
            time.sleep(60)
        case ["flood"]:
            print("x" * 100_000)
    return 0


def serve() -> None:
    for line in sys.stdin:
        frame = json.loads(line)
        if frame.get("method") == "initialize":
            opened = {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "serverInfo": {"name": "tool", "version": "1"},
            }
            say(frame["id"], {"result": opened})
        elif frame.get("method") == "tools/call":
            say(frame["id"], called(frame["params"]["name"], frame["params"]["arguments"]))


def called(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if tool == "refuse":
        return {"result": {"isError": True, "content": [], "structuredContent": {"why": "no"}}}
    if tool == "sleep":
        time.sleep(60)
    if tool == "flood":
        return {"result": {"content": [], "structuredContent": {"x": "x" * 100_000}}}
    return {"result": {"content": [], "structuredContent": {"said": arguments.get("say"), "total": 1}}}


def say(number: object, rest: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", "id": number, **rest}), flush=True)


if __name__ == "__main__":
    sys.exit(serve() if sys.argv[1:] == ["serve"] else command(sys.argv[1:]))

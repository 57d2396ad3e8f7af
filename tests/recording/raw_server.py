"""A tool server without an SDK that does what a well-behaved one never does, for the tests of what passes through.

`list_changed` comes before each answer to a call, `ask` puts a question of its own, `die` ends the process,
`garbage` writes a line that is no JSON, `more` asks to be called again, `hang` never answers, `fork` leaves a child behind,
`nan` answers with a number that is none, `deep` with five hundred levels, `batch` with a batch. Every line that is read
is told on standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

TOOLS = [
    {"name": name, "inputSchema": {"type": "object"}} for name in ("ask", "die", "garbage", "hang", "fork", "echo")
]
INFO = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": "raw", "version": "9", "extra": 1.50}, "unknownMember": [1, {"a": 1e3}]}  # fmt: skip


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def call(request: dict[str, Any]) -> None:
    name, number = request["params"]["name"], request["id"]
    if name == "die":
        os._exit(7)
    if name == "hang":
        return
    if name == "more" and "inputResponses" not in request["params"]:
        say(id=number, result={"resultType": "input_required", "inputRequests": {"q": {}}, "requestState": "s1"})
        return
    if name == "garbage":
        sys.stdout.write("not json at all\n")
    if name == "fork" and os.fork() == 0:
        os.setsid()
        time.sleep(600)
        os._exit(0)
    if name == "ask":
        say(id="server-1", method="elicitation/create", params={"message": "Which?", "requestedSchema": {}})
        answer = json.loads(sys.stdin.readline())
        say(id=number, result=text(json.dumps(answer["result"])))
        return
    if name == "nan":
        say(id=number, result={**text("it is nan"), "structuredContent": {"mean": float("nan")}})
        return
    if name == "deep":
        deep = "[" * 500 + "]" * 500
        print(
            f'{{"jsonrpc": "2.0", "id": {number}, "result": {{"content": [], "structuredContent": {{"a": {deep}}}}}}}'
        )
        sys.stdout.flush()
        return
    if name == "batch":
        listed = {"jsonrpc": "2.0", "id": "listed", "result": {"tools": TOOLS}}
        answer = {"jsonrpc": "2.0", "id": number, "result": text("in a batch")}
        print(json.dumps([listed, answer]), flush=True)
        return
    say(method="notifications/tools/list_changed")
    say(id=number, result=text(json.dumps(request["params"].get("arguments"))))


def main() -> None:
    print("raw server is up", file=sys.stderr, flush=True)
    for line in sys.stdin:
        print(f"read {line.strip()}", file=sys.stderr, flush=True)
        try:
            request = json.loads(line)
        except ValueError:
            continue
        method = request.get("method")
        if method == "initialize":
            say(id=request["id"], result=INFO)
        elif method == "tools/list":
            say(id=request["id"], result={"tools": TOOLS})
        elif method == "tools/call":
            call(request)
        elif "id" in request and method is not None:
            say(id=request["id"], result={"heard": request})


if __name__ == "__main__":
    main()

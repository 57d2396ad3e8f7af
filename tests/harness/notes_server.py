"""A tool server that keeps notes in memory; `MODE` in its environment plants a fault. Bare JSON-RPC over stdio."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

MODE = os.environ.get("MODE", "")
NOTES: list[dict[str, Any]] = []
RESETS = 0


def answer(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    global RESETS
    if MODE.endswith("-early"):
        misbehave()
    if tool == "reset":
        if arguments.get("confirm") not in ("yes", "please"):
            return failed("confirm must be yes")
        RESETS += 1
        NOTES.clear()
        return {"ok": True, "count": 0, "said": arguments["confirm"]}
    if tool == "add_note":
        text = arguments.get("text")
        if not isinstance(text, str):
            return failed("text must be a string")
        note = {"id": f"n{len(NOTES) + 1}", "text": text}
        if MODE != "lossy":
            NOTES.append(note)
        return {"ok": True, "id": note["id"], "length": len(text)}
    prefix = arguments.get("prefix")
    if not isinstance(prefix, str):
        return failed("prefix must be a string")
    misbehave()
    found = [note for note in NOTES if note["text"].startswith(prefix)]
    if MODE == "flaky" and RESETS % 3 == 0:
        found = []
    if MODE == "large":
        found = [*found, *({"id": f"x{number}", "text": "x" * 90} for number in range(900))]
    return {"ok": True, "notes": found, "total": len(found)}


def failed(why: str) -> dict[str, Any]:
    return {"ok": False, "error": why}


def takes_text(key: str) -> dict[str, Any]:
    return {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]}


def misbehave() -> None:
    how = MODE.removesuffix("-early")
    if how == "dies":
        os._exit(3)
    if how == "hangs":
        time.sleep(600)
    if how == "floods":
        while True:
            os.write(1, b"x" * 65536)
    if how == "garbage":
        os.write(1, b"this is no frame\n")
        time.sleep(600)


def main() -> None:
    for line in sys.stdin:
        frame = json.loads(line)
        if frame.get("method") == "initialize":
            result: Any = {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "serverInfo": {"name": "notes", "version": "1"},
            }
        elif frame.get("method") == "tools/list":
            takes = {"reset": "confirm", "add_note": "text", "list_notes": "prefix"}
            result = {"tools": [{"name": tool, "inputSchema": takes_text(key)} for tool, key in takes.items()]}
        elif frame.get("method") == "tools/call":
            said = answer(frame["params"]["name"], frame["params"]["arguments"])
            result = {"content": [], "structuredContent": said, "isError": not said["ok"]}
        else:
            continue
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": frame["id"], "result": result}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

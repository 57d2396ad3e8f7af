"""A tool server that does what its argument says, step by step, and notes the frames it was sent.

Steps: ["open"] shakes hands and reads the call, ["read"] waits for a line, ["say", text] writes one, ["write", text] writes without a newline, ["bytes", hex],
["err", text] writes to stderr, ["sleep", seconds], ["exit", code], ["signal", number], ["close"] closes stdout.
"""

from __future__ import annotations

import json
import os
import sys
import time

OPENED = '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'

ECHO = (
    '[["open"],["say","{\\"jsonrpc\\":\\"2.0\\",\\"id\\":2,\\"result\\":{\\"structuredContent\\":{\\"ok\\":true}}}"]]'
)
"""Opens the session and answers one call."""


def main(steps: list[list[object]], log: str | None) -> None:
    for step in steps:
        kind, value = step[0], step[1] if len(step) > 1 else None
        if kind == "open":
            run("read", None, log)
            run("say", OPENED, log)
            run("read", None, log)
            run("read", None, log)
        else:
            run(str(kind), value, log)


def run(kind: str, value: object, log: str | None) -> None:
    if kind == "read":
        line = sys.stdin.readline()
        if log:
            with open(log, "a", encoding="utf-8") as file:
                file.write(line)
    elif kind == "say":
        os.write(1, f"{value}\n".encode())
    elif kind == "write":
        os.write(1, str(value).encode())
    elif kind == "bytes":
        os.write(1, bytes.fromhex(str(value)))
    elif kind == "err":
        os.write(2, str(value).encode())
    elif kind == "sleep":
        time.sleep(float(str(value)))
    elif kind == "exit":
        os._exit(int(str(value)))
    elif kind == "signal":
        os.kill(os.getpid(), int(str(value)))
    elif kind == "close":
        os.close(1)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)

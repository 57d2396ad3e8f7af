"""An agent's program without an SDK: it writes lines to a recorder and reads lines from it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.recording.agents import EVALNB

RAW_SERVER = (sys.executable, str(Path(__file__).with_name("raw_server.py")))
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "raw", "version": "1"},
}


class RawAgent:
    """One session with a recorder; leaving it closes the recorder's input and waits for its end."""

    def __init__(self, out: Path, *options: str, server: tuple[str, ...] = RAW_SERVER, **launch: Any) -> None:
        command = [sys.executable, *EVALNB, "record", "--out", str(out), *options, "--", *server]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, text=True, **pipes, **launch)
        self.errors = ""

    def __enter__(self) -> RawAgent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.process.kill()
        _, self.errors = self.process.communicate(timeout=20)

    def write(self, line: str) -> None:
        """One line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def say(self, **message: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}))

    def read(self) -> str:
        """One line as it is; empty at the end."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def hear(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.read())
        return message

    def greet(self) -> str:
        """Shake hands; the server's answer as it came."""
        self.say(id=0, method="initialize", params=HELLO)
        answer = self.read()
        self.say(method="notifications/initialized")
        return answer

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        self.say(id=number, method="tools/call", params={"name": tool, "arguments": arguments})

"""The published tool servers that the packaged contracts are for, where they are installed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalnb.corpus import example_targets
from evalnb.corpus.measuring.git_repository import make_repository
from tests.installed import require, search_path

COMMANDS = {
    "time-server": "mcp-server-time",
    "memory-server": "mcp-server-memory",
    "git-server": "mcp-server-git",
    "everything-server": "mcp-server-everything",
}


@dataclass(frozen=True, slots=True)
class Fixture:
    """A server that is ready to be probed: where it runs, and with which environment."""

    folder: Path
    environment: dict[str, str]

    def targets(self, document: dict[str, Any]) -> dict[str, Any]:
        """The targets of `document`, in this fixture's folder and environment."""
        placed: dict[str, Any] = json.loads(json.dumps(document))
        for authorization in placed["mcp"]["authorizations"]:
            authorization["cwd"] = str(self.folder)
            authorization["serverEnvironment"].update(self.environment)
        return placed

    def example_targets(self, name: str) -> dict[str, Any]:
        """The packaged targets of an example, in this fixture."""
        return self.targets(json.loads(example_targets(name).read_text(encoding="utf-8")))


def fixture(name: str, folder: Path) -> Fixture:
    """What the example's test data asks for, in an empty folder; skips where the server is not installed."""
    require(COMMANDS[name])
    environment = {"PATH": search_path()}
    if name == "memory-server":
        environment["MEMORY_FILE_PATH"] = str(folder / "memory.jsonl")
    if name == "git-server":
        make_repository(folder)
    return Fixture(folder, environment)

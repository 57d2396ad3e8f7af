"""The targets file: the three target policies, with their connections, in one JSON or YAML file.

`api`, `cli` and `mcp` each hold the published `authorizations`; what stands beside them is our own addition. Secrets
are named by environment variable, never held.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final

from evalnb.adapters.command_policy import CommandPolicy
from evalnb.adapters.http_policy import HttpPolicy
from evalnb.adapters.mcp_policy import McpPolicy
from evalnb.adapters.policies.parsing import (
    parse_command_target_policy,
    parse_mcp_target_policy,
    parse_probe_target_policy,
    plain_copy,
)
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.artifacts.model import Omittable, StrictObject
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.faults import RuntimeFault
from evalnb.written_files import read_written

ARTIFACT_PATH: Final = "TargetsFile"
PURPOSE: Final = "the target policies: what a live run may reach"


class TargetsFile(StrictObject):
    """Everything a live run may reach; a kind of interface that is left out is authorized nothing."""

    api: Annotated[HttpPolicy | None, Omittable()] = None
    cli: Annotated[CommandPolicy | None, Omittable()] = None
    mcp: Annotated[McpPolicy | None, Omittable()] = None

    @property
    def http_policy(self) -> HttpPolicy:
        """The HTTP targets, none where the file names none."""
        return self.api or HttpPolicy(authorizations=())

    @property
    def command_policy(self) -> CommandPolicy:
        """The commands, none where the file names none."""
        return self.cli or CommandPolicy(authorizations=())

    @property
    def mcp_policy(self) -> McpPolicy:
        """The tool servers, none where the file names none."""
        return self.mcp or McpPolicy(authorizations=())


# A section's authorizations are refused exactly as the parser of that policy refuses them.
_SECTIONS: Final[Mapping[str, Callable[[object], object]]] = {
    "api": parse_probe_target_policy,
    "cli": parse_command_target_policy,
    "mcp": parse_mcp_target_policy,
}


def read_targets(path: Path) -> TargetsFile:
    """The targets file at `path`: JSON when its name ends in `.json`, YAML otherwise.

    Raises `FileProblem` for a file that cannot be read, RuntimeFault `schema-parse-failure` for any other content.
    """
    return parse_targets(read_written(path, PURPOSE, ARTIFACT_PATH))


def parse_targets(raw: object) -> TargetsFile:
    """The targets that `raw` is; RuntimeFault `schema-parse-failure` with every issue otherwise."""
    try:
        plain = plain_copy(raw)
    except RecursionError as error:
        raise RuntimeFault("schema-parse-failure", ARTIFACT_PATH, "the input could not be read", error) from error
    for section, parse in _SECTIONS.items():
        value = plain.get(section) if isinstance(plain, dict) else None
        if isinstance(value, dict) and "authorizations" in value:
            parse({"authorizations": value["authorizations"]})
    try:
        targets: TargetsFile = validated(TargetsFile, plain)
    except ShapeError as error:
        detail = f"input does not conform to the {ARTIFACT_PATH} schema: {error}"
        raise RuntimeFault("schema-parse-failure", ARTIFACT_PATH, detail, error) from error
    return targets

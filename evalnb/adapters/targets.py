"""The targets file: the three target policies, with their connections, in one JSON or YAML file.

`api`, `cli` and `mcp` each hold the published `authorizations`; what stands beside them is our own addition. Secrets
are named by environment variable, never held.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

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
from evalnb.engine.canonical import scan_json
from evalnb.engine.faults import RuntimeFault
from evalnb.files import read_file

ARTIFACT_PATH: Final = "TargetsFile"


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
    data = read_file(path, "the target policies: what a live run may reach")
    return parse_targets(scan_json(data, ARTIFACT_PATH) if path.suffix == ".json" else _load_yaml(data))


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


def _load_yaml(data: bytes) -> object:
    import yaml

    class PlainLoader(yaml.SafeLoader):
        """Safe types only, no aliases (a few of them can stand for gigabytes), no key twice."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.events.AliasEvent):
                raise yaml.YAMLError("aliases are not read; write the value out")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            mapping = super().construct_mapping(node, deep=True)
            if len(mapping) != len(node.value):
                raise yaml.YAMLError(f"a key is written twice in the mapping at line {node.start_mark.line + 1}")
            return mapping

    try:
        return yaml.load(data, Loader=PlainLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        detail = f"the file is not plain YAML: {error}"
        raise RuntimeFault("schema-parse-failure", ARTIFACT_PATH, detail, error) from error

"""Files that a person writes by hand, JSON or YAML: read safely, and refused with the reason."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

from evalnb.engine.canonical import scan_json
from evalnb.engine.faults import RuntimeFault
from evalnb.files import read_file


def read_written(path: Path, purpose: str, artifact_path: str, *, aliases: bool = False) -> Any:
    """The value in `path`: strict JSON when its name ends in `.json`, YAML of safe types otherwise.

    `aliases` lets YAML refer back to values, as generated documents do. Raises `FileProblem`, naming `purpose`, for a
    file that cannot be read, and RuntimeFault at `artifact_path` (`schema-parse-failure`,
    `non-canonicalizable-value`) for text that is neither.
    """
    data = read_file(path, purpose)
    return (
        scan_json(data, artifact_path) if path.suffix == ".json" else parse_yaml(data, artifact_path, aliases=aliases)
    )


def parse_yaml(data: bytes | str, artifact_path: str, *, aliases: bool = False) -> Any:
    """YAML of safe types only, without a key written twice, and without aliases unless they are asked for.

    Raises RuntimeFault `schema-parse-failure` at `artifact_path`.
    """
    import yaml

    class PlainLoader(yaml.SafeLoader):
        """Aliases are not read: a few of them can stand for gigabytes."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if not aliases and self.check_event(yaml.events.AliasEvent):
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
        raise RuntimeFault("schema-parse-failure", artifact_path, detail, error) from error

"""Which tools of the server the agent sees, and under which names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalnb.trajectory.events import ToolDescription


class SurfaceProblem(ValueError):
    """The hidden and renamed tools cannot stand together."""


@dataclass(frozen=True, slots=True)
class ToolSurface:
    """`hidden` are names of the server's tools; `offered` maps the server's name of a tool to the agent's."""

    hidden: frozenset[str] = frozenset()
    offered: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """Every tool of the server that is hidden or renamed, by the server's name."""
        return self.hidden | frozenset(self.offered)

    def server_name(self, name: str) -> str | None:
        """The server's name of the tool that the agent calls `name`; None for one that the agent cannot see."""
        for inner, outer in self.offered.items():
            if outer == name:
                return None if inner in self.hidden else inner
        return None if name in self.hidden or name in self.offered else name

    def page(self, tools: Iterable[Any]) -> list[Any]:
        """One page of the server's tools as the agent sees it."""
        shown = []
        for tool in tools:
            name = tool.get("name") if isinstance(tool, dict) else None
            if isinstance(name, str) and name in self.hidden:
                continue
            renamed = self.offered.get(name) if isinstance(name, str) else None
            shown.append(tool if renamed is None else {**tool, "name": renamed})
        return shown


def tool_surface(hide: Iterable[str], rename: Iterable[str]) -> ToolSurface:
    """The surface of `--hide TOOL` and `--rename SERVER_NAME=AGENT_NAME`; `SurfaceProblem` for what cannot be."""
    offered: dict[str, str] = {}
    for pair in rename:
        inner, equals, outer = pair.partition("=")
        if not equals or not inner or not outer:
            raise SurfaceProblem(f"--rename {pair}: write the server's name, =, and the name the agent sees")
        if inner in offered or outer in offered.values():
            raise SurfaceProblem(f"--rename {pair}: one of the two names is given twice")
        offered[inner] = outer
    return ToolSurface(frozenset(hide), offered)


def described(tools: Iterable[Any], server_version: str | None) -> tuple[ToolDescription, ...]:
    """A page of tools as the trajectory holds it; a tool without a version has the server's."""
    return tuple(
        ToolDescription(
            tool["name"],
            _text(tool.get("description")),
            tool.get("inputSchema"),
            tool.get("outputSchema"),
            _text(tool.get("version")) or server_version,
        )
        for tool in tools
        if isinstance(tool, dict) and isinstance(tool.get("name"), str)
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None

"""Which formats are read, and how a file's first document tells its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

from evalnb.engine.json_values import Json
from evalnb.trajectory.documents import Document
from evalnb.trajectory.events import Trajectory
from evalnb.trajectory.importers.reading import Reading

Importer: TypeAlias = Callable[[Iterator[Document], Reading], Iterator[Trajectory]]


@dataclass(frozen=True, slots=True)
class Format:
    """One trace format.

    `module` holds `import_documents`; `fits` looks at the first document of a file.
    """

    name: str
    title: str
    module: str
    fits: Callable[[Json], bool]

    def importer(self) -> Importer:
        found: Importer = import_module(f"evalnb.trajectory.importers.{self.module}").import_documents
        return found


def _has(value: Json, *keys: str) -> bool:
    return isinstance(value, dict) and all(key in value for key in keys)


def _messages(value: Json) -> list[Json]:
    """The first messages of a chat, however it is wrapped."""
    if isinstance(value, list):
        return value[:50]
    if isinstance(value, dict):
        if "role" in value:
            return [value]
        for key in ("messages", "traj"):
            held = value.get(key)
            if isinstance(held, list):
                return held[:50]
    return []


def _is_chat(value: Json) -> bool:
    messages = _messages(value)
    return bool(messages) and all(_has(message, "role") for message in messages[:1])


_BLOCKS = ("tool_use", "tool_result", "thinking", "server_tool_use", "redacted_thinking")


def _is_block_chat(value: Json) -> bool:
    if isinstance(value, dict) and "messages" in value and isinstance(value.get("system"), str | list):
        return _is_chat(value)
    return any(
        isinstance(block, dict) and block.get("type") in _BLOCKS
        for message in _messages(value)
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        for block in message["content"]
    )


def _is_rpc(value: Json) -> bool:
    if isinstance(value, list):
        return bool(value) and _is_rpc(value[0])
    return _has(value, "jsonrpc") or (isinstance(value, dict) and _has(value.get("message"), "jsonrpc"))


def _is_own(value: Json) -> bool:
    return _has(value, "type", "schema") and str(value["schema"]).startswith("evalnb-trajectory/")  # type: ignore[index,call-overload]


def _is_tau(value: Json) -> bool:
    return _has(value, "traj", "task_id")


def _is_inspect(value: Json) -> bool:
    return _has(value, "version", "status", "eval")


def _is_otlp(value: Json) -> bool:
    return _has(value, "resourceSpans") or _has(value, "resource_spans")


# In order: the first that fits reads the file.
FORMATS: tuple[Format, ...] = (
    Format("evalnb", "evalnb trajectory lines", "own_lines", _is_own),
    Format("tau-bench", "tau-bench runs", "tau_bench", _is_tau),
    Format("inspect", "inspect_ai log", "inspect_log", _is_inspect),
    Format("otlp", "OpenTelemetry spans (OTLP JSON)", "otlp_spans", _is_otlp),
    Format("mcp", "MCP JSON-RPC transcript", "mcp_transcript", _is_rpc),
    Format("anthropic", "chat of content blocks", "content_blocks", _is_block_chat),
    Format("openai", "chat messages", "chat_messages", _is_chat),
)


def format_named(name: str) -> Format | None:
    """The format of that name, or None."""
    return next((one for one in FORMATS if one.name == name), None)


def detect(value: Json) -> Format | None:
    """The format whose first document looks like `value`, or None."""
    return next((one for one in FORMATS if one.fits(value)), None)

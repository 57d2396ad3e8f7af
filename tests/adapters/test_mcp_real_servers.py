"""The MCP adapter against published servers, and what it costs beside a bare client of the SDK."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evalnb.adapters.mcp import McpAdapter, ToolCallReport
from evalnb.adapters.mcp_servers import describe
from evalnb.adapters.mcp_wire import ServerLaunch
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController
from tests.adapters.targets import HOST_PATH, mcp_policy, mcp_request
from tests.installed import require

LEGS = 20
ALLOWED_RATIO = 1.5

Call = tuple[str, dict[str, Any]]


def calls(
    command: tuple[str, ...], made: list[Call], connection: dict[str, Any] | None = None, **policy: Any
) -> tuple[list[Any], list[ToolCallReport]]:
    """The observed results of several calls, an error's as `("error", result)`, and the reports about them."""

    async def make() -> tuple[list[Any], list[ToolCallReport]]:
        reports: list[ToolCallReport] = []
        allowed = mcp_policy(
            command, connection, tools=sorted({tool for tool, _ in made}), maxElapsedMs=60_000, **policy
        )
        results = []
        async with McpAdapter(allowed, on_call=reports.append) as adapter:
            for tool, arguments in made:
                observed: Any = await adapter.probe(mcp_request(arguments, tool), AbortController().signal)
                value = getattr(observed.result, "value", None)
                results.append(("error", value) if observed.is_error else value)
        return results, reports

    return asyncio.run(make())


def tools_of(*command: str) -> dict[str, Any]:
    listing = asyncio.run(describe(ServerLaunch(command, {"PATH": HOST_PATH}, "/", 60_000, 10_000_000)))
    assert listing.server_name
    return {tool.name: tool for tool in listing.tools}


def test_the_time_server_answers_in_text_that_is_json() -> None:
    server = (require("mcp-server-time"), "--local-timezone", "UTC")
    made: list[Call] = [("get_current_time", {"timezone": zone}) for zone in ("UTC", "Asia/Tokyo", "Mars")]
    (utc, tokyo, (kind, mars)), reports = calls(server, made, {"result": "text-json"})
    assert (utc["timezone"], tokyo["timezone"]) == ("UTC", "Asia/Tokyo")
    assert utc["datetime"] != tokyo["datetime"]
    assert (kind, "Mars" in mars["text"]) == ("error", True)
    assert [report.reading for report in reports] == ["text-json", "text-json", "text"]
    assert {"get_current_time", "convert_time"} <= tools_of(*server).keys()


def test_the_git_server_shows_what_was_committed(tmp_path: Path) -> None:
    for arguments in (["init", "-q"], ["config", "user.email", "a@example.org"], ["config", "user.name", "a"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    (tmp_path / "note.txt").write_text("hello")
    repository = {"repo_path": str(tmp_path)}
    made: list[Call] = [
        ("git_add", {**repository, "files": ["note.txt"]}),
        ("git_commit", {**repository, "message": "first of all"}),
        ("git_log", {**repository, "max_count": 1}),
    ]
    environment = {"HOME": str(tmp_path)}
    results, _ = calls((require("mcp-server-git"),), made, {"result": "text"}, serverEnvironment=environment)
    assert "first of all" in results[2]["text"]


def test_the_everything_server_shows_every_kind_of_result() -> None:
    server = (require("mcp-server-everything"), "stdio")
    names = tools_of(*server)
    assert names["get-structured-content"].output_schema is not None
    made: list[Call] = [
        ("get-structured-content", {"location": "New York"}),
        ("get-tiny-image", {}),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}),
        ("get-resource-links", {"count": 2}),
        ("echo", {}),
    ]
    (structured, *others, (kind, _)), reports = calls(server, made, {"session": "per-run"})
    assert set(structured) == {"temperature", "conditions", "humidity"}
    assert others == [None, None, None]
    assert kind == "error"
    assert reports[0].output_schema == "conforms"
    assert "image" in reports[1].content_kinds
    assert "image" in reports[2].content_kinds
    assert "resource_link" in reports[3].content_kinds


@pytest.mark.parametrize("session", ["per-call", "per-run"])
def test_the_memory_server_reads_back_what_was_written(session: str, tmp_path: Path) -> None:
    entity = {"name": "ada", "entityType": "person", "observations": ["wrote the first program"]}
    made: list[Call] = [("create_entities", {"entities": [entity]}), ("read_graph", {})]
    environment = {"MEMORY_FILE_PATH": str(tmp_path / "memory.json")}
    server = (require("mcp-server-memory"),)
    results, reports = calls(server, made, {"session": session}, serverEnvironment=environment)
    assert results[1] == {"entities": [entity], "relations": []}
    assert [report.output_schema for report in reports] == ["conforms", "conforms"]


def test_a_session_a_leg_costs_little_more_than_a_bare_client() -> None:
    server = require("mcp-server-everything")
    tool, arguments = "get-structured-content", {"location": "New York"}

    async def both() -> float:
        adapter = McpAdapter(mcp_policy((server, "stdio"), tools=[tool], maxElapsedMs=60_000))
        ours = bare = 0.0
        # Turn by turn, so that whatever else the machine does weighs on both.
        for _ in range(LEGS):
            began = time.perf_counter()
            await adapter.probe(mcp_request(arguments, tool), AbortController().signal)
            ours += time.perf_counter() - began
            began = time.perf_counter()
            await _bare_call(server, tool, arguments)
            bare += time.perf_counter() - began
        return ours / bare

    ratio = asyncio.run(both())
    print(f"{LEGS} legs cost {ratio:.2f} times what a bare client spends")
    assert ratio <= ALLOWED_RATIO


async def _bare_call(server: str, tool: str, arguments: dict[str, Any]) -> None:
    from mcp import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(command=server, args=["stdio"], env={"PATH": HOST_PATH}, cwd="/")
    with open("/dev/null", "w", encoding="utf-8") as nothing:
        async with stdio_client(parameters, errlog=nothing) as streams, ClientSession(*streams) as session:
            await session.initialize()
            await session.call_tool(tool, arguments)


def test_the_sdk_is_loaded_with_the_first_call_and_not_before() -> None:
    script = (
        "import sys, evalnb, evalnb.adapters.mcp, evalnb.adapters.command;"
        "print([name for name in ('mcp', 'httpx2', 'anyio') if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def test_an_uninstalled_server_is_a_port_failure() -> None:
    with pytest.raises(RuntimeFault) as caught:
        calls(("no-such-mcp-server",), [("echo", {})])
    assert caught.value.code == "port-failure"

"""Asking a server for its tools: every page, again when the list changes, never without end."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from evalnb.adapters.mcp_discovery import ServerListing
from evalnb.adapters.mcp_servers import describe
from evalnb.adapters.mcp_wire import ServerLaunch
from evalnb.engine.faults import RuntimeFault
from tests.adapters.servers import program

INFO = {
    "protocolVersion": "2025-03-26",
    "capabilities": {"tools": {"listChanged": True}},
    "serverInfo": {"name": "shop", "version": "2"},
    "instructions": "be kind",
}
SHAKEN = [["read"], ["say", json.dumps({"id": 1, "jsonrpc": "2.0", "result": INFO})], ["read"], ["read"]]


def page(request_id: int, *names: str, **more: Any) -> list[Any]:
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    return ["say", json.dumps({"jsonrpc": "2.0", "id": request_id, "result": {"tools": tools, **more}})]


CHANGED = ["say", '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}']


def described(steps: list[Any], max_elapsed_ms: int = 5000, max_output_bytes: int = 1_000_000) -> ServerListing:
    argv = program("scripted", json.dumps([*SHAKEN, *steps]))
    return asyncio.run(describe(ServerLaunch(argv, {}, "/", max_elapsed_ms, max_output_bytes)))


def names(listing: ServerListing) -> list[str]:
    return [tool.name for tool in listing.tools]


def test_a_server_says_who_it_is() -> None:
    listing = described([page(2, "a")])
    assert (listing.server_name, listing.server_version) == ("shop", "2")
    assert (listing.protocol_version, listing.instructions) == ("2025-03-26", "be kind")


def test_a_tool_is_described_in_the_server_s_words() -> None:
    tool = {
        "name": "add",
        "title": "Add",
        "description": "Adds.",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
    }
    (only,) = described([["say", json.dumps({"id": 2, "result": {"tools": [tool]}})]]).tools
    assert (only.title, only.description, only.annotations) == ("Add", "Adds.", {"readOnlyHint": True})
    assert only.input_schema == only.output_schema == {"type": "object"}


def test_every_page_is_read() -> None:
    steps = [page(2, "a", "b", nextCursor="p2"), ["read"], page(3, "c", nextCursor="p3"), ["read"], page(4, "d")]
    assert names(described(steps)) == ["a", "b", "c", "d"]


def test_a_list_that_changes_meanwhile_is_read_again() -> None:
    steps = [
        page(2, "a", nextCursor="p2"),
        ["read"],
        CHANGED,
        ["sleep", 0.05],
        page(3, "b"),
        ["read"],
        page(4, "a", "c"),
    ]
    assert names(described(steps)) == ["a", "c"]


def test_a_list_that_always_changes_comes_to_an_end() -> None:
    steps: list[Any] = []
    for number in range(2, 5):
        steps += [CHANGED, ["sleep", 0.05], page(number, f"t{number}"), ["read"]]
    assert names(described(steps)) == ["t4"]


@pytest.mark.parametrize(
    "answer",
    [
        {"id": 2, "error": {"code": -32601, "message": "no tools here"}},
        {"id": 2, "result": {}},
        {"id": 2, "result": {"tools": [{"inputSchema": {}}]}},
        {"id": 2, "result": {"tools": ["echo"]}},
    ],
)
def test_a_list_of_another_form_is_a_port_failure(answer: Any) -> None:
    with pytest.raises(RuntimeFault) as caught:
        described([["say", json.dumps(answer)], ["sleep", 30]])
    assert (caught.value.code, caught.value.artifact_path) == ("port-failure", "ProbeObservation")


def test_a_page_that_names_itself_is_refused() -> None:
    with pytest.raises(RuntimeFault, match="same page"):
        described([page(2, "a", nextCursor="x"), ["read"], page(3, "a", nextCursor="x"), ["sleep", 30]])


@pytest.mark.parametrize(
    ("steps", "bounds", "code"),
    [
        ([["sleep", 30]], {"max_elapsed_ms": 300}, "budget-exhausted"),
        ([page(2, "x" * 5000), ["sleep", 30]], {"max_output_bytes": 2000}, "budget-exhausted"),
        ([["exit", 3]], {}, "port-failure"),
    ],
)
def test_discovery_has_the_bounds_of_a_call(steps: list[Any], bounds: dict[str, int], code: str) -> None:
    with pytest.raises(RuntimeFault) as caught:
        described(steps, **bounds)
    assert caught.value.code == code


def test_a_server_that_does_not_start_is_a_port_failure() -> None:
    with pytest.raises(RuntimeFault) as caught:
        asyncio.run(describe(ServerLaunch(("no-such-server",), {}, "/", 1000, 1000)))
    assert caught.value.code == "port-failure"

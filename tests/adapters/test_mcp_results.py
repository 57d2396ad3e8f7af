"""What a tool's answer is read from, and what a reader of the observation is told about it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evalnb.adapters.mcp import McpAdapter, ToolCallReport
from evalnb.adapters.mcp_results import checked_against, read_answer
from tests.adapters.servers import program
from tests.adapters.targets import mcp_policy, mcp_request, observe

TEXT = {"type": "text", "text": '{"a":1}'}
PROSE = {"type": "text", "text": "prose"}
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
LINK = {"type": "resource_link", "uri": "file:///x", "name": "x"}
RESOURCE = {"type": "resource", "resource": {"uri": "x:y", "blob": "AAEC"}}
JSON_A = {"kind": "json", "value": {"a": 1}}
ABSENT = {"kind": "absent"}


def text(value: str) -> dict[str, Any]:
    return {"kind": "json", "value": {"text": value}}


@pytest.mark.parametrize(
    ("reading", "content", "is_error", "body", "read_from"),
    [
        ("structured", [TEXT], False, ABSENT, "structured"),
        ("structured", [IMAGE], False, ABSENT, "structured"),
        ("text-json", [TEXT], False, JSON_A, "text-json"),
        ("text-json", [PROSE], False, ABSENT, "text-json"),
        ("text-json", [PROSE], True, text("prose"), "text"),
        ("text-json", [TEXT, TEXT], False, ABSENT, "text-json"),
        ("text-json", [TEXT, IMAGE], False, ABSENT, "text-json"),
        ("text-json", [], False, ABSENT, "text-json"),
        ("text-json", [{"type": "text", "text": '{"a":1,"a":2}'}], False, ABSENT, "text-json"),
        ("text-json", [{"type": "text", "text": "NaN"}], False, ABSENT, "text-json"),
        ("text-json", [IMAGE], True, ABSENT, "text-json"),
        ("text", [TEXT], False, text('{"a":1}'), "text"),
        ("text", [PROSE, IMAGE, TEXT], False, text('prose\n{"a":1}'), "text"),
        ("text", [IMAGE, LINK, RESOURCE], False, ABSENT, "text"),
        ("text", "not a list", False, ABSENT, "text"),
        ("text", [{"type": "text", "text": 7}, 5, {"no": "type"}], False, ABSENT, "text"),
        ("text", [{"type": "text", "text": ""}], False, text(""), "text"),
    ],
)
def test_the_body_comes_from_where_the_policy_says(
    reading: Any, content: Any, is_error: bool, body: Any, read_from: str
) -> None:
    answer = read_answer({"result": {"content": content, "isError": is_error}}, reading)
    assert (answer.is_error, answer.body, answer.reading) == (is_error, body, read_from)
    # Whatever is not all of the answer says so.
    complete = body != ABSENT and read_from == reading and content in ([TEXT], [{"type": "text", "text": ""}])
    assert (answer.note is None) == complete


def test_structured_content_wins_over_prose_and_is_left_aside_where_text_is_read() -> None:
    frame = {"result": {"content": [PROSE], "structuredContent": [1]}}
    assert read_answer(frame, "structured").body == {"kind": "json", "value": [1]}
    assert read_answer(frame, "text").body == text("prose")


def test_every_kind_of_block_is_told() -> None:
    answer = read_answer({"result": {"content": [PROSE, IMAGE, LINK, RESOURCE, 5]}}, "text")
    assert answer.content_kinds == ("text", "image", "resource_link", "resource", "untyped")
    assert answer.note == "blocks left out: image, resource_link, resource, untyped"


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("result", "schema", "check"),
    [
        ({"structuredContent": {"a": 1}}, SCHEMA, "conforms"),
        ({"structuredContent": {"a": "x"}}, SCHEMA, "violated"),
        ({"structuredContent": {}}, SCHEMA, "violated"),
        ({"content": [TEXT]}, SCHEMA, "violated"),
        ({"structuredContent": {"a": "x"}, "isError": True}, SCHEMA, "not-checked"),
        ({"structuredContent": {"a": 1}}, None, "not-published"),
        ({"structuredContent": {"a": 1}}, {"type": 7}, "violated"),
        ({"structuredContent": {"a": 1}}, {"$ref": "http://127.0.0.1:1/schema"}, "violated"),
    ],
)
def test_the_output_schema_of_a_tool_is_compared(result: Any, schema: Any, check: str) -> None:
    answer = checked_against(read_answer({"result": result}, "structured"), schema)
    assert answer.output_schema == check
    assert bool(answer.schema_issues) == (check == "violated")
    assert answer.body == read_answer({"result": result}, "structured").body


def test_issues_are_few_and_short() -> None:
    long = {"structuredContent": {str(n): "x" * 10_000 for n in range(50)}}
    schema = {"additionalProperties": {"type": "integer"}}
    answer = checked_against(read_answer({"result": long}, "structured"), schema)
    assert len(answer.schema_issues) == 10
    assert all(len(issue) < 400 for issue in answer.schema_issues)


def listing(tools: list[dict[str, Any]], request_id: int = 3, **more: Any) -> list[Any]:
    return ["say", json.dumps({"id": request_id, "result": {"tools": tools, **more}})]


def reports_of(steps: list[list[Any]], connection: dict[str, Any] | None = None) -> list[ToolCallReport]:
    reports: list[ToolCallReport] = []
    command = program("scripted", json.dumps(steps))
    observe(McpAdapter(mcp_policy(command, connection), on_call=reports.append), mcp_request())
    return reports


ANSWER = ["say", json.dumps({"id": 2, "result": {"structuredContent": {"a": "x"}, "content": [PROSE]}})]
ECHO_TOOL = {"name": "echo", "inputSchema": {}, "outputSchema": SCHEMA}


def test_a_mismatch_is_reported_and_observed_all_the_same() -> None:
    (report,) = reports_of([["open"], ANSWER, ["read"], listing([{"name": "other"}, ECHO_TOOL])])
    assert (report.tool_name, report.output_schema, report.content_kinds) == ("echo", "violated", ("text",))
    assert report.schema_issues == ("$.a: 'x' is not of type 'integer'",)


@pytest.mark.parametrize(
    "after",
    [
        [["exit", 3]],
        [["read"], ["say", "not json"]],
        [["read"], ["say", '{"id":3,"error":{"code":-32601,"message":"no"}}']],
        [["read"], ["say", '{"id":3,"result":{"tools":[{}]}}']],
        [["read"], ["say", '{"id":3,"result":[]}']],
        [["read"], listing([], nextCursor="p"), ["read"], listing([], 4, nextCursor="p")],
    ],
)
def test_a_list_that_cannot_be_read_leaves_the_answer_unchecked(after: list[list[Any]]) -> None:
    (report,) = reports_of([["open"], ANSWER, *after])
    assert report.output_schema == "not-checked"


def test_the_list_is_asked_for_only_where_somebody_listens(tmp_path: Any) -> None:
    log = tmp_path / "frames"
    command = program("scripted", json.dumps([["open"], ANSWER, ["read"]]), str(log))
    observe(McpAdapter(mcp_policy(command)), mcp_request())
    assert "tools/list" not in log.read_text()


def test_a_tool_has_a_reading_of_its_own() -> None:
    steps = [["open"], ["say", json.dumps({"id": 2, "result": {"content": [TEXT]}})], ["read"], listing([])]
    (report,) = reports_of(steps, {"result": "text", "results": {"echo": "text-json"}})
    assert (report.reading, report.note, report.output_schema) == ("text-json", None, "not-published")

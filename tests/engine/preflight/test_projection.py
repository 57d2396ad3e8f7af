"""What an observation leaves behind: the projected fixture state, and the evidence relations resolve over."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.preflight.inputs import parse_contract, parse_observations
from evalnb.engine.preflight.matching import LegState, match_observations
from evalnb.engine.preflight.plan import plan_preflight
from evalnb.engine.preflight.wire import wire_document
from tests.engine.preflight.subjects import (
    ABSENT,
    Document,
    api_answer,
    api_inputs,
    api_operation,
    cli_answer,
    cli_inputs,
    cli_operation,
    contract,
    interface,
    json_body,
    mcp_answer,
    mcp_inputs,
    mcp_operation,
    things,
    witness,
)

NO_INPUTS = dict.fromkeys(
    ("path", "query", "header", "body", "argument", "option", "environment", "stdin", "arguments", "bodyEncoding")
)
FILE = {"kind": "artifact", "artifactId": "report"}


def state(document: Document, answer: Document) -> LegState:
    """The state of the first planned leg after `answer`."""
    plan = plan_preflight(parse_contract(document), (), "run-1")
    return match_observations(plan, parse_observations([answer]))[plan.legs[0].leg_id]


def of_tool(document: Document, answer: Document) -> LegState:
    return state(contract(interface("server", "mcp", document)), answer)


def of_command(document: Document, answer: Document) -> LegState:
    return state(contract(interface("tool", "cli", document)), answer)


OBSERVE = "preflight-control-observe"


def test_an_http_answer() -> None:
    answer = api_answer(OBSERVE, "look", {"at": 1, "ok": True}, status=404, headers={"etag": "x"})
    observed = state(things(api_operation("look", volatile=["/at"])), answer)
    identity = {"interfaceId": "things", "operationId": "look"}
    assert observed.projection.document() == {
        "legId": OBSERVE,
        **identity,
        "status": 404,
        "exitCode": None,
        "toolError": None,
        "body": json_body({"ok": True}),
    }
    assert wire_document(observed.evidence) == {
        "observationId": OBSERVE,
        "sequence": 1,
        **identity,
        "provenance": "baseline",
        "principal": None,
        "callInputs": {**NO_INPUTS, "path": {}, "query": {}, "header": {}},
        "responseBody": {"ok": True},
        "responseHeaders": {"etag": "x"},
        "responseStatus": 404,
        "stdout": ABSENT,
        "stderr": ABSENT,
        "exitCode": None,
        "artifacts": {},
    }


@pytest.mark.parametrize(
    ("describes", "projected", "stdout", "stderr", "artifacts"),
    [
        (None, "out", "out", None, {}),
        ({"kind": "stream", "channel": "stderr"}, "err", None, "err", {}),
        (FILE, "file", None, None, {"report": "file"}),
    ],
)
def test_a_command_shows_only_what_its_descriptor_describes(
    describes: Document | None, projected: str, stdout: Any, stderr: Any, artifacts: Document
) -> None:
    def text(value: str | None) -> Document:
        return ABSENT if value is None else {"kind": "text", "value": value}

    answer = cli_answer(
        OBSERVE, "run", exitCode=3, stdout=text("out"), stderr=text("err"), artifacts={"report": text("file")}
    )
    observed = of_command(cli_operation("run", describes=describes, artifacts=["report"]), answer)
    assert observed.projection.document()["body"] == text(projected)
    assert (observed.projection.status, observed.projection.exit_code) == (None, 3)
    evidence = wire_document(observed.evidence)
    assert (evidence["stdout"], evidence["stderr"]) == (text(stdout), text(stderr))
    assert evidence["artifacts"] == {name: text(value) for name, value in artifacts.items()}
    assert (evidence["responseBody"], evidence["responseStatus"], evidence["exitCode"]) == (None, None, 3)


def test_a_file_that_was_not_written_is_absent() -> None:
    observed = of_command(cli_operation("run", describes=FILE, artifacts=["report"]), cli_answer(OBSERVE, "run"))
    assert observed.projection.document()["body"] == ABSENT
    assert wire_document(observed.evidence)["artifacts"] == {"report": ABSENT}


@pytest.mark.parametrize(
    ("fields", "tool_error", "exit_code", "status"),
    [
        ({}, False, None, 0),
        ({"isError": True}, True, None, 1),
        ({"isError": True, "exitCode": -9, "result": ABSENT}, True, -9, 1),
    ],
)
def test_a_tool_answer(fields: Document, tool_error: bool, exit_code: int | None, status: int) -> None:
    observed = of_tool(mcp_operation("ping"), mcp_answer(OBSERVE, "ping", {"ok": 1}, **fields))
    assert (observed.projection.tool_error, observed.projection.exit_code) == (tool_error, exit_code)
    evidence = observed.evidence
    assert (evidence.response_status, evidence.exit_code) == (status, exit_code)
    assert evidence.response_body == (None if "result" in fields else {"ok": 1})


@pytest.mark.parametrize(
    ("body", "recorded"),
    [
        (json_body({"a": 1}), {"a": 1}),
        (json_body([1]), None),
        (json_body(None), None),
        (ABSENT, None),
        ({"kind": "raw", "base64": "ew==", "contentType": "text/plain"}, None),
    ],
)
def test_only_an_object_becomes_the_recorded_request_body(body: Document, recorded: Any) -> None:
    sends = witness("body", api_inputs(body), api_inputs(header={"h": "v"}), "send")
    observed = state(things(api_operation("send", sensitivity=sends)), api_answer("send-a", "send", 1))
    assert observed.evidence.call_inputs.body == recorded
    assert observed.evidence.call_inputs.body_encoding is None


def test_the_inputs_of_commands_and_tools_are_recorded() -> None:
    runs = witness("option", cli_inputs(json_body({"x": 1}), option={"q": 1}), cli_inputs(), "run", "stdout")
    command = of_command(cli_operation("run", sensitivity=runs), cli_answer("run-a", "run"))
    inputs = wire_document(command.evidence.call_inputs)
    assert inputs == {**NO_INPUTS, "argument": {}, "option": {"q": 1}, "environment": {}, "stdin": {"x": 1}}
    pings = witness("arguments", mcp_inputs(a=1), mcp_inputs(a=2), "ping")
    tool = of_tool(mcp_operation("ping", sensitivity=pings), mcp_answer("ping-a", "ping"))
    assert wire_document(tool.evidence.call_inputs) == {**NO_INPUTS, "arguments": {"a": 1}}
